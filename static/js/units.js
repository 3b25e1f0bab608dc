/**
 * The units of a summary: where it is cut. A place is the offset of a word or mark, as the server names it; nothing here
 * counts characters. Every change is sent at once, with the cuts that it was made on; undo sends the earlier ones.
 */

import { ask } from "./page.js";

const RETRY_MS = 5_000;
const byId = (id) => document.getElementById(id);
const text = byId("units-text");
const state = byId("units-state");

class Words {
  /** All words and marks in order: {at, element, gap: what stands after it, first: whether it begins its sentence}. */
  constructor(sentences) {
    this.all = sentences.flatMap((sentence) =>
      sentence.map(([at, content, gap], index) => {
        const element = Object.assign(document.createElement("span"), { className: "unit-word", textContent: content });
        return { at, element, gap, first: index === 0 };
      }),
    );
    this.index = new Map(this.all.map((word, index) => [word.element, index]));
    this.here = 0;
  }

  /** Draw the units; one that is repeated with its number, and each repeat with that of the first. White space between two belongs to neither. */
  draw(cuts, repeats) {
    const nodes = [];
    const firsts = new Set(repeats.values());
    let [unit, number] = [null, 0];
    this.all.forEach((word, index) => {
      if (this.begins(index, cuts)) {
        unit = Object.assign(document.createElement("span"), { className: "unit" });
        number += 1;
        if (firsts.has(number)) unit.dataset.number = number;
        if (repeats.has(word.at)) unit.dataset.repeats = `says the same as ${repeats.get(word.at)}`;
        nodes.push(unit);
      }
      unit.append(word.element);
      const ends = index + 1 === this.all.length || this.begins(index + 1, cuts);
      if (ends) nodes.push(word.gap);
      else unit.append(word.gap);
    });
    text.replaceChildren(...nodes);
  }

  begins(index, cuts) {
    return this.all[index].first || cuts.has(this.all[index].at);
  }

  /** The words of the unit that holds one, from `start` up to `end`. */
  unitAt(index, cuts) {
    let [start, end] = [index, index + 1];
    while (!this.begins(start, cuts)) start -= 1;
    while (end < this.all.length && !this.begins(end, cuts)) end += 1;
    return { start, end };
  }

  /** Where the caret comes to in the line above (-1) or below (1), by what stands there on the screen. */
  inLine(direction) {
    const from = this.all[this.here].element.getBoundingClientRect();
    let best = null;
    for (let index = this.here + direction; this.all[index]; index += direction) {
      const box = this.all[index].element.getBoundingClientRect();
      if (Math.abs(box.top - from.top) < from.height / 2) continue;
      if (best && Math.abs(box.top - best.top) > from.height / 2) break;
      const away = Math.abs(box.left - from.left);
      if (!best || away < best.away) best = { index, away, top: box.top };
    }
    return best?.index ?? this.here;
  }

  content(index) {
    return this.all[index].element.textContent;
  }
}

class Editor {
  constructor({ sentences, cuts, repeats = [] }) {
    this.words = new Words(sentences);
    this.cuts = new Set(cuts);
    /** By the start of a unit that says the same as an earlier one: the number of that one. */
    this.repeats = new Map(repeats);
    this.saved = cuts;
    this.history = [];
    this.stopped = false;
    this.words.draw(this.cuts, this.repeats);
    this.go(0, { quietly: true });
    document.querySelector(".unit-tools").hidden = false;
    this.#listen();
  }

  go(index, { quietly = false } = {}) {
    const { words } = this;
    delete words.all[words.here].element.dataset.here;
    words.here = Math.max(0, Math.min(index, words.all.length - 1));
    const { element } = words.all[words.here];
    element.dataset.here = "";
    this.#showWhatCanBeJoined();
    if (quietly) return;
    element.scrollIntoView({ block: "nearest" });
    const border = words.begins(words.here, this.cuts) ? ", begins a unit" : "";
    const { repeats } = element.parentElement.dataset;
    this.say(`${words.content(words.here)}${border}${border && repeats ? ` that ${repeats}` : ""}`);
  }

  split() {
    if (this.words.begins(this.words.here, this.cuts)) return this.refuse("A unit begins here already.");
    return this.change((cuts) => cuts.add(this.#at(this.words.here)), "Split");
  }

  /** Take the border at the caret away: its unit goes on from the one before. */
  join() {
    const problem = this.#joinProblem();
    if (problem) return this.refuse(problem);
    return this.change((cuts) => cuts.delete(this.#at(this.words.here)), "Joined");
  }

  #joinProblem() {
    const { here, all } = this.words;
    if (all[here].first) return "A sentence always begins a unit, so there is nothing before it to join with.";
    return this.cuts.has(this.#at(here)) ? "" : "Go to the first word of a unit to join it with the one before.";
  }

  #showWhatCanBeJoined() {
    const button = document.querySelector("[data-act=join]");
    const problem = this.#joinProblem();
    button.setAttribute("aria-disabled", Boolean(problem));
    button.title = problem || "Join with the unit before";
    byId("units-why").textContent = "";
  }

  /** Take the border at the caret along by a word. */
  move(by) {
    const { here, all } = this.words;
    const to = here + by;
    if (!this.cuts.has(this.#at(here))) return this.refuse("Go to the first word of a unit to move its border.");
    if (!all[to] || this.words.begins(to, this.cuts)) return this.refuse("The border can't go further.");
    this.change((cuts) => cuts.delete(this.#at(here)) && cuts.add(this.#at(to)), "Moved");
    return this.go(to, { quietly: true });
  }

  undo() {
    const before = this.history.pop();
    if (!before) return this.refuse("Nothing to undo.");
    return this.#set(before, "Undone");
  }

  change(act, said) {
    const cuts = new Set(this.cuts);
    act(cuts);
    this.history.push(this.cuts);
    this.#set(cuts, said);
  }

  say(words) {
    byId("units-live").textContent = words;
  }

  /** Say why nothing happens, for all to see. */
  refuse(words) {
    byId("units-why").textContent = words;
    this.say(words);
  }

  #at(index) {
    return this.words.all[index].at;
  }

  #set(cuts, said) {
    if (this.stopped) return;
    this.cuts = cuts;
    this.words.draw(cuts, this.repeats);
    this.go(this.words.here, { quietly: true });
    const { start, end } = this.words.unitAt(this.words.here, cuts);
    const unit = this.words.all.slice(start, end).map(({ element }) => element.textContent);
    this.say(`${said}: ${unit.join(" ")}`);
    this.send();
  }

  get waits() {
    return this.saved.length !== this.cuts.size || this.saved.some((at) => !this.cuts.has(at));
  }

  /** Send what differs from what is stored; one request at a time, so that each names what the last one stored. */
  async send() {
    clearTimeout(this.later);
    if (this.sending || this.stopped) return;
    this.sending = true;
    while (this.waits && !this.stopped) {
      state.textContent = "Saving";
      const cuts = [...this.cuts].sort((one, other) => one - other);
      const { status, body } = await ask(text.dataset.api, "PUT", { was: this.saved, cuts });
      if (status === 200) this.#stored(body);
      else if (status === 0 || status >= 500) {
        this.#problem("Not saved - no connection. It is tried again.");
        this.later = setTimeout(() => this.send(), RETRY_MS);
        break;
      } else {
        this.stopped = true;
        this.#problem(`Not saved - ${body?.detail ?? "reload the page."}`);
      }
    }
    this.sending = false;
  }

  #stored({ cuts, units, repeated, repeats }) {
    this.saved = cuts;
    this.repeats = new Map(repeats);
    if (!this.waits) this.words.draw(this.cuts, this.repeats);
    const again = repeated ? `, ${repeated} of them repeated` : "";
    byId("units-count").textContent = `${units} ${units === 1 ? "unit" : "units"}${again}`;
    state.textContent = `Saved ${new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
    delete state.dataset.state;
  }

  #problem(words) {
    state.textContent = words;
    state.dataset.state = "error";
  }

  #listen() {
    const acts = {
      split: () => this.split(),
      join: () => this.join(),
      earlier: () => this.move(-1),
      later: () => this.move(1),
      undo: () => this.undo(),
    };
    document.querySelector(".unit-tools").addEventListener("click", ({ target }) => {
      const act = acts[target.closest("[data-act]")?.dataset.act];
      if (!act) return;
      act();
      text.focus({ preventScroll: true });
    });
    text.addEventListener("click", ({ target }) => {
      const index = this.words.index.get(target.closest(".unit-word"));
      if (index !== undefined) this.go(index);
    });
    text.addEventListener("keydown", (event) => this.#key(event, acts));
    addEventListener("beforeunload", (event) => this.waits && !this.stopped && event.preventDefault());
  }

  #key(event, acts) {
    const { here } = this.words;
    const control = event.ctrlKey || event.metaKey;
    const keys = {
      ArrowLeft: event.shiftKey ? acts.earlier : () => this.go(here - 1),
      ArrowRight: event.shiftKey ? acts.later : () => this.go(here + 1),
      ArrowUp: () => this.go(this.words.inLine(-1)),
      ArrowDown: () => this.go(this.words.inLine(1)),
      Home: () => this.go(this.words.unitAt(here, this.cuts).start),
      End: () => this.go(this.words.unitAt(here, this.cuts).end - 1),
      Enter: acts.split,
      Delete: acts.join,
      Backspace: acts.join,
    };
    const act = control ? event.key === "z" && acts.undo : keys[event.key];
    if (!act || event.altKey) return;
    event.preventDefault();
    act();
  }
}

const data = JSON.parse(byId("page-data").textContent);
if (text.tabIndex === 0 && data.sentences.length) new Editor(data);
