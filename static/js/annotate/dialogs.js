/** What the annotate page asks and says: saved state, submitting, conflicts, ends of relations, guidelines, keys. */

import { ask } from "../page.js";

const byId = (id) => document.getElementById(id);

const KEPT = { true: "kept here", false: "leave this page open" };
const PROBLEMS = {
  offline: "Not saved - no connection",
  server: "Not saved - the server has a problem",
  login: "Not saved - you are logged out",
  asking: "Not saved - a mark needs your decision",
  gone: "Not saved - this task is closed or belongs to another login",
  closed: "Not saved - this task takes no changes now",
};

/** Ask with buttons; resolves to the value of the one pressed, or to "" when the dialog was closed with Esc. */
export function choose({ title, text, versions = [], choices }) {
  const dialog = byId("choice-dialog");
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("[data-text]").textContent = text;
  dialog.querySelector("[data-versions]").replaceChildren(...versions);
  const buttons = choices.map(([value, textContent]) => make("button", { className: "button", value, textContent }));
  dialog.querySelector("[data-choices]").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

export function showKeys() {
  byId("keys").showModal();
}

/** Open or close the guidelines; the focus goes in and comes back. */
export function toggleDrawer(open = byId("guidelines").hidden) {
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

export class Submission {
  constructor({ page, store, showMark }) {
    Object.assign(this, { page, store, showMark });
    this.dialog = byId("submit-dialog");
    byId("submit").addEventListener("click", () => this.open());
    byId("reopen").addEventListener("click", () => this.#post("reopen"));
    this.dialog.querySelector("[data-submit]").addEventListener("click", () => this.submit());
    this.dialog.querySelector("[data-skip]").addEventListener("click", () => this.skip());
    this.dialog.querySelector("[data-nothing] input").addEventListener("change", () => this.#enable());
    store.addEventListener("status", () => this.showStatus());
    store.addEventListener("change", () => this.showStatus());
    this.showStatus();
  }

  showStatus() {
    const { kind, at, kept, marks } = this.store.status();
    const state = byId("saved-state");
    const texts = {
      saved: [(at || marks) && "Saved", at && clock(at)].filter(Boolean).join(" "),
      saving: "Saving…",
      refused: "Not saved - the server did not accept a mark",
    };
    const text = texts[kind] ?? [PROBLEMS[kind], KEPT[kept]].filter(Boolean).join(", ");
    if (state.textContent !== text) state.textContent = text;
    state.dataset.state = kind;
    this.#banner(PROBLEMS[kind] ? kind : null);
  }

  showState({ state, editable, reopenable, submitted_at }) {
    const ended = byId("task-state");
    const when = new Date(submitted_at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    const texts = {
      submitted: `You submitted this summary on ${when}. Your marks can be changed again if you reopen it.`,
      skipped: "You left this summary out. Reopen it if you want to mark it after all.",
      draft: "This study takes no marks now.",
    };
    ended.hidden = editable;
    ended.querySelector("p").textContent = texts[state];
    byId("reopen").hidden = !reopenable;
    byId("submit").hidden = !editable;
    document.body.classList.toggle("read-only", !editable);
  }

  async open() {
    const saved = await this.store.flush();
    if (saved) await this.store.refresh(); // another window may have added marks
    const marks = this.store.marks();
    const number = marks.length === 1 ? "1 mark" : `${marks.length} marks`;
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

  #ended() {
    this.dialog.close();
    byId("task-state").focus();
    scrollTo({ top: 0 });
  }

  async askAboutConflict({ key, mine, theirs }) {
    this.asked = (this.asked ?? Promise.resolve()).then(() => this.#decide(key, mine, theirs));
  }

  async #decide(key, mine, theirs) {
    const both = mine && theirs ? [["both", "Both, as two marks"]] : [];
    const choice = await choose({
      title: theirs ? "This mark was changed in another window" : "This mark was deleted in another window",
      text: mine ? "Which one should stay?" : "You deleted it here. Which should hold?",
      versions: [version("Here", mine), version("In the other window", theirs)],
      choices: [["theirs", "The other one"], ...both, ["mine", "The one here"]],
    });
    if (choice) this.store.decide(key, choice);
  }

  async #post(action, data = {}) {
    const { status, body } = await ask(`${this.page.api}${action}/`, "POST", data);
    if (status === 200) {
      this.store.takeState(body);
      this.store.channel.postMessage(action);
      return true;
    }
    const reason = body?.detail ?? (status === 0 ? "There is no connection." : "The server has a problem.");
    this.#error(`${reason} Your marks are kept; nothing was changed.`);
    return false;
  }

  #listMissing(marks) {
    const lacking = marks.filter((mark) => !mark.questions.trim() || !mark.error_types.length);
    const rows = lacking.map((mark) => {
      const lacks = [];
      if (!mark.questions.trim()) lacks.push("a question");
      if (!mark.error_types.length) lacks.push("a kind of error");
      const row = make("li", {});
      row.append(
        button(`“${shorten(mark.spans[0].quote)}” needs ${lacks.join(" and ")}`, () => {
          this.dialog.close();
          this.showMark(mark.key);
        }),
      );
      return row;
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

  /** A lasting note while changes can't be sent, with the way out. */
  #banner(kind) {
    const shown = byId("problem");
    if (shown?.dataset.kind === kind) return;
    shown?.remove();
    if (!kind) return;
    const note = make("div", { id: "problem", className: "notice warning" });
    note.dataset.kind = kind;
    note.append(`${PROBLEMS[kind]}. What you marked is kept in this browser and sent as soon as possible. `);
    if (kind === "login" || kind === "gone") {
      const properties = { href: this.page.login, target: "_blank", className: "button small" };
      note.append(make("a", { ...properties, textContent: "Log in in a new tab" }), " ");
    }
    if (kind === "asking") note.append(button("Decide", () => this.#askAgain()));
    else note.append(button("Save now", () => this.store.retry()));
    byId("notices").prepend(note);
  }

  #askAgain() {
    for (const conflict of this.store.conflicts()) this.askAboutConflict(conflict);
  }
}

function clock(date) {
  return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

function make(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function button(textContent, act) {
  const made = make("button", { type: "button", className: "button small", textContent });
  made.addEventListener("click", act);
  return made;
}

function version(title, mark) {
  const box = make("div", { className: "card" });
  box.append(make("h3", { textContent: title }));
  if (!mark) {
    box.append("Deleted");
    return box;
  }
  box.append(...mark.spans.map(({ quote }) => make("blockquote", { textContent: quote })));
  box.append(make("p", { textContent: mark.questions || "No question yet" }));
  box.append(make("p", { className: "muted", textContent: mark.error_types.join(", ") || "No kind of error yet" }));
  return box;
}

export function shorten(text) {
  return text.length > 60 ? `${Array.from(text).slice(0, 58).join("")}…` : text;
}

/*
 * What becomes of relations when a mark goes or moves. A relation is one mark with two spans; it belongs to another
 * mark if one of its spans is that mark's. Changes are {key, before, after}, as `History` takes them.
 */

/** What deleting a mark changes; where a relation is concerned, the person says what of it stays. Null: nothing. */
export function changesToDelete(store, mark) {
  return mark.spans.length === 2 ? changesToDeleteRelation(mark) : changesToDeletePlace(store, mark);
}

/** What a new span for a mark changes: ends of relations that lay on the old one go with it. */
export function changesToResize(store, mark, span) {
  const old = nearest(mark.spans, span);
  const moved = (each) => each.spans.map((one) => (one.start === old.start && one.end === old.end ? span : one));
  const marks = mark.spans.length === 1 ? [mark, ...relationsWith(store, mark)] : [mark];
  const changes = marks.map((each) => ({ key: each.key, before: each, after: { ...each, spans: moved(each) } }));
  return changes.filter(({ after }) => allDifferent(after.spans));
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

function relationsWith(store, { key, spans: [{ start, end }] }) {
  const touches = (span) => span.start === start && span.end === end;
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

/** The span of a mark that a new selection replaces: the one it overlaps most, else the closer one. */
function nearest(spans, { start, end }) {
  const distance = (span) => Math.max(span.start, start) - Math.min(span.end, end);
  return spans.reduce((best, span) => (distance(span) < distance(best) ? span : best));
}

function allDifferent(spans) {
  return new Set(spans.map(({ start, end }) => `${start}-${end}`)).size === spans.length;
}
