/**
 * Marks as the page shows them: in the text (`Highlights`) and as cards beside it (`Cards`).
 *
 * The text's DOM is not touched: CSS Custom Highlights, named `mark-TYPE-LAYER`, where overlapping
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
   * @param {import("../offsets.js").TextMap} map
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

/**
 * Marks as cards beside their spans: the list that assistive technology reads, linked with the text both ways.
 */

const GAP = 8;
/** From this distance between a span and its card on, the cards that are not active shrink to their tags. */
const CROWDED = 140;

const KEYS = {
  Enter: "edit",
  e: "edit",
  r: "relate",
  c: "resize",
  Delete: "remove",
  Backspace: "remove",
  Escape: "back",
};

const element = (name, className = "", text = "") => {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
};

/** Tops of boxes under one another: the one at `pinned` where it is wanted, the others as near as they fit. */
export function stackedTops(wanted, heights, pinned) {
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

export class Cards {
  /**
   * @param {HTMLElement} list an <ol>
   * @param {{errorTypes: object[], topOf: (key: string) => number, on: Record<string, (key: string) => void>}} options
   *   `on` holds the actions: activate, hover, edit, resize, relate, remove, back
   */
  constructor(list, options) {
    Object.assign(this, { list, ...options });
    this.types = new Map(this.errorTypes.map((type) => [type.key, type]));
    this.items = new Map();
    this.active = null;
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("focusin", (event) => this.#touched(event, "activate"));
    list.addEventListener("pointerover", (event) => this.#touched(event, "hover"));
    list.addEventListener("pointerleave", () => this.on.hover(null));
    list.addEventListener("click", (event) => {
      const action = event.target.closest("[data-action]")?.dataset.action;
      if (action) this.on[action](event.target.closest("li").dataset.key);
    });
  }

  /** @param {object[]} marks in the order of their spans */
  show(marks, editable, active) {
    this.active = active;
    const keys = new Set(marks.map(({ key }) => key));
    for (const [key, item] of this.items) {
      if (keys.has(key)) continue;
      item.remove();
      this.items.delete(key);
    }
    this.order = marks.map(({ key }) => key);
    marks.forEach((mark, index) => {
      const content = JSON.stringify([mark, editable]);
      const item = this.items.get(mark.key) ?? this.#item(mark.key);
      if (item.content !== content) this.#fill(item, mark, editable);
      item.content = content;
      this.#number(item, index);
      item.classList.toggle("active", mark.key === active);
      if (this.list.children[index] !== item) this.list.insertBefore(item, this.list.children[index] ?? null);
    });
    this.measure();
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

  /** Marks or layout changed: see whether there is room for whole cards, then place them. */
  measure() {
    this.floating = getComputedStyle(this.list).position !== "static"; // else a narrow screen: a plain list
    this.list.classList.remove("crowded");
    if (!this.floating) return;
    const keys = this.order ?? [];
    const tops = this.#tops(keys);
    const far = keys.some((key, index) => Math.abs(tops[index] - this.topOf(key)) > CROWDED);
    this.list.classList.toggle("crowded", far);
    this.place();
  }

  /** Put every card beside its span, the active one exactly, the others as near as they fit. */
  place() {
    if (!this.floating) return;
    const keys = this.order ?? [];
    const tops = this.#tops(keys);
    keys.forEach((key, index) => {
      this.items.get(key).style.top = `${tops[index]}px`;
    });
    const last = this.items.get(keys.at(-1));
    this.list.style.height = last ? `${tops.at(-1) + last.offsetHeight + GAP}px` : "auto";
  }

  #tops(keys) {
    const wanted = keys.map((key) => this.topOf(key));
    const heights = keys.map((key) => this.items.get(key).offsetHeight + GAP);
    return stackedTops(wanted, heights, keys.indexOf(this.active));
  }

  #item(key) {
    const item = element("li", "mark-card");
    item.dataset.key = key;
    this.items.set(key, item);
    return item;
  }

  #number(item, index) {
    item.querySelector(".mark-number").textContent = index + 1;
    const label = `Mark ${index + 1} of ${this.order.length}. ${item.says}`;
    if (item.firstElementChild.ariaLabel !== label) item.firstElementChild.setAttribute("aria-label", label);
  }

  #fill(item, mark, editable) {
    const focused = item.contains(document.activeElement);
    const types = mark.error_types.map((key) => this.types.get(key)).filter(Boolean);
    const article = element("article");
    article.tabIndex = 0;
    item.says = this.#says(mark, types);
    const head = element("header", "row");
    head.append(element("span", "mark-number"), ...types.map((type) => this.#tag(type)));
    if (mark.spans.length === 2) head.append(element("span", "badge muted", "Relation"));
    if (mark.refused) head.append(element("span", "badge bad", "Not accepted"));
    else if (mark.unsaved) head.append(element("span", "badge warning", "Not saved yet"));
    const quotes = mark.spans.map(({ quote }) => element("blockquote", "", quote));
    article.append(head, ...quotes, this.#question(mark));
    if (mark.refused) article.append(element("p", "field-error", mark.refused));
    if (!types.length) article.append(element("p", "mark-missing", "No kind of error yet"));
    if (editable) article.append(this.#actions(mark));
    item.dataset.type = types[0]?.slug ?? "none";
    item.replaceChildren(article);
    if (focused) article.focus({ preventScroll: true });
  }

  #question(mark) {
    const asked = mark.questions.trim();
    return element("p", asked ? "mark-question" : "mark-missing", asked ? mark.questions : "No question yet");
  }

  #says(mark, types) {
    const parts = [mark.spans.map(({ quote }) => `“${quote}”`).join(" and ")];
    parts.push(mark.questions.trim() || "no question yet");
    parts.push(types.map(({ name }) => name).join(", ") || "no kind of error yet");
    if (mark.unsaved) parts.push("not saved yet");
    return parts.join(". ");
  }

  #tag(type) {
    const tag = element("abbr", "type-tag", type.tag);
    tag.dataset.type = type.slug;
    tag.title = type.name;
    return tag;
  }

  #actions(mark) {
    const actions = element("div", "mark-actions row");
    const entries = [["edit", "Edit"], ["resize", "Change span"], ["remove", "Delete"]];
    if (mark.spans.length === 1) entries.splice(2, 0, ["relate", "Relate"]);
    for (const [action, label] of entries) {
      const button = element("button", "button quiet small", label);
      button.type = "button";
      button.dataset.action = action;
      actions.append(button);
    }
    return actions;
  }

  #touched(event, action) {
    const item = event.target.closest("li");
    if (item) this.on[action](item.dataset.key);
  }

  #key(event) {
    const item = event.target.closest("li");
    if (!item || event.target.closest("button") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = item.dataset;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.focus(this.order[this.order.indexOf(key) + step] ?? key);
    else if (KEYS[event.key]) this.on[KEYS[event.key]](key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
