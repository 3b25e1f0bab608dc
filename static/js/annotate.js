/** The annotate page: joins text, marks, form and server. */

import { changesToDelete, changesToResize, showKeys, Submission, toggleDrawer } from "./annotate/dialogs.js";
import { Cards, Highlights } from "./annotate/marks.js";
import { MarkForm, TextSelection } from "./annotate/selection.js";
import { ActiveTime, History, randomKey, same, Store } from "./annotate/store.js";
import { TextMap } from "./offsets.js";
import { ask as askServer } from "./page.js";

const page = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);
const slugs = new Map(page.errorTypes.map(({ key, slug }) => [key, slug]));
const firstOf = (mark) => mark.spans.reduce((first, span) => (span.start < first.start ? span : first));

function inOrder(a, b) {
  const [first, second] = [firstOf(a), firstOf(b)];
  return first.start - second.start || first.end - second.end || (a.key < b.key ? -1 : 1);
}

class Workspace {
  constructor() {
    this.map = new TextMap(byId("text"));
    // If the browser holds another text than the server, every offset would be wrong.
    this.intact = this.map.length === Number(byId("text").dataset.characters);
    this.editable = page.workspace.editable && this.intact;
    /** What the next selection is for: null (a new mark), {kind: "relate", draft} or {kind: "resize", key, index}. */
    this.purpose = null;
    const { annotations } = page.workspace;
    this.store = new Store({ task: page.task, api: page.api, annotations, editable: this.editable });
    this.history = new History(this.store, byId("undo"), byId("redo"));
    this.highlights = new Highlights(this.map, byId("overlay"), (mark) => slugs.get(mark.error_types[0]) ?? "none");
    this.cards = new Cards(byId("cards"), {
      errorTypes: page.errorTypes,
      topOf: (key) => this.highlights.topOf(key),
      on: {
        activate: (key) => this.activate(key),
        hover: (key) => this.hover(key),
        edit: (key) => this.edit(key),
        resize: (key) => this.resize(key),
        relate: (key) => this.relate(this.store.get(key)),
        remove: (key) => this.remove(key),
        back: (key) => this.selection.focusAt(firstOf(this.store.get(key)).start),
      },
    });
    this.form = new MarkForm(byId("mark-form"), {
      task: page.task,
      announce,
      onSave: (draft) => this.save(draft),
      onCancel: (draft, changed) => this.cancelled(draft, changed),
      onRelate: (draft) => this.relate(draft),
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
    this.submission = new Submission({ page, store: this.store, showMark: (key) => this.edit(key) });
    this.#listen();
    this.#takeState(page.workspace);
    if (!this.intact) notice("The text did not arrive as it is stored. Reload the page to mark it.", { lasting: true });
    this.show();
    this.store.start().then(() => this.#restoreForm());
  }

  marks() {
    return this.store.marks().sort(inOrder);
  }

  show() {
    const marks = this.marks();
    if (!marks.some(({ key }) => key === this.highlights.active)) this.highlights.active = null;
    this.highlights.setMarks(marks);
    this.cards.show(marks, this.editable, this.highlights.active);
    byId("cards-empty").hidden = marks.length > 0;
    byId("submit").textContent = marks.length ? `Submit ${count(marks.length)}` : "Submit";
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

  /** A span was selected: for what depends on what the person is doing. */
  selected(span) {
    const { purpose } = this;
    if (this.form.isOpen && !this.#leaveForm()) return;
    if (purpose?.kind === "relate") this.#relateTo(span);
    else if (purpose?.kind === "resize") this.#resizeTo(span);
    else this.openForm({ key: randomKey(), isNew: true, spans: [span], questions: "", error_types: [] });
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
    if (this.purpose?.kind === "relate") this.#relateTo(firstOf(this.store.get(key)));
    else if (event) this.activate(key);
    else this.cards.focus(key);
    this.cards.items.get(key)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  edit(key) {
    const mark = this.store.get(key);
    if (!mark || !this.editable || (this.form.isOpen && !this.#leaveForm())) return;
    this.activate(key);
    const { questions, error_types, spans } = mark;
    this.openForm({ key, isNew: false, spans, questions, error_types });
  }

  openForm(draft) {
    this.setPurpose(null);
    this.selection.clear();
    this.highlights.pending = draft.spans;
    this.highlights.draw();
    this.form.open(draft, ...this.#formPlace(draft.spans));
  }

  save({ key, isNew, spans, questions, error_types }) {
    const before = this.store.get(key) ?? null;
    const mark = { questions, error_types, spans };
    if (!same(before, mark)) this.history.apply([{ key, before, after: mark }]);
    this.#afterForm();
    this.activate(key);
    this.cards.focus(key);
    announce(isNew ? "Mark added" : "Mark changed");
  }

  cancelled(draft, changed) {
    this.#afterForm();
    if (draft.isNew) this.selection.focusAt(draft.spans[0].start);
    else this.cards.focus(draft.key);
    if (changed) notice("What you wrote was discarded.", { action: "Bring it back", act: () => this.openForm(draft) });
  }

  relate(draft) {
    if (!this.editable || !draft) return;
    this.activate(draft.key);
    this.setPurpose({ kind: "relate", draft: { isNew: !this.store.get(draft.key), ...draft } });
    this.highlights.pending = draft.spans;
    this.highlights.draw();
    this.selection.focusAt(draft.spans[0].end);
  }

  resize(key) {
    if (!this.editable) return;
    this.activate(key);
    this.setPurpose({ kind: "resize", key });
    this.selection.focusAt(firstOf(this.store.get(key)).start);
  }

  /** Delete a mark; where a relation is concerned, ask what of it shall stay. Everything can be undone. */
  async remove(key) {
    const mark = this.store.get(key);
    if (!mark || !this.editable) return;
    const changes = await changesToDelete(this.store, mark);
    if (!changes) return;
    const position = this.cards.order.indexOf(key);
    this.history.apply(changes);
    const next = this.cards.order[Math.min(position, this.cards.order.length - 1)];
    if (next) this.cards.focus(next);
    else this.selection.focusAt(firstOf(mark).start);
    const gone = changes.filter(({ after }) => !after).length;
    const text = gone ? `${count(gone)} deleted.` : "The relation is now a mark on one place.";
    notice(text, { action: "Undo", act: () => this.history.undo() });
  }

  /** Say in the page what the next selection will do, until it is done or given up with Esc. */
  setPurpose(purpose) {
    this.purpose = purpose;
    const texts = { relate: "Select the second place, or pick a mark.", resize: "Select the new span of this mark." };
    byId("purpose")?.remove();
    if (!purpose) return;
    const note = notice(texts[purpose.kind], { action: "Cancel", act: () => this.#giveUpPurpose(), lasting: true });
    note.id = "purpose";
  }

  #giveUpPurpose() {
    const { purpose } = this;
    this.setPurpose(null);
    this.highlights.pending = [];
    this.highlights.draw();
    if (purpose?.draft?.isNew) this.openForm(purpose.draft);
    else if (purpose) this.cards.focus(purpose.key ?? purpose.draft.key);
  }

  #relateTo(span) {
    const { draft } = this.purpose;
    const [first] = draft.spans;
    if (span.start === first.start && span.end === first.end) {
      announce("A relation needs two different places.");
      return;
    }
    this.openForm({ ...draft, spans: [first, span] });
  }

  /** The mark gets a new span; ends of relations that lay on the old one go with it. */
  #resizeTo(span) {
    const mark = this.store.get(this.purpose.key);
    this.setPurpose(null);
    this.selection.clear();
    if (!mark) return;
    const changes = changesToResize(this.store, mark, span);
    if (!changes.length) notice("A relation needs two different places.");
    this.history.apply(changes);
    this.cards.focus(mark.key);
  }

  /** A form with work in it is saved before another one opens, if it can be; an untouched one just closes. */
  #leaveForm() {
    if (!byId("mark-form").reportValidity()) return false;
    const draft = this.form.current();
    this.form.close();
    this.#afterForm();
    const touched = draft.questions.trim() || draft.error_types.length;
    const before = this.store.get(draft.key) ?? null;
    const after = { questions: draft.questions, error_types: draft.error_types, spans: draft.spans };
    if (touched && !same(before, after)) this.history.apply([{ key: draft.key, before, after }]);
    return true;
  }

  #afterForm() {
    this.highlights.pending = [];
    this.highlights.draw();
  }

  #formPlace(spans) {
    const lines = this.highlights.linesOf(spans.at(-1));
    const last = lines.at(-1);
    return [last.bottom + 10, Math.min(...lines.map(({ left }) => left))];
  }

  #restoreForm() {
    const draft = this.form.left();
    const fits = draft?.spans.every((span) => this.map.slice(span.start, span.end) === span.quote);
    if (!fits || !this.editable || !(draft.questions.trim() || draft.error_types.length)) return;
    this.openForm({ ...draft, isNew: !this.store.get(draft.key) });
  }

  #takeState(workspace) {
    this.editable = workspace.editable && this.intact;
    this.selection.enabled = this.editable;
    this.history.setEnabled(this.editable);
    this.activeTime.setRunning(this.editable);
    this.submission.showState(workspace);
  }

  #listen() {
    const { store } = this;
    const seconds = page.workspace.active_seconds;
    this.activeTime = new ActiveTime({ url: `${page.api}active-time/`, seconds, ask: askServer });
    store.addEventListener("change", () => this.show());
    store.addEventListener("state", ({ detail }) => {
      this.#takeState(detail);
      this.show();
    });
    store.addEventListener("merged", () => notice("A mark was changed in another window too. Both changes were kept."));
    store.addEventListener("conflict", ({ detail }) => this.submission.askAboutConflict(detail));
    store.addEventListener("closed", () => store.refresh());
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("beforeunload", (event) => {
      if (store.pending.size && !store.kept) event.preventDefault(); // this page is the only place that has it
    });
    new ResizeObserver(() => this.#laidOut()).observe(this.map.element);
    document.fonts?.ready.then(() => this.#laidOut());
    byId("show-guidelines").addEventListener("click", () => toggleDrawer());
    byId("show-keys").addEventListener("click", () => showKeys());
  }

  #laidOut() {
    this.highlights.laidOut();
    this.cards.measure();
    if (this.form.isOpen) this.form.place(...this.#formPlace(this.form.draft.spans));
  }

  #key(event) {
    const typing = event.target.closest("input, textarea, select, dialog[open]");
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.key === "Escape" && this.purpose) this.#giveUpPurpose();
    else if (typing) return;
    else if (control && key === "z") this.history[event.shiftKey ? "redo" : "undo"]();
    else if (control && key === "y") this.history.redo();
    else if (control || event.altKey) return;
    else if (key === "g") toggleDrawer();
    else if (key === "Escape") toggleDrawer(false);
    else if (key === "?") showKeys();
    else if (key === "t") this.selection.focusText();
    else if (key === "n" || key === "p") this.#step(key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  #step(step) {
    const { order } = this.cards;
    const at = order.indexOf(this.highlights.active);
    const next = at === -1 ? (step > 0 ? 0 : order.length - 1) : at + step;
    if (order[next]) this.cards.focus(order[next]);
    this.cards.items.get(order[next])?.scrollIntoView({ block: "nearest" });
  }
}

function count(number) {
  return number === 1 ? "1 mark" : `${number} marks`;
}

function announce(text) {
  byId("announcer").textContent = text;
}

/** A note at the bottom of the page, with one thing to do or none; it goes after a while unless it is lasting. */
function notice(text, { action = "", act = null, lasting = false } = {}) {
  const note = document.createElement("div");
  note.className = "notice info";
  note.append(text);
  if (action) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button small", textContent: action });
    button.addEventListener("click", () => {
      note.remove();
      act();
    });
    note.append(" ", button);
  }
  byId("notices").append(note);
  if (!lasting) setTimeout(() => note.remove(), 12_000);
  return note;
}

new Workspace();
byId("submit").disabled = false;
byId("not-started").remove();
