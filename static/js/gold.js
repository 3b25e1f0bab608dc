/**
 * The adjudication page: several people's marks on one text, and what the researchers decide about them.
 *
 * Decisions are kept, sent, merged and undone as an annotator's marks are (`annotate/store.js`), so that no connection,
 * an expired session, a reload or a colleague at the same summary lose nothing.
 */

import { showKeys } from "./annotate/dialogs.js";
import { Highlights } from "./annotate/marks.js";
import { MarkForm, TextSelection } from "./annotate/selection.js";
import { History, randomKey, same, Store } from "./annotate/store.js";
import { Places } from "./gold/cards.js";
import { arranged, combined, words } from "./gold/places.js";
import { Status } from "./gold/status.js";
import { TextMap } from "./offsets.js";

const page = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);
const announce = (text) => (byId("announcer").textContent = text);
/** How often decisions of colleagues are asked for. */
const LOOK_EVERY_MS = 15_000;

class GoldStore extends Store {
  constructor({ task, api, state }) {
    super({ task, api, annotations: state.decisions, editable: state.editable });
  }

  takeState(state) {
    super.takeState({ ...state, annotations: state.decisions });
  }
}

/** Undo and redo that leave alone what a colleague changed since. */
class CarefulHistory extends History {
  undo() {
    if (this.#stands(this.done, "after")) super.undo();
  }

  redo() {
    if (this.#stands(this.undone, "before")) super.redo();
  }

  #stands(steps, side) {
    const changed = steps.at(-1)?.some((change) => !same(this.store.get(change.key) ?? null, change[side]));
    if (!changed) return true;
    steps.pop();
    this.setEnabled(this.enabled);
    this.onRefused();
    return false;
  }
}

class Adjudication {
  constructor() {
    this.map = new TextMap(byId("text"));
    this.marks = new Map(page.marks.map((mark) => [mark.id, mark]));
    this.store = new GoldStore(page);
    this.history = new CarefulHistory(this.store, byId("undo"), byId("redo"));
    this.history.onRefused = () => {
      this.status.say("That decision was changed by a colleague or in another window since, so it stays as it is.");
    };
    this.highlights = new Highlights(this.map, byId("overlay"), ({ level }) => level);
    this.places = new Places(byId("cards"), {
      page,
      topOf: (key) => this.highlights.topOf(key),
      on: {
        activate: (key) => this.activate(key),
        hover: (key) => this.hover(key),
        accept: (key) => this.accept(key),
        revise: (key) => this.revise(key),
        reject: (key, reason) => this.reject(key, reason),
        edit: (decision) => this.edit(decision),
        back: (decision) => this.takeBack([decision]),
      },
    });
    this.form = new MarkForm(byId("mark-form"), {
      task: page.task,
      announce,
      onSave: (draft) => this.save(draft),
      onCancel: () => this.#afterForm(),
      onRelate: (draft) => this.#ask({ kind: "relate", draft }, "Select the second place."),
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
    this.status = new Status({ page, store: this.store, show: (key) => this.#goToDecision(key) });
    this.#listen();
    this.#takeState(page.state);
    this.show();
    this.store.start().then(() => this.#restoreForm());
  }

  show() {
    this.all = arranged(page, this.store.marks());
    const keys = new Set(this.all.map(({ key }) => key));
    if (!keys.has(this.highlights.active)) this.highlights.active = null;
    this.highlights.setMarks(this.all.flatMap(({ painted }) => painted));
    this.places.show(this.all, this.editable, this.highlights.active);
    this.#gutter();
    this.status.count(this.all);
  }

  place(key = this.highlights.active) {
    return this.all.find((place) => place.key === key);
  }

  activate(key) {
    if (this.highlights.active === key && this.places.active === key) return;
    this.highlights.active = key;
    this.highlights.draw();
    this.places.activate(key);
  }

  hover(key) {
    if (this.highlights.hovered === key) return;
    this.highlights.hovered = key;
    this.highlights.draw();
    this.places.hover(key);
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
    else this.places.askForReason(this.highlights.active, { decision, reason: decision.reason });
  }

  takeBack(keys) {
    const steps = keys.map((key) => ({ key, before: this.store.get(key), after: null })).filter(({ before }) => before);
    if (!steps.length || !this.editable) return;
    this.history.apply(steps);
    this.status.say("Taken back.", { action: "Undo", act: () => this.history.undo() });
  }

  selected(span) {
    if (!this.editable) return;
    const { purpose } = this;
    this.#ask(null);
    if (this.form.isOpen) this.form.cancel();
    if (purpose?.kind === "relate") this.openForm({ ...purpose.draft, spans: [purpose.draft.spans[0], span] });
    else if (purpose?.kind === "span") this.openForm({ ...purpose.draft, spans: [span] });
    else {
      const added = { outcome: "mark", questions: "", error_types: [], spans: [span], sources: [], reason: "" };
      this.openForm({ key: randomKey(), isNew: true, ...added });
    }
  }

  /** A place in the text was clicked, or Enter pressed there. Returns whether a mark lies there. */
  picked(point, event) {
    const [key] = this.highlights.marksAt(point, event);
    if (!key) {
      if (event) this.activate(null);
      return false;
    }
    if (event) this.activate(key);
    else this.places.focus(key);
    this.places.items.get(key)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  openForm(draft) {
    this.selection.clear();
    this.highlights.pending = draft.spans;
    this.highlights.draw();
    this.form.open(draft, ...this.#formPlace(draft.spans));
    byId("form-title").textContent = formTitle(draft, page);
  }

  save({ key, isNew, place, questions, error_types, spans, sources, reason, outcome }) {
    const after = { outcome, questions, error_types, spans, sources, reason };
    const before = this.store.get(key) ?? null;
    this.#afterForm();
    if (place) this.places.tickAll(place);
    if (!same(before, after)) this.history.apply([{ key, before, after }]);
    const at = this.all.find(({ decisions }) => decisions.some((each) => each.key === key))?.key ?? place;
    if (at) this.places.focus(at);
    announce(isNew ? "In the gold set" : "Changed");
  }

  #decide(place, content, said) {
    const rejecting = this.places.reasonFor;
    const before = rejecting?.decision ?? null;
    const key = before?.key ?? randomKey();
    this.places.askForReason(null);
    this.places.tickAll(place);
    this.history.apply([{ key, before, after: before ? { ...content, sources: before.sources } : content }]);
    announce(said);
    this.#goOn(place);
  }

  /** To the next place where something is undecided; the active one, while it still has something. */
  #goOn(key) {
    const at = this.all.findIndex((place) => place.key === key);
    const order = [...this.all.slice(at), ...this.all.slice(0, at)];
    const next = order.find(({ undecided }) => undecided.length) ?? this.all[at];
    if (!next) return;
    this.places.focus(next.key);
    this.#reveal(next.key);
  }

  #ticked(key) {
    if (!this.editable) return [];
    const reason = this.places.reasonFor;
    if (reason?.decision) return reason.decision.sources.map((id) => this.marks.get(id) ?? { id });
    const ticked = this.places.ticked(key).map((id) => this.marks.get(id));
    if (!ticked.length && this.place(key)) announce("Nothing is ticked here.");
    return ticked;
  }

  /** What the next selection is for: {kind: "relate" | "span", draft}, or null for a mark that nobody had made. */
  #ask(purpose, text = "") {
    this.purpose = purpose;
    byId("purpose")?.remove();
    if (!purpose) return;
    const giveUp = () => {
      this.#ask(null);
      this.openForm(purpose.draft);
    };
    this.status.say(text, { action: "Cancel", act: giveUp, lasting: true }).id = "purpose";
    this.highlights.pending = purpose.draft.spans;
    this.highlights.draw();
    this.selection.focusAt(purpose.draft.spans.at(-1).start);
  }

  #afterForm() {
    this.highlights.pending = [];
    this.highlights.draw();
  }

  #formPlace(spans) {
    const lines = this.highlights.linesOf(spans.at(-1));
    return [lines.at(-1).bottom + 10, Math.min(...lines.map(({ left }) => left))];
  }

  #restoreForm() {
    const draft = this.form.left();
    const fits = draft?.spans?.every((span) => this.map.slice(span.start, span.end) === span.quote);
    if (fits && this.editable) this.openForm({ ...draft, isNew: !this.store.get(draft.key) });
  }

  #goToDecision(key) {
    const place = this.all.find(({ decisions }) => decisions.some((each) => each.key === key));
    if (!place) return;
    this.places.focus(place.key);
    this.#reveal(place.key);
  }

  #takeState(state) {
    this.editable = state.editable && this.map.length === Number(byId("text").dataset.characters);
    this.selection.enabled = this.editable;
    this.history.setEnabled(this.editable);
    this.status.showState(state);
  }

  #gutter() {
    const rows = [];
    let bottom = 0;
    for (const place of this.all) {
      const label = document.createElement("span");
      label.append(Object.assign(document.createElement("b"), { textContent: place.number }), ` ${gutterWords(place.letters)}`);
      bottom = Math.max(this.highlights.topOf(place.key) + 4, bottom);
      label.style.top = `${bottom}px`;
      bottom += 17;
      rows.push(label);
    }
    byId("gutter").replaceChildren(...rows);
  }

  #laidOut() {
    this.highlights.laidOut();
    this.places.place();
    this.#gutter();
    if (this.form.isOpen) this.form.place(...this.#formPlace(this.form.draft.spans));
  }

  #listen() {
    const { store } = this;
    store.addEventListener("change", () => this.show());
    store.addEventListener("state", ({ detail }) => {
      this.#takeState(detail);
      this.show();
    });
    store.addEventListener("merged", () => this.status.say("A colleague changed this decision too. Both changes were kept."));
    store.addEventListener("conflict", ({ detail }) => this.status.askAboutConflict(detail));
    store.addEventListener("closed", () => store.refresh());
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("beforeunload", (event) => {
      if (store.pending.size && !store.kept) event.preventDefault();
    });
    setInterval(() => document.visibilityState === "visible" && !store.pending.size && store.refresh(), LOOK_EVERY_MS);
    new ResizeObserver(() => this.#laidOut()).observe(this.map.element);
    document.fonts?.ready.then(() => this.#laidOut());
    byId("show-keys").addEventListener("click", showKeys);
    byId("new-span").addEventListener("click", () => {
      const draft = this.form.current();
      this.form.close();
      this.#ask({ kind: "span", draft }, "Select the new place of this mark.");
    });
  }

  #key(event) {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "Escape" && this.purpose) return byId("purpose").querySelector("button").click();
    if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog[open], [data-menu]")) return;
    const place = this.highlights.active;
    const digit = /^[1-9]$/.test(key) ? Number(key) : 0;
    const plain = {
      n: () => this.#step(1),
      p: () => this.#step(-1),
      u: () => this.#goOn(place),
      a: () => this.accept(place),
      e: () => this.#reviseOrEdit(),
      r: () => this.places.askForReason(place),
      x: () => this.takeBack(this.place()?.decisions.map((each) => each.key) ?? []),
      t: () => this.selection.focusText(),
      "?": showKeys,
    };
    let act = null;
    if (control && key === "z") act = () => this.history[event.shiftKey ? "redo" : "undo"]();
    else if (control && key === "y") act = () => this.history.redo();
    else if (!control && !event.altKey) act = digit ? () => this.places.toggle(place, digit) : plain[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** What waits for a decision comes first; else the place's decision is opened. */
  #reviseOrEdit() {
    const place = this.place();
    if (place?.undecided.length) this.revise(place.key);
    else if (place?.decisions.length) this.edit(place.decisions[0].key);
  }

  #step(step) {
    const at = this.all.findIndex(({ key }) => key === this.highlights.active);
    const next = this.all[at === -1 ? (step > 0 ? 0 : this.all.length - 1) : at + step];
    if (!next) return;
    this.places.focus(next.key);
    this.#reveal(next.key);
  }

  #reveal(key) {
    this.places.items.get(key)?.scrollIntoView({ block: "nearest" });
  }
}

/** Who marked a place, as short as the margin is. */
function gutterWords(letters) {
  return letters.length > 4 ? `${letters.length} of ${page.lookers.length}` : letters.join("");
}

function formTitle({ isNew, sources }, { marks, lookers }) {
  if (!sources.length) return isNew ? "Add a mark that nobody made" : "A mark that was added";
  const from = marks.filter(({ id }) => sources.includes(id)).map(({ looker }) => lookers[looker].letter);
  const what = sources.length === 1 ? "the mark" : "one mark from those";
  return `${isNew ? "Accept" : "Change"} ${what} of ${words([...new Set(from)])}`;
}

new Adjudication();
byId("not-started").remove();
