/**
 * The answers of a comparison as the server has them, and changes that it has not confirmed yet.
 *
 * Every change is kept in the browser before it is sent, and forgotten only when the server has stored it, so that no
 * connection, an expired session or a reload lose nothing. A change states the version it was based on. If the answer
 * changed meanwhile in another window, the two are merged: comments that differ are both kept, and only an answer that
 * both sides changed is asked about.
 *
 * Events: "change" (detail: the slot, none for all), "status", "state" (the task was submitted or reopened).
 */

import { ask } from "../page.js";

const LONGEST_WAIT_S = 30;
const NOTHING = { answer: "", comment: "", version: 0 };

const same = (one, other) => one.answer === other.answer && one.comment === other.comment;
const plain = ({ answer, comment }) => ({ answer, comment });

/** Three-way merge of one text. */
function mergedComment(base, mine, theirs) {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base || theirs.includes(mine)) return theirs;
  return mine.includes(theirs) ? mine : `${theirs}\n${mine}`;
}

export class Answers extends EventTarget {
  constructor({ task, api, sheet, slots }) {
    super();
    this.api = api;
    this.slots = slots;
    this.prefix = `comparison:${task}:`;
    this.problem = null;
    this.savedAt = null;
    this.kept = true;
    /** @type {Map<string, {content, base: object, sent: object[], theirs?: object, refused?: string}>} */
    this.pending = new Map();
    this.#take(sheet);
    this.#adopt();
    this.channel = new BroadcastChannel(`comparison:${task}`);
    this.channel.onmessage = () => this.refresh();
    window.addEventListener("online", () => this.send());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.pending.size) this.send();
      else this.refresh();
    });
  }

  get editable() {
    return this.state === "open";
  }

  of(slot) {
    return this.pending.get(slot)?.content ?? plain(this.#stored(slot));
  }

  /** What another window answered, where this one answered otherwise. */
  conflict(slot) {
    return this.pending.get(slot)?.theirs;
  }

  missing() {
    return this.slots.filter(({ slot, required }) => required && !this.of(slot).answer).map(({ slot }) => slot);
  }

  /** The first question after this one that has no answer, required or not. */
  after(slot) {
    const at = this.slots.findIndex((each) => each.slot === slot);
    return this.slots.slice(at + 1).find((each) => !this.of(each.slot).answer)?.slot;
  }

  get done() {
    return this.slots.filter(({ slot }) => this.of(slot).answer).length;
  }

  change(slot, fields) {
    const content = { ...this.of(slot), ...fields };
    const entry = this.pending.get(slot) ?? { base: this.#stored(slot), sent: [] };
    Object.assign(entry, { content });
    delete entry.refused;
    if (entry.theirs && "answer" in fields) delete entry.theirs; // answered anew: that settles it
    this.pending.set(slot, entry);
    if (!entry.sent.length && same(content, entry.base)) this.pending.delete(slot);
    this.#keep(slot);
    this.#emit("change", slot);
    this.send();
  }

  /** Send now whatever waits, one after the other. */
  send() {
    clearTimeout(this.timer);
    this.sending ??= this.#sendAll().finally(() => {
      this.sending = null;
      this.#emit("status");
    });
    this.#emit("status");
    return this.sending;
  }

  /** Returns {missing: slots} or {problem: sentence}; {} when the task is submitted. */
  async submit() {
    while (this.sending) await this.sending;
    await this.send();
    if (this.pending.size) return { problem: "Some answers are not stored yet, so nothing was submitted. They are kept here." };
    return this.#act("submit/", "submitted");
  }

  async reopen() {
    return this.#act("reopen/", "changed");
  }

  /** Fetch the state of the task; another window or device may have changed it. */
  async refresh() {
    const before = this.savedAt;
    const { status, body } = await ask(this.api);
    if (status === 200 && before === this.savedAt) this.#takeState(body);
    else if (status !== 200) this.#note(status);
  }

  /** {kind: "saved" | "saving" | "offline" | "login" | "gone" | "refused" | "asking" | "closed" | "server", at, text} */
  status() {
    const entries = [...this.pending.values()];
    const refused = entries.find((entry) => entry.refused);
    if (!entries.length && this.problem !== "gone") return { kind: "saved", at: this.savedAt };
    if (!this.kept) return { kind: "unkept" };
    if (entries.length && !this.editable) return { kind: "closed" };
    if (this.problem) return { kind: this.problem };
    if (entries.some((entry) => entry.theirs)) return { kind: "asking" };
    if (refused) return { kind: "refused", text: refused.refused };
    return { kind: "saving" };
  }

  #stored(slot) {
    return this.server.get(slot) ?? NOTHING;
  }

  async #act(path, done) {
    const { status, body } = await ask(`${this.api}${path}`, "POST", {});
    if (status === 200) {
      this.#takeState(body);
      this.channel.postMessage(done);
      return {};
    }
    if (status === 400 && body?.missing) return { missing: body.missing };
    if (status === 401) return { problem: "You are logged out. Log in in another tab, then try again." };
    return { problem: body?.detail ?? "The server could not be reached, so nothing was changed. Try again." };
  }

  #takeState(sheet) {
    this.problem = null;
    this.#take(sheet);
    this.#emit("state");
    this.#emit("change");
    this.#emit("status");
    if (this.editable && this.pending.size) this.send();
  }

  #take({ state, answers }) {
    this.state = state;
    this.server = new Map(answers.map((answer) => [answer.slot, answer]));
  }

  async #sendAll() {
    while (this.editable) {
      const next = [...this.pending].find(([, entry]) => !entry.theirs && !entry.refused);
      if (!next) return;
      if (!(await this.#send(...next))) {
        this.failures = (this.failures ?? 0) + 1;
        this.timer = setTimeout(() => this.send(), 1000 * Math.min(LONGEST_WAIT_S, 2 ** this.failures));
        return;
      }
      this.failures = 0;
    }
  }

  /** True if sending can go on with the next change. */
  async #send(slot, entry) {
    const { content } = entry;
    entry.sent = [...entry.sent.filter((each) => !same(each, content)), content];
    this.#keep(slot);
    const { status, body } = await ask(`${this.api}answers/${slot}/`, "PUT", { base_version: entry.base.version, ...content });
    if (status === 200) {
      this.server.set(slot, body);
      if (same(entry.content, content)) this.pending.delete(slot);
      else Object.assign(entry, { base: body, sent: [] });
      this.problem = null;
      this.savedAt = new Date();
      this.channel.postMessage("changed");
    } else if (status === 409 && body?.code === "conflict") this.#merge(slot, entry, body.current);
    else if (status === 400) entry.refused = body?.detail ?? "The server refused it.";
    else return this.#note(status);
    this.#keep(slot);
    this.#emit("change", slot);
    return true;
  }

  #merge(slot, entry, theirs) {
    this.server.set(slot, theirs);
    const wasOurs = entry.sent.some((each) => same(each, theirs)); // stored after all; only the answer did not arrive
    const { base, content } = entry;
    if (!wasOurs) {
      const comment = mergedComment(base.comment, content.comment, theirs.comment);
      const mineChanged = content.answer !== base.answer && content.answer !== theirs.answer;
      const bothChanged = mineChanged && theirs.answer !== base.answer;
      entry.content = { answer: mineChanged ? content.answer : theirs.answer, comment };
      if (bothChanged) entry.theirs = theirs;
    }
    Object.assign(entry, { base: theirs, sent: [] });
    if (same(entry.content, theirs)) this.pending.delete(slot);
  }

  /** Remember why the server did not take a change (or did not answer). */
  #note(status) {
    this.problem = { 0: "offline", 401: "login", 403: "login", 404: "gone" }[status] ?? "server";
    if (status === 409) {
      this.problem = null;
      this.refresh(); // submitted or closed in another window
    }
    this.#emit("status");
    return false;
  }

  #keep(slot) {
    const entry = this.pending.get(slot);
    try {
      if (entry) localStorage.setItem(this.prefix + slot, JSON.stringify(entry));
      else localStorage.removeItem(this.prefix + slot);
      this.kept = true;
    } catch {
      this.kept = false; // no room, or storage is off: the status says to leave the page open
    }
  }

  /** Take over what an earlier page could not send. */
  #adopt() {
    for (const { slot } of this.slots) {
      try {
        const entry = JSON.parse(localStorage.getItem(this.prefix + slot) ?? "null");
        if (entry) this.pending.set(slot, entry);
      } catch {
        return; // storage is off
      }
    }
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
