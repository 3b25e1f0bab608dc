/**
 * Marks (or decisions about marks, judgements of units, ratings) as the server has them, and changes that it has not
 * confirmed yet (`Store`); undo and redo of these changes (`History`); the time that the person works on the task
 * (`ActiveTime`).
 *
 * Every change is kept in the browser before it is sent, one entry a mark, and forgotten only when the server has
 * answered that it stored it; so no connection, an expired session, a server error or a reload lose nothing. A change
 * states the version it was based on. If the mark changed meanwhile, the two are merged field by field; only what both
 * sides changed is asked about. What a mark is made of says its kind (`MARKS` in marks.js, `JUDGEMENTS`, `RATINGS`).
 *
 * Events: "change" (marks), "state" (detail: the task), "status", "conflict" (detail: {key, mine, theirs}), "merged",
 * "closed" (the task takes no changes).
 */

import { ask, randomKey } from "../page.js";

const LONGEST_WAIT_S = 30;

const byKey = (marks) => new Map(marks.map((mark) => [mark.key, mark]));

export class Store extends EventTarget {
  /**
   * @param {{task: string, api: string, state: object, items: string, kind: {name, plain, merge, fixed?}}} options
   *   `items`: where a state has the marks. Of a kind: `plain` is the content in one order, without what the store
   *   adds; `merge(base, mine, theirs)` is null where it has to be asked; `fixed` are those that the server names
   */
  constructor({ task, api, state, items, kind }) {
    super();
    Object.assign(this, { api, items, kind });
    this.prefix = `${kind.name}:${task}:`;
    this.server = byKey(state[items]);
    /** @type {Map<string, {content, base: number, baseContent, sent: object[], asking?: boolean, refused?: string}>} */
    this.pending = new Map();
    this.problem = null;
    this.savedAt = null;
    /** How many changes were stored, to tell an outdated answer from a new one. */
    this.stores = 0;
    this.kept = true;
    this.storageKey = this.prefix + crypto.getRandomValues(new Uint32Array(2)).join("");
    this.channel = new BroadcastChannel(`${kind.name}:${task}`);
    this.channel.onmessage = () => this.refresh();
    /** Whether the task takes changes; while not, what is unsent waits. */
    this.editable = state.editable;
  }

  /** Take over what earlier pages could not send, then send it. */
  async start() {
    await this.#adopt();
    // The lock tells other tabs that this page still looks after its own changes.
    navigator.locks?.request(this.storageKey, () => new Promise(() => {}));
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.pending.size) this.retry();
      else this.refresh();
    });
    if (this.pending.size) this.#emit("change");
    this.retry();
  }

  marks() {
    const marks = new Map(this.server);
    for (const [key, { content, refused }] of this.pending) {
      if (content) marks.set(key, { key, ...content, unsaved: true, refused });
      else marks.delete(key);
    }
    return [...marks.values()];
  }

  /** Whether two contents are equal; null stands for "deleted". */
  same(one, other) {
    return JSON.stringify(one && this.kind.plain(one)) === JSON.stringify(other && this.kind.plain(other));
  }

  get(key) {
    return this.marks().find((mark) => mark.key === key);
  }

  /** Change a mark; null deletes it. */
  set(key, content) {
    const stored = this.server.get(key);
    const fresh = { base: stored?.version ?? 0, baseContent: stored ? this.kind.plain(stored) : null, sent: [] };
    const entry = this.pending.get(key) ?? fresh;
    entry.content = content && this.kind.plain(content);
    delete entry.refused;
    this.pending.set(key, entry);
    if (!entry.sent.length && this.same(entry.content, entry.baseContent)) this.pending.delete(key);
    this.#keep();
    this.#emit("change");
    this.retry();
  }

  /** Answer to a "conflict": keep "mine", "theirs" or "both". */
  decide(key, choice) {
    const entry = this.pending.get(key);
    if (!entry?.asking) return;
    const mine = entry.content;
    if (choice === "mine") Object.assign(entry, { asking: false, sent: [] });
    else this.pending.delete(key);
    this.#keep();
    if (choice === "both") this.set(randomKey(), mine);
    this.#emit("change");
    this.retry();
  }

  /** Changes that wait for a decision: {key, mine, theirs}. */
  conflicts() {
    const asking = [...this.pending].filter(([, entry]) => entry.asking);
    return asking.map(([key, entry]) => ({ key, mine: entry.content, theirs: entry.baseContent }));
  }

  /** Send now whatever waits. */
  retry() {
    clearTimeout(this.timer);
    this.#emit("status");
    this.sending ??= this.#sendAll().finally(() => {
      this.sending = null;
      this.#emit("status");
    });
    return this.sending;
  }

  /** True when the server has confirmed everything. */
  async flush() {
    await this.retry();
    return this.pending.size === 0;
  }

  /** Fetch the task's state; others (a second tab or device) may have changed it. */
  async refresh() {
    const before = this.stores;
    const { status, body } = await ask(this.api);
    if (before !== this.stores) return this.refresh(); // older than what was stored meanwhile
    if (status !== 200) return this.#note(status) || null;
    this.problem = null;
    this.takeState(body);
    return body;
  }

  takeState(state) {
    const before = JSON.stringify([...this.server.values()]);
    this.server = byKey(state[this.items]);
    this.editable = state.editable;
    this.#emit("state", state);
    this.#emit("status");
    if (this.editable && this.pending.size && !this.sending) this.retry();
    if (JSON.stringify([...this.server.values()]) !== before) this.#emit("change");
  }

  /** What to say about the state of saving: {kind, at}. */
  status() {
    const entries = [...this.pending.values()];
    if (entries.some((entry) => entry.asking)) return { kind: "asking" };
    if (!this.editable && entries.length) return { kind: "closed", kept: this.kept };
    if (this.problem && entries.length) return { kind: this.problem, kept: this.kept };
    if (entries.some((entry) => entry.refused)) return { kind: "refused" };
    if (entries.length) return { kind: "saving" };
    return { kind: "saved", at: this.savedAt, marks: this.server.size };
  }

  async #sendAll() {
    while (this.editable) {
      if (!this.pending.size && this.waits) await this.#adopt();
      const next = [...this.pending].find(([, entry]) => !entry.asking && !entry.refused);
      if (!next) return;
      if (!(await this.#send(...next))) {
        this.failures = (this.failures ?? 0) + 1;
        this.timer = setTimeout(() => this.retry(), 1000 * Math.min(LONGEST_WAIT_S, 2 ** this.failures));
        return;
      }
      this.failures = 0;
    }
  }

  /** True if sending can go on with the next change. */
  async #send(key, entry) {
    const { content } = entry;
    entry.sent = [...entry.sent.filter((each) => !this.same(each, content)), content];
    this.#keep();
    const url = `${this.api}${key}/`;
    const { status, body } = content
      ? await ask(url, "PUT", { base_version: entry.base, ...content })
      : await ask(`${url}?base_version=${entry.base}`, "DELETE");
    if (status === 200 || status === 201 || status === 204) return this.#stored(key, entry, content, body);
    if (status === 409 && body?.code === "conflict") return this.#conflict(key, entry, body.current);
    if (status === 400) {
      entry.refused = body?.detail ?? "The server refused it.";
      this.#emit("change");
      return true;
    }
    return this.#note(status);
  }

  #stored(key, entry, content, mark) {
    if (content) this.server.set(key, mark);
    else this.server.delete(key);
    if (this.same(entry.content, content)) this.pending.delete(key);
    else Object.assign(entry, { base: mark?.version ?? 0, baseContent: content, sent: [] });
    this.problem = null;
    this.stores += 1;
    this.savedAt = new Date();
    this.#keep();
    this.#emit("change");
    this.channel.postMessage("changed");
    return true;
  }

  #conflict(key, entry, current) {
    const theirs = current && this.kind.plain(current);
    if (current) this.server.set(key, current);
    else this.server.delete(key);
    const rebase = { base: current?.version ?? 0, baseContent: theirs };
    // What we sent earlier without hearing the answer was stored after all.
    const wasOurs = entry.sent.some((each) => this.same(each, theirs));
    const merged = entry.content && theirs && this.kind.merge(entry.baseContent, entry.content, theirs);
    if (this.same(entry.content, theirs)) this.pending.delete(key);
    else if (wasOurs) Object.assign(entry, rebase, { sent: [] });
    else if (merged) {
      Object.assign(entry, rebase, { content: merged, sent: [] });
      this.#emit("merged", { key });
    } else {
      Object.assign(entry, rebase, { asking: true });
      this.#emit("conflict", { key, mine: entry.content, theirs });
    }
    this.#keep();
    this.#emit("change");
    return true;
  }

  /** Remember why the server did not take a change (or did not answer). */
  #note(status) {
    if (status !== 409) this.problem = { 0: "offline", 401: "login", 403: "login", 404: "gone" }[status] ?? "server";
    else this.editable = false;
    this.#emit(status === 409 ? "closed" : "status");
    return false;
  }

  #keep() {
    try {
      if (this.pending.size) localStorage.setItem(this.storageKey, JSON.stringify([...this.pending]));
      else localStorage.removeItem(this.storageKey);
      this.kept = true;
    } catch {
      this.kept = false; // no room, or storage is off: the status says to leave the page open
    }
  }

  async #adopt() {
    const held = new Set(((await navigator.locks?.query())?.held ?? []).map((lock) => lock.name));
    const left = storedEntries(this.prefix).filter(([key]) => key !== this.storageKey && !held.has(key));
    const later = left.map(([key, text]) => [key, JSON.parse(text).filter(([mark, entry]) => !this.#take(mark, entry))]);
    this.#keep();
    this.waits = later.some(([, entries]) => entries.length); // until what was taken is stored
    for (const [key, entries] of this.kept ? later : []) {
      if (entries.length) localStorage.setItem(key, JSON.stringify(entries));
      else localStorage.removeItem(key);
    }
  }

  /** Take over a left-over change. Of two to one mark the second becomes a mark of its own, or has to wait (false). */
  #take(mark, entry) {
    const free = !this.pending.has(mark) || this.same(this.pending.get(mark).content, entry.content);
    const orphan = { ...entry, asking: false };
    if (free) this.pending.set(mark, orphan);
    else if (this.kind.fixed) return false;
    else if (entry.content) this.pending.set(randomKey(), { ...orphan, base: 0, baseContent: null, sent: [] });
    return true;
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function storedEntries(prefix) {
  try {
    return Object.entries(localStorage).filter(([key]) => key.startsWith(prefix));
  } catch {
    return []; // storage is off
  }
}

/**
 * Undo and redo: each step is a list of changes {key, before, after}; null stands for "no mark". What was changed
 * elsewhere since stays as it is: that step is dropped, and `onOvertaken` says so. `onStep` is told of each.
 */
export class History {
  constructor(store, { undoButton, redoButton, onOvertaken, onStep }) {
    Object.assign(this, { store, undoButton, redoButton, onOvertaken, onStep, done: [], undone: [], enabled: true });
    undoButton.addEventListener("click", () => this.undo());
    redoButton.addEventListener("click", () => this.redo());
  }

  setEnabled(enabled) {
    this.enabled = enabled;
    this.#show();
  }

  apply(step) {
    if (!step.length) return;
    for (const { key, after } of step) this.store.set(key, after);
    this.done.push(step);
    this.undone = [];
    this.#show();
  }

  undo() {
    this.#go(this.done, this.undone, "after", "before");
  }

  redo() {
    this.#go(this.undone, this.done, "before", "after");
  }

  #go(from, to, now, then) {
    const step = this.enabled && from.pop();
    if (!step) return;
    const overtaken = step.some((change) => !this.store.same(this.store.get(change.key) ?? null, change[now]));
    if (overtaken) this.onOvertaken();
    else {
      for (const change of step) this.store.set(change.key, change[then]);
      to.push(step);
      this.onStep?.(step);
    }
    this.#show();
  }

  #show() {
    this.undoButton.disabled = !this.enabled || !this.done.length;
    this.redoButton.disabled = !this.enabled || !this.undone.length;
  }
}

const IDLE_AFTER_MS = 60_000;
const SEND_EVERY_S = 30;

/** Seconds of work on one thing, as the server has them and those that it has yet to hear of. */
export class Seconds {
  /** @param {{url: string, seconds: number, ask: Function}} options `seconds` is what the server has stored */
  constructor({ url, seconds, ask }) {
    Object.assign(this, { url, ask, known: seconds, unsent: 0, unanswered: null });
  }

  add() {
    this.unsent += 1;
    if (this.unsent >= SEND_EVERY_S && this.unsent % SEND_EVERY_S === 0) this.send();
  }

  /**
   * Adds what is unsent to the stored time, if that is still what this page last heard; a repeat adds nothing. Without an
   * answer the same is sent again: it may have been stored, and with more in it, it would be counted twice.
   */
  async send() {
    if (!this.unsent || this.sending) return;
    this.sending = true;
    this.unanswered ??= { known_seconds: this.known, total_seconds: this.known + this.unsent };
    const { status, body } = await this.ask(this.url, "POST", { ...this.unanswered, ...this.also });
    this.sending = false;
    if (status !== 200) return;
    const { known_seconds, total_seconds } = this.unanswered;
    this.unanswered = null;
    if (body.active_seconds === total_seconds) this.unsent -= total_seconds - known_seconds;
    this.known = body.active_seconds; // another tab may have added to it: the next send starts from there
  }
}

/** Counts the seconds in which the person works on the task: not while the tab is hidden, nor after a quiet minute. */
export class ActiveTime {
  /** @param {{count?: Seconds}} options what is counted; or the options of `Seconds` */
  constructor({ count, ...options }) {
    this.count = count ?? new Seconds(options);
    this.lastSign = Date.now();
    this.running = false;
    for (const name of ["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchmove"]) {
      document.addEventListener(name, () => (this.lastSign = Date.now()), { passive: true, capture: true });
    }
    setInterval(() => this.#tick(), 1000);
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.send());
  }

  setRunning(running) {
    this.running = running;
  }

  /** The person turned to something else, whose time is counted on its own. */
  turnTo(count) {
    this.send();
    this.count = count;
  }

  send() {
    return this.count.send();
  }

  #tick() {
    const active = document.visibilityState === "visible" && Date.now() - this.lastSign < IDLE_AFTER_MS;
    if (this.running && active) this.count.add();
  }
}
