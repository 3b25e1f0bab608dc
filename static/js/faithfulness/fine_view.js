/** What the person sees of a FINE task besides the source: the summary with its units, and the one in hand. */

import { element } from "../workspace/marks.js";
import { byId } from "../workspace/workspace.js";
import { one } from "./task.js";

const STATES = { supported: "supported", not: "not supported", evidence: "evidence is missing", open: "no answer yet" };

/** "supported", "not", "evidence" (supported, but what shows it is missing) or "open". */
export function stateOf({ supported, evidence }, evidenceRequired) {
  if (supported === null) return "open";
  if (!supported) return "not";
  return evidenceRequired && !evidence.length ? "evidence" : "supported";
}

export class FineView {
  /** @param {{on: Record<string, Function>, evidenceRequired: boolean}} options */
  constructor(options) {
    Object.assign(this, options);
    this.units = new Map([...document.querySelectorAll("[data-unit]")].map((each) => [each.dataset.unit, each]));
    this.answers = [...document.querySelectorAll("[data-supported]")];
    this.evidence = byId("evidence");
    byId("summary-text").addEventListener("click", (event) => this.#picked(event));
    for (const button of this.answers) button.addEventListener("click", () => this.on.answer(button.dataset.supported === "yes"));
    this.evidence.addEventListener("click", ({ target }) => {
      const { act, index } = target.closest("[data-act]")?.dataset ?? {};
      if (act) this.on[act](Number(index));
    });
    for (const button of document.querySelectorAll("[data-move]")) {
      button.addEventListener("click", () => this.on.move(Number(button.dataset.move)));
    }
  }

  /** Another unit is in hand. */
  turnTo({ key, quote }, number, total) {
    for (const [each, link] of this.units) {
      if (each === key) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    byId("unit-number").textContent = `Statement ${number} of ${total}`;
    byId("unit-quote").textContent = quote;
    one("[data-move='-1']").disabled = number === 1;
    one("[data-move='1']").disabled = number === total;
    this.#bringIntoView(this.units.get(key));
  }

  /** Show all judgements, and the one of the unit in hand in full. */
  show(judgements, current, editable) {
    let done = 0;
    for (const judgement of judgements) {
      const state = stateOf(judgement, this.evidenceRequired);
      const link = this.units.get(judgement.key);
      link.dataset.state = state;
      link.setAttribute("aria-description", STATES[state]);
      if (state === "supported" || state === "not") done += 1;
    }
    Object.assign(byId("progress"), { max: judgements.length, value: done });
    byId("done").textContent = `${done} of ${judgements.length} done`;
    byId("submit").classList.toggle("primary", done === judgements.length);
    this.#showAnswer(current, editable);
  }

  #showAnswer({ supported, evidence, comment }, editable) {
    for (const button of this.answers) {
      button.setAttribute("aria-pressed", supported !== null && supported === (button.dataset.supported === "yes"));
      button.disabled = !editable;
    }
    const rows = evidence.map((place, index) => this.#row(place, index, editable));
    const content = JSON.stringify([evidence, editable]);
    if (this.evidence.dataset.content !== content) this.evidence.replaceChildren(...rows);
    this.evidence.dataset.content = content;
    byId("evidence-empty").hidden = evidence.length > 0 || supported === false;
    byId("evidence-none").hidden = supported !== false;
    byId("evidence-empty").toggleAttribute("data-missing", supported === true && this.evidenceRequired && !evidence.length);
    byId("comment").readOnly = !editable;
    this.on.comment(comment);
  }

  #row({ quote, hint_rank }, index, editable) {
    const words = quote.replace(/\s+/g, " ");
    const show = element("button", { type: "button", className: "button quiet small", textContent: "Show", data: { act: "reveal", index } });
    const remove = element("button", { type: "button", className: "button quiet small", textContent: "Remove", disabled: !editable, data: { act: "remove", index } });
    show.setAttribute("aria-label", `Show place ${index + 1} in the source`);
    remove.setAttribute("aria-label", `Remove place ${index + 1}`);
    const from = hint_rank ? element("span", { className: "muted", textContent: `Hint ${hint_rank}` }) : "";
    return element("li", {}, element("blockquote", { textContent: words }), element("div", { className: "row" }, from, show, remove));
  }

  #picked(event) {
    const link = event.target.closest("[data-unit]");
    if (!link) return;
    event.preventDefault();
    this.on.choose(link.dataset.unit);
  }

  /** In its own box, so that nothing else moves. */
  #bringIntoView(link) {
    const box = byId("summary-pane");
    const [view, place] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
    const margin = Math.min(60, view.height / 4);
    if (place.top < view.top + margin) box.scrollTop += place.top - view.top - margin;
    else if (place.bottom > view.bottom - margin) box.scrollTop += Math.min(place.bottom - view.bottom + margin, place.top - view.top - margin);
  }
}
