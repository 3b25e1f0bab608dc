/**
 * Shows marks in the text without touching its DOM: CSS Custom Highlights, named `mark-TYPE-LAYER`, where overlapping
 * spans lie on different layers (their underlines have different offsets). Where the API is missing, boxes behind the
 * text show the same. The frame around the active mark and the bracket of a relation are boxes in both cases.
 */

export const LAYERS = 4;

const REGISTRY = globalThis.CSS?.highlights;

/** Give each span the lowest layer on which it overlaps no other; the last layer takes what is left. */
export function layered(marks) {
  const pieces = marks.flatMap((mark) => mark.spans.map((span) => ({ mark, ...span })));
  pieces.sort((a, b) => a.start - b.start || b.end - a.end);
  const ends = new Array(LAYERS).fill(-1);
  for (const piece of pieces) {
    const free = ends.findIndex((end) => end <= piece.start);
    piece.layer = free === -1 ? LAYERS - 1 : free;
    ends[piece.layer] = Math.max(ends[piece.layer], piece.end);
  }
  return pieces;
}

export class Highlights {
  /**
   * @param {import("./offsets.js").TextMap} map
   * @param {HTMLElement} overlay covers the text's column
   * @param {(mark) => string} typeOf the slug of the type that colours a mark
   */
  constructor(map, overlay, typeOf) {
    Object.assign(this, { map, overlay, typeOf });
    this.pieces = [];
    this.active = null;
    this.hovered = null;
    this.pending = [];
  }

  setMarks(marks) {
    this.pieces = layered(marks).map((piece) => ({ ...piece, range: this.map.rangeOf(piece) }));
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
      this.#set("hovered", this.#rangesOf(this.hovered), LAYERS);
      this.#set("active", this.#rangesOf(this.active), LAYERS + 1);
      this.#set("pending", this.pending.map((span) => this.map.rangeOf(span)), LAYERS + 2);
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
