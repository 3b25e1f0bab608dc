/**
 * What marks are made of (`MARKS`), and marks as the page shows them: in the text (`Highlights`) and as cards beside it
 * (`Cards`).
 *
 * The text's DOM is not touched: CSS Custom Highlights, named `mark-TYPE-LAYER`, where overlapping
 * spans lie on different layers (their underlines have different offsets). Where the API is missing, boxes behind the
 * text show the same. The frame around the active mark and the bracket of a relation are boxes in both cases.
 */

const REGISTRY = globalThis.CSS?.highlights;

/** The content in one order, without what the store adds. A decision says besides what became of which marks, and why. */
const plain = ({ questions, error_types, spans, outcome, sources, reason }) => ({
  questions,
  error_types: [...error_types].sort(),
  spans: spans.map(({ start, end, quote }) => ({ start, end, quote })),
  ...(outcome && { outcome, reason, sources: sources.toSorted((a, b) => a - b) }),
});

/** Three-way merge; null where both sides changed the same field to different values. */
function merge(base, mine, theirs) {
  const merged = {};
  for (const field of ["questions", "spans", "outcome", "sources", "reason"]) {
    const [b, m, t] = [base, mine, theirs].map((side) => JSON.stringify(side?.[field]));
    if (m === t || b === m) merged[field] = theirs[field];
    else if (b === t) merged[field] = mine[field];
    else return null;
  }
  const before = new Set(base?.error_types ?? []);
  const kept = [...before].filter((type) => mine.error_types.includes(type) && theirs.error_types.includes(type));
  const added = [...mine.error_types, ...theirs.error_types].filter((type) => !before.has(type));
  merged.error_types = [...new Set([...kept, ...added])];
  return plain(merged);
}

/** The kind that the store keeps. */
export const MARKS = { name: "marks", plain, merge };

/** Give each span the lowest layer on which it overlaps no other; the last layer takes what is left. */
function layered(marks, layers) {
  const pieces = marks.flatMap((mark) => mark.spans.map((span) => ({ mark, ...span })));
  pieces.sort((a, b) => a.start - b.start || b.end - a.end);
  const ends = new Array(layers).fill(-1);
  for (const piece of pieces) {
    const free = ends.findIndex((end) => end <= piece.start);
    piece.layer = free === -1 ? layers - 1 : free;
    ends[piece.layer] = Math.max(ends[piece.layer], piece.end);
  }
  return pieces;
}

export class Highlights {
  /**
   * @param {import("../offsets.js").TextMap} map
   * @param {HTMLElement} overlay covers the text's column
   * @param {{typeOf: (mark) => string, layers: number}} options `typeOf` names the type that colours a mark
   */
  constructor(map, overlay, options) {
    Object.assign(this, { map, overlay, ...options });
    this.pieces = [];
    this.active = null;
    this.hovered = null;
    this.pending = [];
  }

  setMarks(marks) {
    this.pieces = layered(marks, this.layers).map((piece) => ({ ...piece, range: this.map.rangeOf(piece) }));
    this.tops = null;
    if (REGISTRY) this.#register();
    this.draw();
  }

  /** The text was laid out anew: boxes and tops are elsewhere now. */
  laidOut() {
    this.tops = null;
    this.draw();
  }

  /** Show what is active, hovered and pending now. */
  draw() {
    if (REGISTRY) {
      this.#set("hovered", this.#rangesOf(this.hovered), this.layers);
      this.#set("active", this.#rangesOf(this.active), this.layers + 1);
      this.#set("pending", this.pending.map((span) => this.map.rangeOf(span)), this.layers + 2);
    }
    const boxes = REGISTRY ? [] : this.#paint();
    boxes.push(...this.#frames(), ...this.#bracket());
    this.overlay.replaceChildren(...boxes);
  }

  /** Keys of the marks at a code point, the shortest first; with an event only those under its place on the screen. */
  marksAt(point, event) {
    const under = ({ range }) =>
      !event ||
      Array.from(range.getClientRects()).some(
        ({ left, right, top, bottom }) =>
          event.clientX >= left && event.clientX <= right && event.clientY >= top - 3 && event.clientY <= bottom + 5,
      );
    const found = this.pieces.filter((piece) => piece.start <= point && point <= piece.end && under(piece));
    found.sort((a, b) => a.end - a.start - (b.end - b.start));
    return [...new Set(found.map((piece) => piece.mark.key))];
  }

  /** Top of a mark's first span in the coordinates of the overlay. */
  topOf(key) {
    this.tops ??= this.#measureTops();
    return this.tops.get(key) ?? 0;
  }

  #measureTops() {
    const origin = this.overlay.getBoundingClientRect().top;
    const tops = new Map();
    for (const { mark, range } of this.pieces) {
      // Pieces come in the order of the text, so the first one of a mark is its first span.
      if (tops.has(mark.key)) continue;
      tops.set(mark.key, this.map.caretBox(range.startContainer, range.startOffset).top - origin);
    }
    return tops;
  }

  /** Boxes of a span, one a line, in the coordinates of the overlay. */
  linesOf(span) {
    const origin = this.overlay.getBoundingClientRect();
    const lines = [];
    for (const rect of this.map.rangeOf(span).getClientRects()) {
      if (rect.width === 0) continue;
      const [left, right] = [rect.left - origin.left, rect.right - origin.left];
      const [top, bottom] = [rect.top - origin.top, rect.bottom - origin.top];
      const last = lines.at(-1);
      if (!last || Math.abs(last.top - top) > 4) lines.push({ left, right, top, bottom });
      else Object.assign(last, { left: Math.min(last.left, left), right: Math.max(last.right, right) });
    }
    return lines;
  }

  #register() {
    REGISTRY.clear();
    const named = new Map();
    for (const { mark, layer, range } of this.pieces) {
      const name = `mark-${this.typeOf(mark)}-${layer}`;
      if (!named.has(name)) named.set(name, { ranges: [], layer });
      named.get(name).ranges.push(range);
    }
    for (const [name, { ranges, layer }] of named) this.#set(name, ranges, layer);
  }

  #set(name, ranges, priority) {
    REGISTRY.delete(name);
    if (!ranges.length) return;
    const highlight = new Highlight(...ranges);
    highlight.priority = priority;
    REGISTRY.set(name, highlight);
  }

  #rangesOf(key) {
    return this.pieces.filter(({ mark }) => mark.key === key).map(({ range }) => range);
  }

  #paint() {
    const painted = this.pieces.map((piece) => ({ piece, kind: "paint" }));
    const pending = this.pending.map((piece) => ({ piece, kind: "paint-pending" }));
    return [...painted, ...pending].flatMap(({ piece, kind }) =>
      this.linesOf(piece).map((line) => {
        const box = this.#box(kind, line);
        if (piece.mark) box.dataset.type = this.typeOf(piece.mark);
        box.dataset.layer = piece.layer ?? 0;
        return box;
      }),
    );
  }

  #frames() {
    const spans = this.pieces.filter(({ mark }) => mark.key === this.active);
    return spans.flatMap((span) => this.linesOf(span).map((line) => this.#box("frame", line, 2)));
  }

  /** The link between the two spans of the active relation, in the left margin. */
  #bracket() {
    const spans = this.pieces.filter(({ mark }) => mark.key === this.active);
    if (spans.length < 2) return [];
    const middles = spans.map((span) => this.linesOf(span)[0]).map((line) => (line.top + line.bottom) / 2);
    const [top, bottom] = [Math.min(...middles), Math.max(...middles)];
    return [this.#box("bracket", { left: -18, right: -8, top, bottom: Math.max(bottom, top + 6) })];
  }

  #box(name, { left, right, top, bottom }, grow = 0) {
    const box = document.createElement("div");
    box.className = name;
    box.style.left = `${left - grow}px`;
    box.style.top = `${top - grow}px`;
    box.style.width = `${right - left + 2 * grow}px`;
    box.style.height = `${bottom - top + 2 * grow}px`;
    return box;
  }
}

/** Cards beside the text, one an entry of the list that assistive technology reads, linked with the text both ways. */

const GAP = 8;
/** From this distance between a span and its card on, the cards that are not active shrink to their tags. */
const CROWDED = 140;

/** An element with its properties, `data-` attributes and children; those that are null are left out. */
export function element(name, { data = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, data);
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function badge(kind, textContent) {
  return element("span", { className: `badge ${kind}`, textContent });
}

export function quotes(spans) {
  return spans.map(({ quote }) => element("blockquote", { textContent: quote }));
}

/** Tops of boxes under one another: the one at `pinned` where it is wanted, the others as near as they fit. */
function stackedTops(wanted, heights, pinned) {
  const tops = [...wanted];
  const first = Math.max(0, pinned);
  for (let index = first - 1; index >= 0; index -= 1) {
    tops[index] = Math.min(wanted[index], tops[index + 1] - heights[index]);
  }
  tops[0] = Math.max(tops[0] ?? 0, 0);
  for (let index = 1; index < wanted.length; index += 1) {
    tops[index] = Math.max(index <= first ? tops[index] : wanted[index], tops[index - 1] + heights[index - 1]);
  }
  return tops;
}

/**
 * What differs between kinds of cards: `noun`, `shrinks` (whether cards become one line where they are crowded),
 * `contentOf(entry)` (all that a card shows, as JSON can hold it), `fill(item, entry)` (returns the card's article, and
 * sets `item.says`, its words for a screen reader), `acted(action, key, button)` (a button with `data-action`).
 */
export class Cards {
  noun = "Mark";
  shrinks = true;

  /**
   * @param {HTMLElement} list an <ol>
   * @param {{errorTypes: object[], topOf: (key: string) => number, on: Record<string, Function>}} options `on` holds
   *   the actions: activate, hover, and those of the kind
   */
  constructor(list, options) {
    Object.assign(this, { list, ...options });
    this.types = new Map(this.errorTypes.map((type) => [type.key, type]));
    this.items = new Map();
    this.order = [];
    this.active = null;
    list.addEventListener("focusin", (event) => this.#touched(event, "activate"));
    list.addEventListener("pointerover", (event) => this.#touched(event, "hover"));
    list.addEventListener("pointerleave", () => this.on.hover(null));
    list.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-action]");
      if (button) this.acted(button.dataset.action, button.closest("li").dataset.key, button);
    });
  }

  /** @param {{key: string}[]} entries in the order of their spans */
  show(entries, editable, active) {
    Object.assign(this, { entries, editable, active });
    this.order = entries.map(({ key }) => key);
    const keys = new Set(this.order);
    for (const [key, item] of this.items) {
      if (keys.has(key)) continue;
      item.remove();
      this.items.delete(key);
    }
    entries.forEach((entry, index) => {
      const item = this.#filled(entry);
      this.#number(item, index);
      item.classList.toggle("active", entry.key === active);
      if (this.list.children[index] !== item) this.list.insertBefore(item, this.list.children[index] ?? null);
    });
    this.measure();
  }

  entry(key) {
    return this.entries.find((each) => each.key === key);
  }

  activate(key) {
    this.items.get(this.active)?.classList.remove("active");
    this.items.get(key)?.classList.add("active");
    this.active = key;
    this.place();
  }

  hover(key) {
    this.items.get(this.hovered)?.classList.remove("hovered");
    this.items.get(key)?.classList.add("hovered");
    this.hovered = key;
  }

  focus(key) {
    this.items.get(key)?.firstElementChild.focus({ preventScroll: true });
  }

  reveal(key) {
    this.items.get(key)?.scrollIntoView({ block: "nearest" });
  }

  /** Something that only the cards know of changed. */
  refill(key) {
    const entry = this.entry(key);
    if (!entry) return;
    this.#number(this.#filled(entry), this.order.indexOf(key));
    this.place();
  }

  /** Entries or layout changed: see whether there is room for whole cards, then place them. */
  measure() {
    this.floating = getComputedStyle(this.list).position !== "static"; // else a narrow screen: a plain list
    this.list.classList.remove("crowded");
    if (!this.floating) return;
    const far = this.shrinks && this.#tops().some((top, index) => Math.abs(top - this.topOf(this.order[index])) > CROWDED);
    this.list.classList.toggle("crowded", far);
    this.place();
  }

  /** Put every card beside its span, the active one exactly, the others as near as they fit. */
  place() {
    if (!this.floating) return;
    const tops = this.#tops();
    this.order.forEach((key, index) => {
      this.items.get(key).style.top = `${tops[index]}px`;
    });
    const last = this.items.get(this.order.at(-1));
    this.list.style.height = last ? `${tops.at(-1) + last.offsetHeight + GAP}px` : "auto";
  }

  /** The two letters of an error type. */
  tag(key) {
    const type = this.types.get(key);
    const data = { type: type?.slug ?? "none" };
    return element("abbr", { className: "type-tag", textContent: type?.tag ?? "?", title: type?.name ?? key, data });
  }

  /** A button for `acted`; `data` has the action and what it is about. */
  button(textContent, data, className = "button small") {
    const focus = Object.values(data).join("-");
    return element("button", { type: "button", className, textContent, data: { ...data, focus } });
  }

  #tops() {
    const wanted = this.order.map((key) => this.topOf(key));
    const heights = this.order.map((key) => this.items.get(key).offsetHeight + GAP);
    return stackedTops(wanted, heights, this.order.indexOf(this.active));
  }

  #filled(entry) {
    const item = this.items.get(entry.key) ?? element("li", { className: "mark-card", data: { key: entry.key } });
    this.items.set(entry.key, item);
    const content = JSON.stringify([this.contentOf(entry), this.editable]);
    if (item.content === content) return item;
    item.content = content;
    const held = item.contains(document.activeElement) ? focusName(document.activeElement) : null;
    item.replaceChildren(this.fill(item, entry));
    if (held !== null) (item.querySelector(held) ?? item.firstElementChild).focus({ preventScroll: true });
    return item;
  }

  #number(item, index) {
    item.querySelector(".mark-number").textContent = index + 1;
    const label = `${this.noun} ${index + 1} of ${this.order.length}. ${item.says}`;
    if (item.firstElementChild.ariaLabel !== label) item.firstElementChild.setAttribute("aria-label", label);
  }

  #touched({ target }, action) {
    const item = target.closest("li");
    if (item) this.on[action](item.dataset.key);
  }
}

/** How to find the same thing in a card that is filled anew. */
function focusName({ dataset: { focus } }) {
  return focus ? `[data-focus="${focus}"]` : "article";
}
