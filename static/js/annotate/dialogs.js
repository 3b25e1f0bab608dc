/** What the annotate page asks and says: saved state, submitting, conflicts, guidelines, keys, and the form of a mark. */

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
      ? `You made ${number}. You can reopen the summary until the study goes on.`
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
    if (await this.#post("submit", { nothing_found: nothing })) this.#ended();
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

/**
 * The small form at a selection: questions, error types, save. What is typed is kept in the browser until it is saved
 * or given up, so that a reload in mid-sentence loses nothing.
 */

export class MarkForm {
  /**
   * @param {HTMLFormElement} form
   * @param {{task: string, onSave: (draft) => void, onCancel: (draft, changed: boolean) => void,
   *   onRelate: (draft) => void, announce: (text: string) => void}} options
   */
  constructor(form, options) {
    Object.assign(this, { form, ...options });
    this.question = form.querySelector("textarea");
    this.chips = [...form.querySelectorAll(".chip")];
    this.definition = form.querySelector(".mark-definition");
    this.quotes = form.querySelector("[data-quotes]");
    this.relateButton = form.querySelector("[data-relate]");
    this.storageKey = `form:${options.task}`;
    this.draft = null;
    this.#listen();
  }

  get isOpen() {
    return this.draft !== null;
  }

  /** @param {{key: string, isNew: boolean, spans, questions: string, error_types: string[]}} draft */
  open(draft, top, left) {
    this.draft = draft;
    this.opened = JSON.stringify(draft);
    this.question.value = draft.questions;
    for (const chip of this.chips) {
      const chosen = draft.error_types.includes(chip.value);
      chip.setAttribute("aria-pressed", chosen);
      chip.hidden = "retired" in chip.dataset && !chosen;
    }
    this.#define(null);
    const quotes = draft.spans.map(({ quote }) => Object.assign(document.createElement("q"), { textContent: quote }));
    this.quotes.replaceChildren(...quotes);
    this.relateButton.hidden = draft.spans.length === 2;
    this.form.hidden = false;
    this.place(top, left);
    this.question.focus({ preventScroll: true });
    this.form.scrollIntoView({ block: "nearest" });
    this.#keep();
  }

  place(top, left) {
    const room = this.form.offsetParent.clientWidth - this.form.offsetWidth;
    this.form.style.top = `${top}px`;
    this.form.style.left = `${Math.max(0, Math.min(left, room))}px`;
  }

  close() {
    this.draft = null;
    this.form.hidden = true;
    this.#keep();
  }

  /** What was being written when the page went away, or null. */
  left() {
    try {
      return JSON.parse(localStorage.getItem(this.storageKey));
    } catch {
      return null;
    }
  }

  /** The draft as it is now. */
  current() {
    const chosen = this.chips.filter((chip) => chip.getAttribute("aria-pressed") === "true");
    return { ...this.draft, questions: this.question.value, error_types: chosen.map((chip) => chip.value) };
  }

  cancel() {
    if (!this.isOpen) return;
    const draft = this.current();
    const changed = JSON.stringify(draft) !== this.opened;
    this.close();
    this.onCancel(draft, changed);
  }

  #save() {
    if (!this.isOpen) return; // a second click on Save
    const draft = this.current();
    this.close();
    this.onSave(draft);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.form.addEventListener("input", () => this.#keep());
    this.form.querySelector("[data-cancel]").addEventListener("click", () => this.cancel());
    this.relateButton.addEventListener("click", () => {
      const draft = this.current();
      this.close();
      this.onRelate(draft);
    });
    for (const chip of this.chips) {
      chip.addEventListener("click", () => this.#toggle(chip));
      for (const shown of ["focus", "pointerenter"]) chip.addEventListener(shown, () => this.#define(chip));
    }
    this.form.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    event.stopPropagation(); // letters typed here are no shortcuts of the page
    if (event.isComposing) return;
    if (event.key === "Escape") this.cancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#save();
    else if (!this.#number(event) && !this.#arrow(event)) return;
    event.preventDefault();
  }

  /** Number keys tick types: alone on the chips, with Alt while writing the question. */
  #number(event) {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const writing = event.target === this.question;
    const chip = digit && this.chips.find((each) => each.dataset.digit === digit && !each.hidden);
    if (!chip || event.ctrlKey || event.metaKey || event.altKey !== writing) return false;
    this.#toggle(chip);
    this.#define(chip);
    return true;
  }

  #arrow(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const shown = this.chips.filter((chip) => !chip.hidden);
    const at = shown.indexOf(event.target);
    if (!step || at === -1) return false;
    shown[(at + step + shown.length) % shown.length].focus();
    return true;
  }

  #toggle(chip) {
    const chosen = chip.getAttribute("aria-pressed") !== "true";
    chip.setAttribute("aria-pressed", chosen);
    this.announce(`${chip.dataset.name} ${chosen ? "ticked" : "not ticked"}`);
    this.#keep();
  }

  #define(chip) {
    this.definition.textContent = chip ? chip.dataset.definition : this.definition.dataset.empty;
  }

  #keep() {
    try {
      if (this.isOpen) localStorage.setItem(this.storageKey, JSON.stringify(this.current()));
      else localStorage.removeItem(this.storageKey);
    } catch {
      // Without storage the text is still in the form.
    }
  }
}
