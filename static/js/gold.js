/**
 * The adjudication page: several people's marks on one text, and what the researchers decide about them, in the span
 * workspace (`workspace/workspace.js`). A card is a place, which may hold several marks and decisions.
 */

import { PlaceCards } from "./gold/cards.js";
import { arranged, combined, words } from "./gold/places.js";
import { GoldStatus } from "./gold/status.js";
import { firstOf } from "./offsets.js";
import { randomKey } from "./page.js";
import { element } from "./workspace/marks.js";
import { announce, byId, say, Workspace } from "./workspace/workspace.js";

const page = JSON.parse(byId("page-data").textContent);
/** How often decisions of colleagues are asked for. */
const LOOK_EVERY_MS = 15_000;

const WORDS = {
  problems: {
    login: "you are logged out or may not see this any more",
    gone: "this summary is not in the study any more",
    closed: "the gold set is finished",
    asking: "a decision needs your choice",
    refused: "the server did not accept a decision",
  },
  kept: "What you decided",
  choose: "Choose",
  conflict: {
    changed: "A colleague changed this decision",
    deleted: "A colleague took this decision back",
    undone: "You took it back here. Which should hold?",
    mine: "Yours",
    theirs: "Theirs",
    keepMine: "Yours",
    keepTheirs: "Theirs",
    both: "",
    nothing: "Taken back",
  },
  merged: "A colleague changed this decision too. Both changes were kept.",
  overtaken: "That decision was changed by a colleague or in another window since, so it stays as it is.",
  added: "In the gold set",
  changed: "Changed",
};

class Adjudication extends Workspace {
  /** What a mark that nobody had made says besides. */
  added = { outcome: "mark", sources: [], reason: "" };

  constructor() {
    // Heat lies side by side and gold has a line of its own, so one layer will do.
    const painting = { layers: 1, typeOf: ({ level }) => level };
    super({ page, state: page.state, items: "decisions", words: WORDS, painting });
    this.marks = new Map(page.marks.map((mark) => [mark.id, mark]));
    const on = {
      accept: (key) => this.accept(key),
      revise: (key) => this.revise(key),
      reject: (key, reason) => this.reject(key, reason),
      edit: (decision) => this.edit(decision),
      back: (decision) => this.takeBack([decision]),
    };
    this.cards = new PlaceCards(byId("cards"), { page, ...this.cardOptions(on) });
    const show = (key) => this.goTo(this.cardOf({ key }));
    this.status = new GoldStatus({ page, store: this.store, words: WORDS, show });
    const { store } = this;
    setInterval(() => document.visibilityState === "visible" && !store.pending.size && store.refresh(), LOOK_EVERY_MS);
    byId("new-span").addEventListener("click", () => this.#askForPlace());
    Object.assign(this.keys, this.#keysOfPlaces());
  }

  show() {
    this.all = arranged(page, this.store.marks());
    this.draw(this.all, this.all.flatMap(({ painted }) => painted));
    this.#gutter();
    this.status.count(this.all);
  }

  laidOut() {
    super.laidOut();
    this.#gutter();
  }

  place(key = this.highlights.active) {
    return this.all.find((place) => place.key === key);
  }

  spanOf(key) {
    const { decisions, marks } = this.place(key);
    return firstOf((decisions.find(({ spans }) => spans.length) ?? marks[0]).spans);
  }

  /** The place of a decision, or of a draft of one. */
  cardOf({ key, place }) {
    return this.all.find(({ decisions }) => decisions.some((each) => each.key === key))?.key ?? place;
  }

  openForm(draft) {
    super.openForm(draft);
    byId("form-title").textContent = formTitle(draft);
  }

  save(draft) {
    if (draft.place) this.cards.tickAll(draft.place);
    super.save(draft);
  }

  /** Put what is ticked into the gold set: one mark as it is; several are first joined in the form. */
  accept(key) {
    const ticked = this.#ticked(key);
    if (ticked.length > 1) this.revise(key);
    if (ticked.length !== 1) return;
    this.#decide(key, combined(ticked), "Accepted");
  }

  /** Join what is ticked, or change it, before it goes into the gold set. */
  revise(key) {
    const ticked = this.#ticked(key);
    if (ticked.length) this.openForm({ key: randomKey(), isNew: true, place: key, ...combined(ticked) });
  }

  reject(key, reason) {
    const ticked = this.#ticked(key);
    if (!ticked.length) return;
    const content = { outcome: "rejected", questions: "", error_types: [], spans: [], reason };
    this.#decide(key, { ...content, sources: ticked.map(({ id }) => id) }, "Rejected");
  }

  edit(key) {
    const decision = this.store.get(key);
    if (!decision || !this.editable) return;
    if (decision.outcome === "mark") this.openForm({ ...decision, isNew: false, place: this.highlights.active });
    else this.cards.askForReason(this.highlights.active, { decision, reason: decision.reason });
  }

  takeBack(keys) {
    const steps = keys.map((key) => ({ key, before: this.store.get(key), after: null })).filter(({ before }) => before);
    if (!steps.length || !this.editable) return;
    this.history.apply(steps);
    say("Taken back.", { action: "Undo", act: () => this.history.undo() });
  }

  #decide(place, content, said) {
    const before = this.cards.reasonFor?.decision ?? null;
    const key = before?.key ?? randomKey();
    this.cards.askForReason(null);
    this.cards.tickAll(place);
    this.history.apply([{ key, before, after: before ? { ...content, sources: before.sources } : content }]);
    announce(said);
    this.#goOn(place);
  }

  /** To the next place where something is undecided; the active one, while it still has something. */
  #goOn(key) {
    const at = this.all.findIndex((place) => place.key === key);
    const order = [...this.all.slice(at), ...this.all.slice(0, at)];
    const next = order.find(({ undecided }) => undecided.length) ?? this.all[at];
    if (next) this.goTo(next.key);
  }

  #ticked(key) {
    if (!this.editable) return [];
    const reason = this.cards.reasonFor;
    if (reason?.decision) return reason.decision.sources.map((id) => this.marks.get(id) ?? { id });
    const ticked = this.cards.ticked(key).map((id) => this.marks.get(id));
    if (!ticked.length && this.place(key)) announce("Nothing is ticked here.");
    return ticked;
  }

  /** The mark in the form gets another place. */
  #askForPlace() {
    const draft = this.form.current();
    this.form.close();
    const take = (span) => this.openForm({ ...draft, spans: [span] });
    const giveUp = () => this.openForm(draft);
    this.setPurpose({ text: "Select the new place of this mark.", spans: draft.spans, take, giveUp });
    this.selection.focusAt(draft.spans.at(-1).start);
  }

  #keysOfPlaces() {
    const active = () => this.highlights.active;
    const ticks = Array.from({ length: 9 }, (_, at) => [at + 1, () => this.cards.toggle(active(), at + 1)]);
    return {
      ...Object.fromEntries(ticks),
      u: () => this.#goOn(active()),
      a: () => this.accept(active()),
      e: () => this.#reviseOrEdit(),
      r: () => this.cards.askForReason(active()),
      x: () => this.takeBack(this.place()?.decisions.map((each) => each.key) ?? []),
    };
  }

  /** What waits for a decision comes first; else the place's decision is opened. */
  #reviseOrEdit() {
    const place = this.place();
    if (place?.undecided.length) this.revise(place.key);
    else if (place?.decisions.length) this.edit(place.decisions[0].key);
  }

  /** Beside the text: each place's number, and who marked it, as short as the margin is. */
  #gutter() {
    let bottom = 0;
    const rows = this.all.map(({ key, number, letters }) => {
      const who = letters.length > 4 ? `${letters.length} of ${page.lookers.length}` : letters.join("");
      const row = element("span", {}, element("b", { textContent: number }), ` ${who}`);
      bottom = Math.max(this.highlights.topOf(key) + 4, bottom);
      row.style.top = `${bottom}px`;
      bottom += 17;
      return row;
    });
    byId("gutter").replaceChildren(...rows);
  }
}

function formTitle({ isNew, sources }) {
  const { marks, lookers } = page;
  if (!sources.length) return isNew ? "Add a mark that nobody made" : "A mark that was added";
  const from = marks.filter(({ id }) => sources.includes(id)).map(({ looker }) => lookers[looker].letter);
  const what = sources.length === 1 ? "the mark" : "one mark from those";
  return `${isNew ? "Accept" : "Change"} ${what} of ${words([...new Set(from)])}`;
}

new Adjudication().start();
