/** Places as cards beside the text: who marked what there, what was decided, and the ways to decide. */

import { stackedTops } from "../annotate/marks.js";
import { words } from "./places.js";

const GAP = 8;

function element(name, properties = {}, ...children) {
  const { data = {}, ...rest } = properties;
  const made = Object.assign(document.createElement(name), rest);
  Object.assign(made.dataset, data);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export class Places {
  /**
   * @param {HTMLElement} list an <ol>
   * @param {{page: object, topOf: (key: string) => number, on: Record<string, Function>}} options `on` holds the
   *   actions: activate, hover, accept, revise, reject, edit, back
   */
  constructor(list, options) {
    Object.assign(this, { list, ...options });
    this.types = new Map(this.page.errorTypes.map((type) => [type.key, type]));
    this.items = new Map();
    this.active = null;
    /** Marks that are not ticked; what is undecided is ticked at first. */
    this.unticked = new Set();
    /** While a reason is asked for: {place, decision, reason}. */
    this.reasonFor = null;
    this.lastReason = "";
    list.addEventListener("focusin", (event) => this.#touched(event, "activate"));
    list.addEventListener("pointerover", (event) => this.#touched(event, "hover"));
    list.addEventListener("pointerleave", () => this.on.hover(null));
    list.addEventListener("change", ({ target }) => target.type === "checkbox" && this.#tick(Number(target.value), target.checked));
    list.addEventListener("click", ({ target }) => this.#clicked(target));
    list.addEventListener("submit", (event) => this.#submitReason(event));
    list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.reasonFor) return;
      event.stopPropagation();
      this.askForReason(null);
    });
  }

  show(places, editable, active) {
    Object.assign(this, { places, editable, active });
    const keys = new Set(places.map(({ key }) => key));
    for (const [key, item] of this.items) {
      if (keys.has(key)) continue;
      item.remove();
      this.items.delete(key);
    }
    places.forEach((place, index) => {
      const item = this.#fill(place);
      if (this.list.children[index] !== item) this.list.insertBefore(item, this.list.children[index] ?? null);
    });
    this.place();
  }

  activate(key) {
    this.items.get(this.active)?.classList.remove("active");
    this.items.get(key)?.classList.add("active");
    this.active = key;
    this.place();
  }

  hover(key) {
    this.items.get(this.hovered)?.classList.remove("hovered");
    this.items.get(key)?.classList.add("hovered");
    this.hovered = key;
  }

  focus(key) {
    this.items.get(key)?.firstElementChild.focus({ preventScroll: true });
  }

  /** Ids of the marks that the next decision is about. */
  ticked(key) {
    const place = this.places.find((each) => each.key === key);
    return (place?.undecided ?? []).map(({ id }) => id).filter((id) => !this.unticked.has(id));
  }

  /** After a decision, what is left of a place is ticked anew. */
  tickAll(key) {
    for (const { id } of this.places.find((each) => each.key === key)?.marks ?? []) this.unticked.delete(id);
  }

  /** Tick the mark at this number among the undecided ones of a place, or take its tick away. */
  toggle(key, number) {
    const mark = this.places.find((each) => each.key === key)?.undecided[number - 1];
    if (!mark || !this.editable) return;
    this.#tick(mark.id, this.unticked.has(mark.id));
    this.#refill(key);
  }

  /** Ask why the ticked marks are rejected, or change the reason of a decision; null closes the question. */
  askForReason(key, { decision = null, reason = this.lastReason } = {}) {
    const before = this.reasonFor?.place;
    const wanted = key && this.editable && (decision || this.ticked(key).length);
    this.reasonFor = wanted ? { place: key, decision, reason } : null;
    if (before) this.#refill(before);
    if (!wanted) return void (before && this.focus(before));
    this.#refill(key);
    this.items.get(key).querySelector("[name=reason]").select();
  }

  /** Put every card beside its place, the active one exactly, the others as near as they fit. */
  place() {
    if (getComputedStyle(this.list).position === "static") return; // a narrow screen: a plain list
    const items = this.places.map(({ key }) => this.items.get(key));
    const heights = items.map((item) => item.offsetHeight + GAP);
    const pinned = this.places.findIndex(({ key }) => key === this.active);
    const tops = stackedTops(this.places.map(({ key }) => this.topOf(key)), heights, pinned);
    items.forEach((item, index) => (item.style.top = `${tops[index]}px`));
    this.list.style.height = items.length ? `${tops.at(-1) + heights.at(-1)}px` : "auto";
  }

  #refill(key) {
    const place = this.places.find((each) => each.key === key);
    if (place) this.#fill(place);
    this.place();
  }

  #fill(place) {
    const item = this.items.get(place.key) ?? element("li", { className: "mark-card gold-place" });
    this.items.set(place.key, item);
    item.dataset.key = place.key;
    item.classList.toggle("active", place.key === this.active);
    const asking = this.reasonFor?.place === place.key ? this.reasonFor : null;
    const ticks = place.undecided.map(({ id }) => this.unticked.has(id));
    const content = JSON.stringify([place.number, place.marks, place.decisions, this.editable, ticks, asking]);
    if (item.content === content) return item;
    item.content = content;
    const held = item.contains(document.activeElement) ? focusName(document.activeElement) : null;
    item.replaceChildren(this.#card(place, asking));
    if (held !== null) (item.querySelector(held || "article") ?? item.firstElementChild).focus({ preventScroll: true });
    return item;
  }

  #card(place, asking) {
    const { lookers } = this.page;
    const touched = place.letters.length ? `${words(place.letters)} marked it` : "added, nobody marked it";
    const state = this.#state(place);
    const head = element("header", { className: "row" }, element("b", { textContent: place.number }), this.#letters(place), state);
    const article = element("article", { tabIndex: 0 }, head);
    const people = place.letters.length ? `${place.letters.length} of ${lookers.length}` : "Nobody";
    article.setAttribute("aria-label", `Place ${place.number} of ${this.places.length}: ${people}, ${touched}. ${state.textContent}`);
    let number = 0;
    for (const mark of place.marks) {
      const decision = place.decidedBy.get(mark.id);
      if (!decision) number += 1;
      article.append(this.#mark(mark, decision, number));
    }
    for (const decision of place.decisions) article.append(this.#decision(decision));
    if (asking) article.append(this.#reason(asking));
    else if (place.undecided.length && this.editable) article.append(this.#actions(place));
    return article;
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
    const types = mark.error_types.map((key) => this.#tag(key));
    const label = decision || !this.editable ? element("span", {}, who) : this.#box(mark, who, number);
    const fate = decision ? this.#fate(mark, decision) : null;
    const head = element("div", { className: "row gold-mark-head" }, label, ...types, fate);
    const flags = mark.flags.map((flag) => badge("warning", flag));
    const quotes = mark.spans.map(({ quote }) => element("blockquote", { textContent: quote }));
    const asked = mark.questions.trim();
    const question = element("p", { className: asked ? "gold-question" : "gold-question muted", textContent: asked || "No question" });
    return element("section", { className: "gold-mark", data: { decided: Boolean(decision) } }, head, ...quotes, question, ...flags);
  }

  #box(mark, who, number) {
    const box = element("input", { type: "checkbox", value: mark.id, checked: !this.unticked.has(mark.id) });
    box.dataset.focus = `mark-${mark.id}`;
    const key = number <= 9 ? element("kbd", { textContent: number }) : null;
    return element("label", { className: "row" }, box, who, key);
  }

  #fate({ version, id }, decision) {
    const changed = decision.versions?.[id] !== undefined && decision.versions[id] !== version;
    if (changed) return badge("warning", "Changed since it was decided");
    return decision.outcome === "mark" ? badge("good", "In gold") : badge("muted", "Rejected");
  }

  #decision(decision) {
    const isMark = decision.outcome === "mark";
    const title = isMark ? (decision.sources.length ? "Gold" : "Gold, added") : "Rejected";
    const head = element("div", { className: "row gold-mark-head" }, element("strong", { textContent: title }));
    head.append(...decision.error_types.map((key) => this.#tag(key)));
    const quotes = decision.spans.map(({ quote }) => element("blockquote", { textContent: quote }));
    const text = isMark ? decision.questions.trim() || "No question" : decision.reason;
    const question = element("p", { className: "gold-question", textContent: text });
    const refused = decision.refused ? element("p", { className: "field-error", textContent: decision.refused }) : null;
    const by = decision.by ? element("p", { className: "small-text muted", textContent: `by ${decision.by}, ${when(decision.at)}` }) : null;
    return element(
      "section",
      { className: "gold-decision", data: { key: decision.key, outcome: decision.outcome } },
      head, ...quotes, question, refused, by, this.editable ? this.#decisionActions(decision, isMark) : null,
    );
  }

  #decisionActions({ key, refused }, isMark) {
    const edit = button(isMark ? "Edit" : "Change the reason", { action: "edit", decision: key });
    const back = button(refused ? "Discard mine" : "Take back", { action: "back", decision: key });
    return element("div", { className: "row gold-actions" }, edit, back);
  }

  #actions(place) {
    const several = this.ticked(place.key).length > 1;
    const accept = button(several ? "Merge into one" : "Accept", { action: "accept" }, "A");
    const revise = several ? null : button("Edit and accept", { action: "revise" }, "E");
    return element("div", { className: "row gold-actions" }, accept, revise, button("Reject", { action: "ask" }, "R"));
  }

  #reason({ reason, decision }) {
    const input = element("input", { name: "reason", value: reason, required: true, maxLength: 1000 });
    input.dataset.focus = "reason";
    input.addEventListener("input", () => (this.reasonFor.reason = input.value));
    const label = element("label", { className: "field" }, element("span", { textContent: "Why is it not in the gold set?" }), input);
    const send = element("button", { className: "button small primary", textContent: decision ? "Change the reason" : "Reject" });
    return element("form", { className: "stack tight gold-reason" }, label, element("div", { className: "row" }, send, button("Cancel", { action: "cancel" }, "Esc")));
  }

  #tag(key) {
    const type = this.types.get(key);
    const tag = element("abbr", { className: "type-tag", textContent: type?.tag ?? "?", title: type?.name ?? key });
    tag.dataset.type = type?.slug ?? "none";
    return tag;
  }

  #tick(id, ticked) {
    if (ticked) this.unticked.delete(id);
    else this.unticked.add(id);
    if (this.active) this.#refill(this.active);
  }

  #clicked(target) {
    const { action, decision } = target.closest("[data-action]")?.dataset ?? {};
    const key = target.closest("li")?.dataset.key;
    if (action === "edit" || action === "back") this.on[action](decision);
    else if (action === "ask") this.askForReason(key);
    else if (action === "cancel") this.askForReason(null);
    else if (action) this.on[action](key);
  }

  #submitReason(event) {
    event.preventDefault();
    event.stopPropagation();
    const reason = event.target.elements.reason.value.trim();
    if (!reason || !this.reasonFor) return;
    if (!this.reasonFor.decision) this.lastReason = reason;
    this.on.reject(this.reasonFor.place, reason);
  }

  #touched({ target }, action) {
    const item = target.closest("li");
    if (item) this.on[action](item.dataset.key);
  }
}

function badge(kind, textContent) {
  return element("span", { className: `badge ${kind}`, textContent });
}

function button(textContent, data, key = "") {
  const made = element("button", { type: "button", className: "button small", textContent, data });
  made.dataset.focus = [data.action, data.decision].filter(Boolean).join("-");
  if (key) made.append(" ", element("kbd", { textContent: key }));
  return made;
}

/** How to find the same thing in a card that is filled anew; "" for the card itself. */
function focusName(held) {
  return held.dataset.focus ? `[data-focus="${held.dataset.focus}"]` : "";
}

export function when(time) {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
