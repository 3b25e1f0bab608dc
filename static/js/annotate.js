/** The annotate page: a person's own marks in the span workspace (`workspace/workspace.js`). */

import { firstOf, nearest, samePlace } from "./offsets.js";
import { ask } from "./page.js";
import { badge, Cards, element, quotes } from "./workspace/marks.js";
import { ActiveTime } from "./workspace/store.js";
import { byId, choose, countMarks, say, Status, when, Workspace } from "./workspace/workspace.js";

const page = JSON.parse(byId("page-data").textContent);
const slugs = new Map(page.errorTypes.map(({ key, slug }) => [key, slug]));

const WORDS = {
  problems: {
    login: "you are logged out",
    gone: "this task is closed or belongs to another login",
    closed: "this task takes no changes now",
    asking: "a mark needs your decision",
    refused: "the server did not accept a mark",
  },
  kept: "What you marked",
  choose: "Decide",
  conflict: {
    changed: "This mark was changed in another window",
    deleted: "This mark was deleted in another window",
    undone: "You deleted it here. Which should hold?",
    mine: "Here",
    theirs: "In the other window",
    keepMine: "The one here",
    keepTheirs: "The other one",
    both: "Both, as two marks",
    nothing: "Deleted",
  },
  merged: "A mark was changed in another window too. Both changes were kept.",
  overtaken: "That mark was changed in another window since, so it stays as it is.",
  added: "Mark added",
  changed: "Mark changed",
};

function inOrder(a, b) {
  const [first, second] = [firstOf(a.spans), firstOf(b.spans)];
  return first.start - second.start || first.end - second.end || (a.key < b.key ? -1 : 1);
}

class MarkWorkspace extends Workspace {
  constructor() {
    const painting = { layers: 4, typeOf: (mark) => slugs.get(mark.error_types[0]) ?? "none" };
    super({ page, state: page.workspace, items: "annotations", words: WORDS, painting });
    const on = {
      edit: (key) => this.edit(key),
      resize: (key) => this.resize(key),
      relate: (key) => this.relateMark(key),
      remove: (key) => this.remove(key),
      back: (key) => this.selection.focusAt(this.spanOf(key).start),
    };
    this.cards = new MarkCards(byId("cards"), this.cardOptions(on));
    const { store } = this;
    const show = (key) => this.goTo(key);
    this.status = new Submission({ page, store, words: WORDS, show, edit: (key) => this.edit(key) });
    const seconds = page.workspace.active_seconds;
    this.activeTime = new ActiveTime({ url: `${page.api}active-time/`, seconds, ask });
    byId("show-guidelines").addEventListener("click", () => toggleDrawer());
    Object.assign(this.keys, { g: () => toggleDrawer(), Escape: () => toggleDrawer(false) });
  }

  show() {
    const marks = this.store.marks().sort(inOrder);
    this.draw(marks, marks);
    byId("cards-empty").hidden = marks.length > 0;
    byId("submit").textContent = marks.length ? `Submit ${countMarks(marks.length)}` : "Submit";
  }

  takeState(state) {
    super.takeState(state);
    this.activeTime.setRunning(this.editable);
  }

  spanOf(key) {
    return firstOf(this.store.get(key).spans);
  }

  cardOf({ key }) {
    return this.store.get(key) ? key : null;
  }

  edit(key) {
    if (!this.store.get(key) || !this.editable) return;
    if (this.form.isOpen && !this.leaveForm()) return;
    this.activate(key);
    this.openForm({ ...this.store.get(key), isNew: false });
  }

  /** A form with work in it is saved before another one opens, if it can be; an untouched one just closes. */
  leaveForm() {
    if (!byId("mark-form").reportValidity()) return false;
    const draft = this.form.current();
    this.form.close();
    this.pend([]);
    if (draft.questions.trim() || draft.error_types.length) this.keep(draft);
    return true;
  }

  relateMark(key) {
    const mark = this.store.get(key);
    if (!mark || !this.editable) return;
    this.activate(key);
    this.relate({ ...mark, isNew: false }, () => this.cards.focus(key));
  }

  /** The mark gets a new span; ends of relations that lay on the old one go with it. */
  resize(key) {
    const mark = this.store.get(key);
    if (!mark || !this.editable) return;
    this.activate(key);
    const take = (span) => {
      this.setPurpose(null);
      this.selection.clear();
      const now = this.store.get(key);
      if (!now) return;
      const changes = changesToResize(this.store, now, span);
      if (!changes.length) say("A relation needs two different places.");
      this.history.apply(changes);
      this.cards.focus(key);
    };
    this.setPurpose({ text: "Select the new span of this mark.", spans: [], take, giveUp: () => this.cards.focus(key) });
    this.selection.focusAt(this.spanOf(key).start);
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
    else this.selection.focusAt(firstOf(mark.spans).start);
    const gone = changes.filter(({ after }) => !after).length;
    const text = gone ? `${countMarks(gone)} deleted.` : "The relation is now a mark on one place.";
    say(text, { action: "Undo", act: () => this.history.undo() });
  }
}

const KEYS = {
  Enter: "edit",
  e: "edit",
  r: "relate",
  c: "resize",
  Delete: "remove",
  Backspace: "remove",
  Escape: "back",
};

class MarkCards extends Cards {
  noun = "Mark";
  shrinks = true;

  constructor(list, options) {
    super(list, options);
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  contentOf(mark) {
    return mark;
  }

  acted(action, key) {
    this.on[action](key);
  }

  fill(item, mark) {
    const types = mark.error_types.map((key) => this.types.get(key)).filter(Boolean);
    item.dataset.type = types[0]?.slug ?? "none";
    item.says = says(mark, types);
    const head = element("header", { className: "row" }, element("span", { className: "mark-number" }));
    head.append(...types.map(({ key }) => this.tag(key)));
    if (mark.spans.length === 2) head.append(badge("muted", "Relation"));
    if (mark.refused) head.append(badge("bad", "Not accepted"));
    else if (mark.unsaved) head.append(badge("warning", "Not saved yet"));
    const asked = mark.questions.trim();
    const question = { className: asked ? "mark-question" : "mark-missing", textContent: asked ? mark.questions : "No question yet" };
    const article = element("article", { tabIndex: 0 }, head, ...quotes(mark.spans), element("p", question));
    if (mark.refused) article.append(element("p", { className: "field-error", textContent: mark.refused }));
    if (!types.length) article.append(element("p", { className: "mark-missing", textContent: "No kind of error yet" }));
    if (this.editable) article.append(this.#actions(mark));
    return article;
  }

  #actions(mark) {
    const entries = [["edit", "Edit"], ["resize", "Change span"], ["remove", "Delete"]];
    if (mark.spans.length === 1) entries.splice(2, 0, ["relate", "Relate"]);
    const buttons = entries.map(([action, label]) => this.button(label, { action }, "button quiet small"));
    return element("div", { className: "mark-actions row" }, ...buttons);
  }

  #key(event) {
    const item = event.target.closest("li");
    if (!item || event.target.closest("button") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = item.dataset;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.focus(this.order[this.order.indexOf(key) + step] ?? key);
    else if (KEYS[event.key]) this.on[KEYS[event.key]](key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function says(mark, types) {
  const parts = [mark.spans.map(({ quote }) => `“${quote}”`).join(" and ")];
  parts.push(mark.questions.trim() || "no question yet");
  parts.push(types.map(({ name }) => name).join(", ") || "no kind of error yet");
  if (mark.unsaved) parts.push("not saved yet");
  return parts.join(". ");
}

/** The task's own end: submitted, or left out; and that it can be opened again. */
class Submission extends Status {
  constructor(options) {
    super(options);
    this.dialog = byId("submit-dialog");
    byId("submit").addEventListener("click", () => this.open());
    byId("reopen").addEventListener("click", () => this.reopen());
    this.dialog.querySelector("[data-submit]").addEventListener("click", () => this.submit());
    this.dialog.querySelector("[data-skip]").addEventListener("click", () => this.skip());
    this.dialog.querySelector("[data-nothing] input").addEventListener("change", () => this.#enable());
  }

  showState({ state, editable, reopenable, submitted_at }) {
    const ended = byId("task-state");
    const texts = {
      submitted: `You submitted this summary on ${when(submitted_at)}. Your marks can be changed again if you reopen it.`,
      skipped: "You left this summary out. Reopen it if you want to mark it after all.",
      draft: "This study takes no marks now.",
    };
    ended.hidden = editable;
    ended.querySelector("p").textContent = texts[state];
    byId("reopen").hidden = !reopenable;
    byId("submit").hidden = !editable;
  }

  async open() {
    const saved = await this.store.flush();
    if (saved) await this.store.refresh(); // another window may have added marks
    const marks = this.store.marks();
    const number = countMarks(marks.length);
    this.dialog.querySelector("[data-text]").textContent = marks.length
      ? `You made ${number}. ${this.page.feedback ? "Next you see what was expected." : "You can reopen the summary until the study goes on."}`
      : "You marked nothing.";
    this.dialog.querySelector("[data-nothing]").hidden = marks.length > 0;
    this.dialog.querySelector("[data-submit]").textContent = marks.length ? `Submit ${number}` : "Submit without marks";
    this.#listMissing(marks);
    this.#enable();
    this.#error(saved ? "" : "Not everything is saved yet, so it can’t be submitted now. Your marks are kept.");
    if (!this.dialog.open) this.dialog.showModal();
  }

  async submit() {
    if (!(await this.store.flush())) {
      this.#error("Not everything is saved yet, so it can’t be submitted now. Your marks are kept. Try again soon.");
      return;
    }
    const nothing = this.dialog.querySelector("[data-nothing] input").checked;
    if (!(await this.#post("submit", { nothing_found: nothing }))) return;
    if (this.page.feedback) location.assign(this.page.feedback);
    else this.#ended();
  }

  async skip() {
    if (await this.#post("skip", { reason: byId("skip-reason").value })) this.#ended();
  }

  async reopen() {
    const reason = await this.post("reopen");
    if (reason) say(`${reason} Nothing was changed.`);
  }

  #ended() {
    this.dialog.close();
    byId("task-state").focus();
    scrollTo({ top: 0 });
  }

  async #post(action, data) {
    const reason = await this.post(action, data);
    if (reason) this.#error(`${reason} Your marks are kept; nothing was changed.`);
    return !reason;
  }

  #listMissing(marks) {
    const lacking = marks.filter((mark) => !mark.questions.trim() || !mark.error_types.length);
    const rows = lacking.map((mark) => {
      const lacks = [];
      if (!mark.questions.trim()) lacks.push("a question");
      if (!mark.error_types.length) lacks.push("a kind of error");
      const textContent = `“${shorten(mark.spans[0].quote)}” needs ${lacks.join(" and ")}`;
      const button = element("button", { type: "button", className: "button small", textContent });
      button.addEventListener("click", () => {
        this.dialog.close();
        this.edit(mark.key);
      });
      return element("li", {}, button);
    });
    this.lacking = lacking.length;
    this.dialog.querySelector("[data-missing]").replaceChildren(...rows);
  }

  #enable() {
    const box = this.dialog.querySelector("[data-nothing]");
    const blocked = this.lacking > 0 || (!box.hidden && !box.firstElementChild.checked);
    this.dialog.querySelector("[data-submit]").disabled = blocked;
  }

  #error(text) {
    this.dialog.querySelector("[data-error]").textContent = text;
  }
}

/** Open or close the guidelines; the focus goes in and comes back. */
function toggleDrawer(open = byId("guidelines").hidden) {
  const drawer = byId("guidelines");
  if (open === !drawer.hidden) return;
  drawer.hidden = !open;
  byId("show-guidelines").setAttribute("aria-expanded", open);
  if (open) {
    toggleDrawer.from = document.activeElement;
    drawer.querySelector("[data-close]").onclick = () => toggleDrawer(false);
    drawer.focus();
  } else toggleDrawer.from?.focus();
}

function shorten(text) {
  return text.length > 60 ? `${Array.from(text).slice(0, 58).join("")}…` : text;
}

/*
 * What becomes of relations when a mark goes or moves. A relation is one mark with two spans; it belongs to another
 * mark if one of its spans is that mark's. Changes are {key, before, after}, as `History` takes them.
 */

/** What deleting a mark changes; where a relation is concerned, the person says what of it stays. Null: nothing. */
function changesToDelete(store, mark) {
  return mark.spans.length === 2 ? changesToDeleteRelation(mark) : changesToDeletePlace(store, mark);
}

/** What a new span for a mark changes: ends of relations that lay on the old one go with it. */
function changesToResize(store, mark, span) {
  const old = nearest(mark.spans, span);
  const moved = (each) => each.spans.map((one) => (samePlace(one, old) ? span : one));
  const marks = mark.spans.length === 1 ? [mark, ...relationsWith(store, mark)] : [mark];
  const changes = marks.map((each) => ({ key: each.key, before: each, after: { ...each, spans: moved(each) } }));
  return changes.filter(({ after: { spans } }) => spans.length === 1 || !samePlace(...spans));
}

async function changesToDeletePlace(store, mark) {
  const others = relationsWith(store, mark);
  const choice = others.length ? await askAboutRelations(others.length) : "one";
  if (choice !== "one" && choice !== "all") return null;
  const gone = choice === "all" ? [mark, ...others] : [mark];
  return gone.map((each) => ({ key: each.key, before: each, after: null }));
}

async function changesToDeleteRelation(mark) {
  const choice = await choose({
    title: "Delete this relation?",
    text: "One of its two places can stay as a mark of its own, with the question and the kinds of error.",
    choices: [["cancel", "Keep it"], ...mark.spans.map(keepOnly), ["all", "Delete it"]],
  });
  if (choice === "" || choice === "cancel") return null;
  const after = choice === "all" ? null : { ...mark, spans: [mark.spans[Number(choice)]] };
  return [{ key: mark.key, before: mark, after }];
}

function relationsWith(store, { key, spans: [place] }) {
  const touches = (span) => samePlace(span, place);
  return store.marks().filter((mark) => mark.key !== key && mark.spans.length === 2 && mark.spans.some(touches));
}

function askAboutRelations(number) {
  const relations = number === 1 ? "A relation begins or ends" : `${number} relations begin or end`;
  return choose({
    title: "Delete the relation too?",
    text: `${relations} at this mark. If you delete the mark only, its place stays part of the relation.`,
    choices: [
      ["cancel", "Keep everything"],
      ["one", "Delete the mark only"],
      ["all", "Delete the mark and its relations"],
    ],
  });
}

const keepOnly = ({ quote }, index) => [String(index), `Keep only “${shorten(quote)}”`];

new MarkWorkspace().start();
byId("submit").disabled = false;
