/**
 * A reviewer's answers. Each is kept in the browser until the server has confirmed it, so that no connection, an
 * expired session or a reload lose nothing; it is sent as a whole, and sending it twice changes nothing.
 *
 * Events: "status" (see `status`), "locked" (the task was submitted, so it takes no more answers).
 */

import { ask } from "../page.js";

const RETRY_MS = 4000;
const LONGEST_COMMENT = 5000; // code points
const NOTHING = { agreement: "", reasons: [], comment: "" };

/** What an answer lacks before it can be stored, as a sentence; "" if nothing. */
export function lacking({ agreement, reasons, comment }) {
  if ([...comment].length > LONGEST_COMMENT) return "Shorten the comment.";
  if (!agreement) return "Answer with 1, 2 or 3 first.";
  if (agreement !== "partial") return "";
  if (!reasons.length) return "Choose what is wrong with the question.";
  if (reasons.includes("other") && !comment.trim()) return "Say in the comment what else is wrong.";
  return "";
}

export class Answers extends EventTarget {
  constructor({ task, api, items }) {
    super();
    this.api = api;
    this.storageKey = `review:${task}`;
    this.answers = new Map(items.map(({ key, decision }) => [key, decision ?? NOTHING]));
    this.unsent = new Map(this.#kept().filter(([key]) => this.answers.has(key)));
    for (const [key, answer] of this.unsent) this.answers.set(key, answer);
    this.changes = [];
    this.problem = null;
    this.savedAt = null;
    window.addEventListener("online", () => this.send());
  }

  get total() {
    return this.answers.size;
  }

  get done() {
    return [...this.answers.values()].filter((answer) => !lacking(answer)).length;
  }

  of(key) {
    return this.answers.get(key);
  }

  missing(key) {
    return lacking(this.of(key));
  }

  /** Index of the first mark without an answer, -1 if there is none. */
  firstOpen() {
    return [...this.answers.values()].findIndex((answer) => lacking(answer) !== "");
  }

  change(key, fields) {
    const before = this.of(key);
    if (fields.agreement && fields.agreement !== before.agreement) this.changes.push({ key, before });
    const { withdrawn, ...answer } = { ...before, ...fields };
    this.#put(key, answer);
  }

  /** Take the last answer back, so that its mark has the one from before or none. Returns the mark's key, or "". */
  undo() {
    const { key, before } = this.changes.pop() ?? { key: "" };
    if (key) this.#put(key, lacking(before) ? { ...before, withdrawn: true } : before);
    return key;
  }

  get canUndo() {
    return this.changes.length > 0;
  }

  /** Send what is complete and not confirmed, one after the other. */
  send() {
    clearTimeout(this.timer);
    this.sending ??= this.#sendAll().finally(() => {
      this.sending = null;
      this.#tell();
    });
    this.#tell();
    return this.sending;
  }

  /** Lock the answers. Returns why that could not be done, "" if it was, or null if a last page has to be filled in. */
  async submit() {
    while (this.sending) await this.sending;
    await this.send();
    if (this.#sendable()) return "Some answers are not stored yet, so nothing was submitted. They are kept here.";
    const { status, body } = await ask(`${this.api}submit/`, "POST", {});
    if (status === 204) {
      this.unsent.clear();
      this.#keep();
      return "";
    }
    if (body?.code === "guesses") return null;
    if (status === 401) return "You are logged out. Log in in another tab, then submit again.";
    return body?.detail ?? "The server could not be reached, so nothing was submitted. Try again.";
  }

  /** {kind: "saved" | "saving" | "offline" | "login" | "gone" | "refused" | "server", at, text} */
  status() {
    if (this.problem && this.#sendable()) return this.problem;
    if (this.#sendable()) return { kind: "saving" };
    return { kind: "saved", at: this.savedAt };
  }

  #put(key, answer) {
    this.answers.set(key, answer);
    this.unsent.set(key, answer);
    this.#keep();
    this.send();
  }

  #sendable() {
    return [...this.unsent].find(([, answer]) => answer.withdrawn || !lacking(answer));
  }

  async #sendAll() {
    for (let next = this.#sendable(); next; next = this.#sendable()) {
      const [key, answer] = next;
      const address = `${this.api}marks/${key}/`;
      const { status, body } = await (answer.withdrawn ? ask(address, "DELETE") : ask(address, "PUT", answer));
      if (status !== 200 && status !== 204) return this.#failed(status, body);
      if (this.unsent.get(key) === answer) this.unsent.delete(key);
      this.problem = null;
      this.savedAt = new Date();
      this.#keep();
    }
    return undefined;
  }

  #failed(status, body) {
    if (status === 409) {
      this.unsent.clear();
      this.#keep();
      this.dispatchEvent(new Event("locked"));
      return;
    }
    const kind = { 0: "offline", 400: "refused", 401: "login", 403: "login", 404: "gone" }[status] ?? "server";
    this.problem = { kind, text: body?.detail };
    this.timer = setTimeout(() => this.send(), RETRY_MS);
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(this.storageKey) ?? "[]");
    } catch {
      return [];
    }
  }

  #keep() {
    try {
      if (this.unsent.size) localStorage.setItem(this.storageKey, JSON.stringify([...this.unsent]));
      else localStorage.removeItem(this.storageKey);
    } catch {
      // No room, or storage is off: the status line says what is not saved.
    }
  }

  #tell() {
    this.dispatchEvent(new Event("status"));
  }
}
