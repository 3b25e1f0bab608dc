/** Search in the source: finds all places at once, paints those in view, and goes from one to the next. */

import { foldedWithUnits, patternOf } from "./folded.js";

/** Stands where something is left out; in no query, so nothing is found across it. */
const GAP = "\u0000";
const TYPING_PAUSE_MS = 120;

/** The places of a query in a `SourceText`. */
export class Index {
  constructor(source) {
    this.source = source;
    this.parts = [];
    this.text = "";
    this.#goOn();
  }

  /** {starts, ends} in folded characters, in order. */
  find(query) {
    const pattern = patternOf(query);
    const [starts, ends] = [[], []];
    if (!pattern) return { starts, ends };
    this.#fold(this.source.blocks.length);
    this.text = this.joined ??= this.parts.map(({ text }) => text).join("");
    for (const { index, 0: found } of this.text.matchAll(pattern)) {
      starts.push(index);
      ends.push(index + found.length);
    }
    return { starts, ends };
  }

  /** The span of a place, with all of what people see as its last character. */
  spanOf(start, end) {
    const [from, to] = [this.#partAt(start), this.#partAt(end - 1)];
    const first = from.unitOf(start - from.at);
    let at = end - to.at;
    while (from === to && to.unitOf(at) <= first && at < to.text.length) at += 1; // a part of one character
    const last = to.unitOf(at);
    return this.source.spanOf(from.block.start + from.block.map.toPoints(first), to.block.start + to.block.map.toPoints(last));
  }

  /** Where a code point of the source lies in the folded text, to the block. */
  placeOf(point) {
    const block = this.source.blockAt(point);
    const part = this.parts.find((each) => each.block === block);
    return { from: part.at, to: part.at + part.text.length };
  }

  /** Fold block by block while the browser has nothing else to do, so that the first search need not. */
  #goOn() {
    const idle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 50));
    if (this.parts.length < this.source.blocks.length) idle(() => (this.#fold(this.parts.length + 20), this.#goOn()));
  }

  #fold(count) {
    for (const block of this.source.blocks.slice(this.parts.length, count)) {
      const before = this.parts.at(-1);
      const { text, units } = foldedWithUnits(block.text);
      if (before && before.block.end !== block.start) before.text += GAP;
      const at = before ? before.at + before.text.length : 0;
      const unitOf = units ? (place) => units[place] ?? block.text.length : (place) => Math.min(place, text.length);
      this.parts.push({ block, text, at, unitOf });
    }
  }

  #partAt(place) {
    let [low, high] = [0, this.parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.parts[middle].at <= place) low = middle;
      else high = middle - 1;
    }
    return this.parts[low];
  }
}

export class Search {
  /** @param {HTMLElement} form `[data-search]`: the field, its two buttons and the count */
  constructor(form, source) {
    this.source = source;
    this.index = new Index(source);
    this.field = form.querySelector("input");
    this.count = form.querySelector("output");
    this.buttons = [...form.querySelectorAll("[data-step]")];
    this.query = "";
    this.#take({ starts: [], ends: [] });
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.find(), TYPING_PAUSE_MS);
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
    for (const button of this.buttons) button.addEventListener("click", () => this.step(Number(button.dataset.step)));
    form.addEventListener("submit", (event) => event.preventDefault());
    source.pane.addEventListener("scroll", () => this.#later(), { passive: true });
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  /** Find what the field has, and go to the first place from where the reader is. Returns how long it took, in ms. */
  find() {
    clearTimeout(this.timer);
    if (this.field.value === this.query) return 0;
    const began = performance.now();
    this.query = this.field.value;
    this.#take(this.index.find(this.query));
    if (this.starts.length) {
      const here = this.index.placeOf(this.source.pointInView).from;
      this.#go(Math.max(0, this.starts.findIndex((start) => start >= here)));
    }
    this.took = performance.now() - began;
    return this.took;
  }

  step(by) {
    const found = this.field.value !== this.query && this.find() >= 0;
    const { length } = this.starts;
    if (!found && length) this.#go((this.current + by + length) % length);
  }

  #key(event) {
    if (event.isComposing || event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.step(event.shiftKey ? -1 : 1);
  }

  #take({ starts, ends }) {
    Object.assign(this, { starts, ends, current: -1 });
    for (const button of this.buttons) button.disabled = !starts.length;
    this.source.paint("match-current", []);
    this.#tell();
    this.#paint();
  }

  #go(to) {
    this.current = to;
    const span = this.index.spanOf(this.starts[to], this.ends[to]);
    this.source.paint("match-current", [span], 3);
    this.source.reveal(span);
    this.#tell();
    this.#later();
  }

  #tell() {
    const { length } = this.starts;
    const number = (value) => value.toLocaleString("en-GB");
    const place = `${number(this.current + 1)} of ${number(length)}`;
    this.count.textContent = length ? place : this.query.trim() ? "Not found" : "";
  }

  #later() {
    if (!this.starts.length || this.painting) return;
    this.painting = requestAnimationFrame(() => {
      this.painting = null;
      this.#paint();
    });
  }

  /** Only what is in view: a common letter is found a hundred thousand times. */
  #paint() {
    const blocks = this.starts.length ? this.source.inView() : [];
    if (!blocks.length) return this.source.paint("match", []);
    const { from } = this.index.placeOf(blocks[0].start);
    const { to } = this.index.placeOf(blocks.at(-1).start);
    const spans = [];
    for (let at = firstFrom(this.starts, from); at < this.starts.length && this.starts[at] < to; at += 1) {
      spans.push(this.index.spanOf(this.starts[at], this.ends[at]));
    }
    this.source.paint("match", spans, 1);
  }
}

/** The index of the first number that is at least `least`. */
function firstFrom(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
