/**
 * The span workspace: a text with marks in it, cards beside them, a form at the selection, undo, and what the page says
 * of saving. `annotate.js` works in it with an annotator's marks, `gold.js` with an adjudicator's decisions.
 *
 * Each extends `Workspace`, `Status` and `Cards` with what differs, and has `words` for what both say:
 *   problems     why something is not saved, behind "Not saved - ", by the store's kinds of status
 *   kept         what waits in the browser then
 *   choose       the button that asks about conflicts, and what is asked:
 *   conflict     {changed, deleted, undone, mine, theirs, keepMine, keepTheirs, both, nothing}
 *   merged, overtaken, added, changed      said after both sides changed the same, and after a save
 */

import { samePlace, TextMap } from "../offsets.js";
import { ask, randomKey } from "../page.js";
import { element, Highlights, MARKS } from "./marks.js";
import { MarkForm, TextSelection } from "./selection.js";
import { History, Store } from "./store.js";

const NOTE_MS = 12_000;
const TYPING = "input:not([type=checkbox]), textarea, select, dialog[open], [data-menu]";
const PROBLEMS = { offline: "no connection", server: "the server has a problem" };

export const byId = (id) => document.getElementById(id);

export function announce(text) {
  byId("announcer").textContent = text;
}

export const countMarks = (number) => (number === 1 ? "1 mark" : `${number} marks`);

export function when(time) {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** A note at the bottom of the page, with one thing to do or none; it goes after a while unless it is lasting. */
export function say(text, { action = "", act = null, lasting = false, id = "", kind = "info" } = {}) {
  const note = element("div", { className: `notice ${kind}`, ...(id && { id }) }, text);
  if (action) {
    const button = element("button", { type: "button", className: "button small", textContent: action });
    button.addEventListener("click", () => {
      if (!lasting) note.remove();
      act();
    });
    note.append(" ", button);
  }
  byId("notices").append(note);
  if (!lasting) setTimeout(() => note.remove(), NOTE_MS);
  return note;
}

/** Ask with buttons; resolves to the value of the one pressed, or to "" when the dialog was closed with Esc. */
export function choose({ title, text, versions = [], choices }) {
  const dialog = byId("choice-dialog");
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[data-text]").textContent = text;
  dialog.querySelector("[data-versions]").replaceChildren(...versions);
  const buttons = choices.map(([value, textContent]) => element("button", { className: "button", value, textContent }));
  dialog.querySelector("[data-choices]").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

export class Workspace {
  /** @param {{page: object, state: object, items: string, words: object, painting: object}} options see `Highlights` */
  constructor({ page, state, items, words, painting }) {
    Object.assign(this, { page, words, state });
    this.map = new TextMap(byId("text"));
    // If the browser holds another text than the server, every offset would be wrong.
    this.intact = this.map.length === Number(byId("text").dataset.characters);
    /** What the next selection is for: {text, spans, picks, take, giveUp}; null for a new mark. */
    this.purpose = null;
    this.store = new Store({ task: page.task, api: page.api, state, items, kind: MARKS });
    const buttons = { undoButton: byId("undo"), redoButton: byId("redo") };
    this.history = new History(this.store, { ...buttons, onOvertaken: () => say(words.overtaken) });
    this.highlights = new Highlights(this.map, byId("overlay"), painting);
    this.form = new MarkForm(byId("mark-form"), {
      task: page.task,
      announce,
      onSave: (draft) => this.save(draft),
      onCancel: (draft, changed) => this.cancelled(draft, changed),
      onRelate: (draft) => this.relate(draft, () => this.openForm(draft)),
    });
    this.selection = new TextSelection(this.map, {
      sentences: page.sentences,
      caret: byId("caret"),
      touchButton: byId("touch-mark"),
      announce,
      onSelect: (span) => this.selected(span),
      onPick: (point, event) => this.picked(point, event),
      onPoint: (point, event) => this.hover(point === null ? null : (this.highlights.marksAt(point, event)[0] ?? null)),
    });
    this.keys = {
      n: () => this.#step(1),
      p: () => this.#step(-1),
      t: () => this.selection.focusText(),
      "?": () => byId("keys").showModal(),
    };
  }

  /** What `Cards` need; `actions` are those of the kind. */
  cardOptions(actions) {
    const on = { activate: (key) => this.activate(key), hover: (key) => this.hover(key), ...actions };
    return { errorTypes: this.page.errorTypes, topOf: (key) => this.highlights.topOf(key), on };
  }

  /** To be called once `cards` and `status` are there. */
  start() {
    this.#listen();
    this.takeState(this.state);
    if (!this.intact) say("The text did not arrive as it is stored. Reload the page to mark it.", { lasting: true });
    this.show();
    this.store.start().then(() => this.#restoreForm());
    byId("not-started").remove();
  }

  /** How each kind shows what the store has: its cards in order, and what is marked in the text. */
  draw(entries, painted) {
    if (!entries.some(({ key }) => key === this.highlights.active)) this.highlights.active = null;
    this.highlights.setMarks(painted);
    this.cards.show(entries, this.editable, this.highlights.active);
  }

  activate(key) {
    if (this.highlights.active === key && this.cards.active === key) return;
    this.highlights.active = key;
    this.highlights.draw();
    this.cards.activate(key);
  }

  hover(key) {
    if (this.highlights.hovered === key) return;
    this.highlights.hovered = key;
    this.highlights.draw();
    this.cards.hover(key);
  }

  goTo(key) {
    this.cards.focus(key);
    this.cards.reveal(key);
  }

  /** A span was selected: for what depends on what the person is doing. */
  selected(span) {
    if (this.form.isOpen && !this.leaveForm()) return;
    if (this.purpose) this.purpose.take(span);
    else this.openForm({ key: randomKey(), isNew: true, questions: "", error_types: [], ...this.added, spans: [span] });
  }

  /** A place in the text was clicked, or Enter pressed there. Returns whether a mark lies there. */
  picked(point, event) {
    const keys = this.highlights.marksAt(point, event);
    if (!keys.length) {
      if (event) this.activate(null);
      else if (this.editable && this.map.wordAt(point)) this.selected(this.map.wordAt(point));
      return false;
    }
    // Clicking again goes on to the next of several marks that lie here.
    const key = keys[(keys.indexOf(this.highlights.active) + 1) % keys.length];
    if (this.purpose?.picks) this.purpose.take(this.spanOf(key));
    else if (event) this.activate(key);
    else this.cards.focus(key);
    this.cards.reveal(key);
    return true;
  }

  openForm(draft) {
    if (this.form.isOpen && !this.leaveForm()) return;
    this.setPurpose(null);
    this.selection.clear();
    this.pend(draft.spans);
    this.form.open(draft, ...this.#formPlace(draft.spans));
  }

  save(draft) {
    this.keep(draft);
    const card = this.cardOf(draft);
    this.activate(card);
    this.cards.focus(card);
    announce(draft.isNew ? this.words.added : this.words.changed);
  }

  /** Store what a form has. */
  keep({ key, ...after }) {
    const before = this.store.get(key) ?? null;
    this.pend([]);
    if (!this.store.same(before, after)) this.history.apply([{ key, before, after }]);
  }

  cancelled(draft, changed) {
    this.pend([]);
    const card = this.cardOf(draft);
    if (card) this.cards.focus(card);
    else this.selection.focusAt(draft.spans[0].start);
    if (changed) say("What you wrote was discarded.", { action: "Bring it back", act: () => this.openForm(draft) });
  }

  /** Another form is to open; false where this one has to stay. */
  leaveForm() {
    this.form.cancel();
    return true;
  }

  /** The next selection, or a mark that is picked, becomes the second place of a draft. */
  relate(draft, giveUp) {
    const [first] = draft.spans;
    const take = (span) => {
      if (samePlace(span, first)) announce("A relation needs two different places.");
      else this.openForm({ ...draft, spans: [first, span] });
    };
    this.setPurpose({ text: "Select the second place, or pick a mark.", spans: draft.spans, picks: true, take, giveUp });
    this.selection.focusAt(first.end);
  }

  /** Say in the page what the next selection will do (`take`), until it is done or given up (`giveUp`) with Esc. */
  setPurpose(purpose) {
    this.purpose = purpose;
    byId("purpose")?.remove();
    if (!purpose) return;
    say(purpose.text, { action: "Cancel", act: () => this.#giveUp(), lasting: true, id: "purpose" });
    this.pend(purpose.spans);
  }

  takeState(state) {
    this.editable = state.editable && this.intact;
    this.selection.enabled = this.editable;
    this.history.setEnabled(this.editable);
    document.body.classList.toggle("read-only", !state.editable);
    this.status.showState(state);
  }

  laidOut() {
    this.highlights.laidOut();
    this.cards.measure();
    if (this.form.isOpen) this.form.place(...this.#formPlace(this.form.draft.spans));
  }

  #giveUp() {
    const { giveUp } = this.purpose;
    this.setPurpose(null);
    this.pend([]);
    giveUp();
  }

  /** Spans that a form or a purpose is about. */
  pend(spans) {
    this.highlights.pending = spans;
    this.highlights.draw();
  }

  #formPlace(spans) {
    const lines = this.highlights.linesOf(spans.at(-1));
    return [lines.at(-1).bottom + 10, Math.min(...lines.map(({ left }) => left))];
  }

  #restoreForm() {
    const draft = this.form.left();
    const fits = draft?.spans?.every((span) => this.map.slice(span.start, span.end) === span.quote);
    if (!fits || !this.editable || !(draft.questions.trim() || draft.error_types.length)) return;
    this.openForm({ ...draft, isNew: !this.store.get(draft.key) });
  }

  #listen() {
    const { store } = this;
    store.addEventListener("change", () => this.show());
    store.addEventListener("state", ({ detail }) => {
      this.takeState(detail);
      this.show();
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.laidOut()).observe(this.map.element);
    document.fonts?.ready.then(() => this.laidOut());
    byId("show-keys").addEventListener("click", this.keys["?"]);
  }

  #key(event) {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const undo = { z: () => this.history[event.shiftKey ? "redo" : "undo"](), y: () => this.history.redo() };
    let act = null;
    if (key === "Escape" && this.purpose) act = () => this.#giveUp();
    else if (event.target.closest(TYPING)) return;
    else if (control) act = undo[key];
    else if (!event.altKey) act = this.keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #step(step) {
    const { order } = this.cards;
    const at = order.indexOf(this.highlights.active);
    const next = at === -1 ? (step > 0 ? 0 : order.length - 1) : at + step;
    if (order[next]) this.goTo(order[next]);
  }
}

/** What the page says of saving (`stopped`: of changes, by their keys, that can't be sent any more), and of conflicts. */
export class Status {
  /** @param {{page: object, store: object, words: object, show: (key: string) => void}} options `show`: a mark's card */
  constructor(options) {
    Object.assign(this, options);
    this.problems = { ...PROBLEMS, ...this.words.problems };
    this.#listen();
    this.#saved();
  }

  #listen() {
    const { store } = this;
    for (const name of ["status", "change"]) store.addEventListener(name, () => this.#saved());
    store.addEventListener("merged", () => say(this.words.merged));
    store.addEventListener("conflict", ({ detail }) => this.askAboutConflict(detail));
    store.addEventListener("closed", () => store.refresh());
    window.addEventListener("beforeunload", (event) => {
      if (store.pending.size && !store.kept) event.preventDefault(); // this page is the only place that has it
    });
  }

  askAboutConflict(conflict) {
    this.asked = (this.asked ?? Promise.resolve()).then(() => this.#choose(conflict));
  }

  /** Have the server end the whole or open it again. Returns why it did not, or "". */
  async post(action, data = {}) {
    const { status, body } = await ask(`${this.page.api}${action}/`, "POST", data);
    if (status !== 200) return body?.detail ?? (status === 0 ? "There is no connection." : "The server has a problem.");
    this.answer = body;
    this.store.takeState(body);
    this.store.channel.postMessage(action);
    return "";
  }

  #saved() {
    const { kind, at, kept, marks } = this.store.status();
    const clock = at?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    let text = kind === "saving" ? "Saving…" : [(at || marks) && "Saved", clock].filter(Boolean).join(" ");
    if (this.problems[kind]) text = `Not saved - ${this.problems[kind]}`;
    if (kept !== undefined) text += kept ? ", kept here" : ", leave this page open";
    const line = byId("saved-state");
    if (line.textContent !== text) line.textContent = text;
    line.dataset.state = kind;
    this.#tell(this.problems[kind] ? kind : null);
  }

  /** A lasting note while changes can't be sent, with the way out. */
  #tell(kind) {
    const text = kind && `Not saved - ${this.problems[kind]}.${this.#whatWaits(kind)}`;
    const shown = byId("problem");
    if (shown?.firstChild.textContent === text) return;
    shown?.remove();
    if (!kind) return;
    const ways = {
      asking: [this.words.choose, () => this.store.conflicts().forEach((each) => this.askAboutConflict(each))],
      refused: ["Look at it", () => this.show(this.store.marks().find(({ refused }) => refused)?.key)],
    };
    const [action, act] = kind === "closed" && this.stopped ? [] : (ways[kind] ?? ["Save now", () => this.store.retry()]);
    const note = say(text, { action, act, lasting: true, id: "problem", kind: "warning" });
    if (kind === "login" || kind === "gone") {
      const link = { href: this.page.login, target: "_blank", className: "button small", textContent: "Log in in a new tab" };
      note.querySelector("button").before(element("a", link), " ");
    }
    byId("notices").prepend(note);
    if (kind === "refused") this.store.refresh(); // a colleague or another window may be the reason
  }

  #whatWaits(kind) {
    if (kind === "closed" && this.stopped) return ` ${this.stopped([...this.store.pending.keys()])}`;
    return kind === "refused" ? "" : ` ${this.words.kept} is kept in this browser and sent as soon as possible.`;
  }

  async #choose({ key, mine, theirs }) {
    const words = this.words.conflict;
    const both = mine && theirs && words.both ? [["both", words.both]] : [];
    const choice = await choose({
      title: theirs ? words.changed : words.deleted,
      text: mine ? "Which one should stay?" : words.undone,
      versions: [this.version(words.mine, mine), this.version(words.theirs, theirs)],
      choices: [["theirs", words.keepTheirs], ...both, ["mine", words.keepMine]],
    });
    if (choice) this.store.decide(key, choice);
  }

  /** One of two contents that differ, as a card; `describe` is what it shows of a content that was not deleted. */
  version(title, mark) {
    const content = mark ? this.describe(mark) : [this.words.conflict.nothing];
    return element("div", { className: "card" }, element("h3", { textContent: title }), ...content);
  }

  describe(mark) {
    if (mark.outcome === "rejected") return [`Rejected: ${mark.reason}`];
    const types = mark.error_types.join(", ") || "No kind of error yet";
    return [
      ...mark.spans.map(({ quote }) => element("blockquote", { textContent: quote })),
      element("p", { textContent: mark.questions || "No question yet" }),
      element("p", { className: "muted", textContent: types }),
    ];
  }
}
