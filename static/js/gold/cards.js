/** Places as cards beside the text: who marked what there, what was decided, and the ways to decide. */

import { badge, Cards, element, quotes } from "../workspace/marks.js";
import { when } from "../workspace/workspace.js";
import { words } from "./places.js";

export class PlaceCards extends Cards {
  noun = "Place";
  shrinks = false;
  /** Marks that are not ticked; what is undecided is ticked at first. */
  unticked = new Set();
  /** While a reason is asked for: {place, decision, reason}. */
  reasonFor = null;
  lastReason = "";

  /** `on` holds the actions accept, revise, reject of a place, and edit, back of a decision; `page` who marked. */
  constructor(list, options) {
    super(list, options);
    list.addEventListener("change", ({ target }) => target.type === "checkbox" && this.#tick(Number(target.value), target.checked));
    list.addEventListener("submit", (event) => this.#submitReason(event));
    list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.reasonFor) return;
      event.stopPropagation();
      this.askForReason(null);
    });
  }

  /** Ids of the marks that the next decision is about. */
  ticked(key) {
    return (this.entry(key)?.undecided ?? []).map(({ id }) => id).filter((id) => !this.unticked.has(id));
  }

  /** After a decision, what is left of a place is ticked anew. */
  tickAll(key) {
    for (const { id } of this.entry(key)?.marks ?? []) this.unticked.delete(id);
  }

  /** Tick the mark at this number among the undecided ones of a place, or take its tick away. */
  toggle(key, number) {
    const mark = this.entry(key)?.undecided[number - 1];
    if (!mark || !this.editable) return;
    this.#tick(mark.id, this.unticked.has(mark.id));
  }

  /** Ask why the ticked marks are rejected, or change the reason of a decision; null closes the question. */
  askForReason(key, { decision = null, reason = this.lastReason } = {}) {
    const before = this.reasonFor?.place;
    const wanted = key && this.editable && (decision || this.ticked(key).length);
    this.reasonFor = wanted ? { place: key, decision, reason } : null;
    if (before) this.refill(before);
    if (!wanted) return void (before && this.focus(before));
    this.refill(key);
    this.items.get(key).querySelector("[name=reason]").select();
  }

  contentOf(place) {
    const ticks = place.undecided.map(({ id }) => this.unticked.has(id));
    return [place.marks, place.decisions, ticks, this.#asking(place)];
  }

  fill(item, place) {
    const { lookers } = this.page;
    item.classList.add("gold-place");
    const state = this.#state(place);
    const people = place.letters.length ? `${place.letters.length} of ${lookers.length} marked it, ${words(place.letters)}` : "Added, nobody marked it";
    item.says = `${people}. ${state.textContent}`;
    const number = element("b", { className: "mark-number" });
    const article = element("article", { tabIndex: 0 });
    article.append(element("header", { className: "row" }, number, this.#letters(place), state));
    let waiting = 0;
    for (const mark of place.marks) {
      const decision = place.decidedBy.get(mark.id);
      if (!decision) waiting += 1;
      article.append(this.#mark(mark, decision, waiting));
    }
    article.append(...place.decisions.map((decision) => this.#decision(decision)));
    const asking = this.#asking(place);
    if (asking) article.append(this.#reason(asking));
    else if (place.undecided.length && this.editable) article.append(this.#actions(place));
    return article;
  }

  acted(action, key, { dataset: { decision } }) {
    if (action === "ask") this.askForReason(key);
    else if (action === "cancel") this.askForReason(null);
    else this.on[action](decision ?? key);
  }

  #asking(place) {
    return this.reasonFor?.place === place.key ? this.reasonFor : null;
  }

  /** Everybody's letter, those who touched the place filled. */
  #letters({ marks }) {
    const letters = this.page.lookers.map(({ letter, name, isJudge }, at) => {
      const touched = marks.some(({ looker }) => looker === at);
      const title = `${letter}, ${name}: ${touched ? "marked it" : "did not mark it"}`;
      return element("span", { className: "gold-letter", textContent: letter, title, data: { touched, judge: isJudge } });
    });
    return element("span", { className: "gold-letters", ariaHidden: "true" }, ...letters);
  }

  #state({ marks, undecided, decisions }) {
    if (decisions.some(({ refused }) => refused)) return badge("bad", "Not accepted");
    if (decisions.some(({ unsaved }) => unsaved)) return badge("warning", "Not saved yet");
    if (!undecided.length) return badge("good", "Decided");
    const left = `${undecided.length} of ${marks.length} to decide`;
    return badge("muted", undecided.length === marks.length ? "To decide" : left);
  }

  #mark(mark, decision, number) {
    const { letter, name } = this.page.lookers[mark.looker];
    const who = element("span", {}, element("strong", { textContent: letter }), ` ${name}`);
    const label = decision || !this.editable ? who : this.#box(mark, who, number);
    const head = this.#head(label, mark.error_types, decision ? fate(mark, decision) : null);
    const flags = mark.flags.map((flag) => badge("warning", flag));
    const data = { decided: Boolean(decision) };
    return element("section", { className: "gold-mark", data }, head, ...quotes(mark.spans), said(mark.questions), ...flags);
  }

  #head(title, types, ...more) {
    return element("div", { className: "row gold-mark-head" }, title, ...types.map((key) => this.tag(key)), ...more);
  }

  #box(mark, who, number) {
    const box = { type: "checkbox", value: mark.id, checked: !this.unticked.has(mark.id), data: { focus: `mark-${mark.id}` } };
    return element("label", { className: "row" }, element("input", box), who, number <= 9 ? kbd(number) : null);
  }

  #decision(decision) {
    const { key, outcome, sources, refused, by, at } = decision;
    const isMark = outcome === "mark";
    const title = isMark ? (sources.length ? "Gold" : "Gold, added") : "Rejected";
    const head = this.#head(element("strong", { textContent: title }), decision.error_types);
    const question = isMark ? said(decision.questions) : said(decision.reason);
    return element(
      "section",
      { className: "gold-decision", data: { key, outcome } },
      head,
      ...quotes(decision.spans),
      question,
      refused ? element("p", { className: "field-error", textContent: refused }) : null,
      by ? element("p", { className: "small-text muted", textContent: `by ${by}, ${when(at)}` }) : null,
      this.editable ? this.#decisionActions(decision, isMark) : null,
    );
  }

  #decisionActions({ key, refused }, isMark) {
    const edit = this.button(isMark ? "Edit" : "Change the reason", { action: "edit", decision: key });
    const back = this.button(refused ? "Discard mine" : "Take back", { action: "back", decision: key });
    return element("div", { className: "row gold-actions" }, edit, back);
  }

  #actions(place) {
    const several = this.ticked(place.key).length > 1;
    const accept = this.#keyed(several ? "Merge into one" : "Accept", "accept", "A");
    const revise = several ? null : this.#keyed("Edit and accept", "revise", "E");
    return element("div", { className: "row gold-actions" }, accept, revise, this.#keyed("Reject", "ask", "R"));
  }

  #keyed(label, action, key) {
    const button = this.button(label, { action });
    button.append(" ", kbd(key));
    return button;
  }

  #reason({ reason, decision }) {
    const input = element("input", { name: "reason", value: reason, required: true, maxLength: 1000, data: { focus: "reason" } });
    input.addEventListener("input", () => (this.reasonFor.reason = input.value));
    const label = element("label", { className: "field" }, element("span", { textContent: "Why is it not in the gold set?" }), input);
    const send = element("button", { className: "button small primary", textContent: decision ? "Change the reason" : "Reject" });
    const buttons = element("div", { className: "row" }, send, this.#keyed("Cancel", "cancel", "Esc"));
    return element("form", { className: "stack tight gold-reason" }, label, buttons);
  }

  #tick(id, ticked) {
    if (ticked) this.unticked.delete(id);
    else this.unticked.add(id);
    if (this.active) this.refill(this.active);
  }

  #submitReason(event) {
    event.preventDefault();
    event.stopPropagation();
    const reason = event.target.elements.reason.value.trim();
    if (!reason || !this.reasonFor) return;
    if (!this.reasonFor.decision) this.lastReason = reason;
    this.on.reject(this.reasonFor.place, reason);
  }
}

const kbd = (textContent) => element("kbd", { textContent });

function said(text) {
  const words = text.trim();
  return element("p", { className: words ? "mark-question" : "mark-question muted", textContent: words || "No question" });
}

function fate({ version, id }, decision) {
  const changed = decision.versions?.[id] !== undefined && decision.versions[id] !== version;
  if (changed) return badge("warning", "Changed since it was decided");
  return decision.outcome === "mark" ? badge("good", "In gold") : badge("muted", "Rejected");
}
