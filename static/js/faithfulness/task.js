/**
 * What the pages of faithfulness tasks share: what they say of saving, submitting and taking back (`TaskStatus`), a
 * comment that is kept while it is written (`Comment`), and keys.
 */

import { showLength } from "../page.js";
import { element } from "../workspace/marks.js";
import { byId, say, Status } from "../workspace/workspace.js";

const COMMENT_PAUSE_MS = 600;
const TYPING = "input:not([type=radio], [type=range]), textarea, select, dialog[open], [data-menu]";

const TAKES_NONE = "this task takes no changes now";

export const one = (selector) => document.querySelector(selector);

/** The words of `Status`; `what` is "statement" or "summary", and `named` says which ones some keys stand for. */
export function wordsFor(what, named = () => "here") {
  return {
    problems: {
      login: "you are logged out",
      gone: "this task is closed or belongs to another login",
      closed: TAKES_NONE,
      asking: `one ${what} needs your decision`,
      refused: "the server did not accept a change",
    },
    kept: "What you did",
    stopped: (keys) =>
      `What was saved before is kept. What you did last ${named(keys)} was not saved: it stays in this browser, and is sent only if the researchers open this again and you come back to this page.`,
    choose: "Decide",
    conflict: {
      changed: `You answered otherwise about this ${what} in another window`,
      mine: "Here",
      theirs: "In the other window",
      keepMine: "The one here",
      keepTheirs: "The other one",
    },
    merged: `This ${what} was changed in another window too. Both changes were kept.`,
    overtaken: "That was changed in another window since, so it stays as it is.",
  };
}

export class TaskStatus extends Status {
  /** @param {{missing: () => string[], ask: (missing: string[]) => HTMLElement, submitted: (body) => void}} options */
  constructor(options) {
    super(options);
    byId("submit").addEventListener("click", () => this.submit());
    byId("reopen").addEventListener("click", () => this.reopen());
  }

  showState({ editable, reopenable, state }) {
    const over = !editable && state !== "submitted";
    this.problems.closed = over ? "the study has stopped taking answers" : TAKES_NONE;
    this.stopped = over ? this.words.stopped : null;
    byId("submit").hidden = !editable;
    byId("submit").disabled = !editable;
    byId("submitted").hidden = state !== "submitted";
    byId("reopen").hidden = !reopenable;
    byId("closed").hidden = !over;
    document.body.classList.toggle("read-only", !editable);
  }

  /** Submit, or say what is missing. */
  async submit() {
    if (this.submitting || !this.store.editable) return;
    this.submitting = true;
    try {
      await this.#submit();
    } finally {
      this.submitting = false;
    }
  }

  async #submit() {
    this.before?.();
    this.lacking?.remove();
    const missing = this.missing();
    if (missing.length) return void (this.lacking = this.ask(missing));
    if (!(await this.store.flush())) {
      if (!this.store.editable) return; // that it takes no answers any more stands there already
      return void say("Not everything is saved yet, so nothing was submitted. It is kept here; try again soon.");
    }
    await this.sendTime();
    const reason = await this.post("submit");
    if (!reason) return void this.submitted(this.answer);
    say(`${reason} Nothing was submitted.`, { kind: "warning" });
    this.store.refresh(); // the study may have stopped taking answers
  }

  async reopen() {
    const reason = await this.post("reopen");
    if (reason) say(`${reason} Nothing was changed.`, { kind: "warning" });
    else this.reopened?.();
  }
}

/** A text field whose content is told (`onChange`) after a pause, and at once when it is left. */
export class Comment {
  constructor(field, onChange) {
    Object.assign(this, { field, onChange });
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.waits = true;
      this.timer = setTimeout(() => this.save(), COMMENT_PAUSE_MS);
    });
    field.addEventListener("blur", () => this.save());
    window.addEventListener("pagehide", () => this.save());
  }

  /** Show what is stored, unless something else is being written. */
  show(text) {
    if (this.waits || this.field.value === text) return;
    this.field.value = text;
    showLength(this.field);
  }

  save() {
    clearTimeout(this.timer);
    if (!this.waits) return;
    this.waits = false;
    this.onChange(this.field.value);
  }
}

const EVERYWHERE = { g: () => one("[data-guidelines]")?.click() };

/** Call what belongs to a key; letters that are written in a field are no keys. */
export function listenToKeys(own) {
  const keys = { ...EVERYWHERE, ...own };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || document.querySelector("dialog[open]")) return;
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = `${control ? "Ctrl+" : ""}${event.shiftKey && key.length > 1 ? "Shift+" : ""}${key}`;
    const typing = event.target.closest?.(TYPING);
    if (!keys[name] || (typing && name !== "Escape" && name !== "Ctrl+Enter")) return;
    if (keys[name](event) === false) return;
    event.preventDefault();
  });
}

/** The parts of a page of which a narrow screen shows one at a time. */
export function watchTabs(page) {
  const show = (name) => {
    page.dataset.shown = name;
    for (const tab of page.querySelectorAll("[data-tab]")) tab.setAttribute("aria-pressed", tab.dataset.tab === name);
  };
  for (const tab of page.querySelectorAll("[data-tab]")) tab.addEventListener("click", () => show(tab.dataset.tab));
  return show;
}

export function quote(text) {
  return element("blockquote", { textContent: text });
}
