/**
 * The source of a summary: a long text in blocks, of which the browser lays out only those near the view.
 *
 * It answers like a `TextMap` (`offsets.js`), so that the ways to select a span work in it. Its code points are those of
 * the book's whole text; between two blocks lies what is left out, and no span crosses that.
 */

import { TextMap } from "../offsets.js";

const REGISTRY = globalThis.CSS?.highlights;
const CHARACTERS_A_LINE = 70;
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;
/** Where in the view a place is brought, from its top. */
const EYE = 0.3;

class Block {
  constructor(element) {
    this.element = element;
    this.start = Number(element.dataset.start);
    this.end = Number(element.dataset.end);
  }

  get text() {
    return this.element.textContent;
  }

  /** Whether the browser holds the text that the server sent; else every offset would be wrong. */
  get intact() {
    const { text } = this;
    return text.length - (text.match(PAIRS)?.length ?? 0) === this.end - this.start;
  }

  get map() {
    this.made ??= new TextMap(this.element);
    return this.made;
  }

  /** So that the scroll bar is about right before a block was ever laid out. */
  estimateHeight(lineHeight) {
    const lines = this.text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARACTERS_A_LINE)), 0);
    this.element.style.containIntrinsicBlockSize = `auto ${lines * lineHeight}px`;
  }
}

export class SourceText {
  /**
   * @param {HTMLElement} element holds the blocks
   * @param {HTMLElement} pane scrolls
   */
  constructor(element, pane) {
    Object.assign(this, { element, pane });
    this.blocks = [...element.querySelectorAll("[data-start]")].map((each) => new Block(each));
    this.blockOf = new Map(this.blocks.map((block) => [block.element, block]));
    this.length = this.blocks.at(-1)?.end ?? 0;
    const lineHeight = parseFloat(getComputedStyle(element).lineHeight) || 29;
    for (const block of this.blocks) block.estimateHeight(lineHeight);
  }

  get intact() {
    return this.blocks.every((block) => block.intact);
  }

  /** The block that holds a code point; what is left out counts as the end of the block before. */
  blockAt(point) {
    return this.blocks[Math.max(0, this.#firstAfter(point) - 1)];
  }

  positionOf(point) {
    const block = this.blockAt(point);
    return block.map.positionOf(Math.max(0, Math.min(point, block.end) - block.start));
  }

  has(node) {
    return node?.nodeType === Node.TEXT_NODE && this.blockOf.has(node.parentElement);
  }

  pointOf(node, offset) {
    const block = this.#blockWith(node, offset);
    return block ? block.start + block.map.pointOf(node, offset) : this.length;
  }

  pointAt(x, y) {
    const position = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const node = position?.offsetNode ?? position?.startContainer;
    return this.has(node) ? this.pointOf(node, position.offset ?? position.startOffset) : null;
  }

  /** A drag that has left the text ends where the text is nearest. */
  hold(selection, { clientX, clientY }) {
    const [from, to] = [selection.anchorNode, selection.focusNode].map((node) => this.element.contains(node));
    if (!from || to) return;
    const text = this.element.getBoundingClientRect();
    const view = this.pane.getBoundingClientRect();
    const y = Math.min(Math.max(clientY, view.top + 2), view.bottom - 2);
    const point = this.pointAt(Math.min(Math.max(clientX, text.left + 1), text.right - 1), y);
    if (point !== null) selection.extend(...this.positionOf(point));
  }

  caretBox(node, offset) {
    return this.#blockWith(node, offset).map.caretBox(node, offset);
  }

  slice(start, end) {
    const pieces = this.blocks.slice(Math.max(0, this.#firstAfter(start) - 1), this.#firstAfter(end - 1));
    return pieces.map((block) => block.map.slice(Math.max(0, start - block.start), Math.min(end, block.end) - block.start)).join("");
  }

  spanOf(start, end) {
    return { start, end, quote: this.slice(start, end) };
  }

  rangeOf({ start, end }) {
    const range = document.createRange();
    const last = this.blockAt(end - 1);
    range.setStart(...this.positionOf(start));
    range.setEnd(...last.map.positionOf(end - last.start));
    return range;
  }

  /** As `TextMap.selected`; a range over something left out ends before it. */
  selected(range) {
    const touched = this.blocks.filter(({ element }) => range.intersectsNode(element));
    const gap = touched.findIndex((block, index) => index && touched[index - 1].end !== block.start);
    const spans = touched
      .slice(0, gap === -1 ? undefined : gap)
      .map((block) => ({ block, span: block.map.selected(range) }))
      .filter(({ span }) => span);
    if (!spans.length) return null;
    const [first, last] = [spans[0], spans.at(-1)];
    return this.spanOf(first.block.start + first.span.start, last.block.start + last.span.end);
  }

  wordAt(point) {
    for (let index = Math.max(0, this.#firstAfter(point) - 1); index < this.blocks.length; index += 1) {
      const block = this.blocks[index];
      const word = block.map.wordAt(Math.max(0, Math.min(point, block.end) - block.start));
      if (word) return this.#moved(word, block);
    }
    return null;
  }

  wordUnder(x, y) {
    const point = this.pointAt(x, y);
    if (point === null) return null;
    const block = this.blockAt(point);
    const word = block.map.wordUnder(x, y);
    return word && this.#moved(word, block);
  }

  /** The sentences around a code point, as the browser finds them: of its block and the two beside it. */
  sentencesNear(point) {
    const at = Math.max(0, this.#firstAfter(point) - 1);
    return this.blocks.slice(Math.max(0, at - 1), at + 2).flatMap((block) => this.#sentencesOf(block));
  }

  /** Paint spans under a name that the style sheet knows (`::highlight`). */
  paint(name, spans, priority = 0) {
    if (!REGISTRY) return;
    REGISTRY.delete(name);
    if (!spans.length) return;
    const highlight = new Highlight(...spans.map((span) => this.rangeOf(span)));
    highlight.priority = priority;
    REGISTRY.set(name, highlight);
  }

  /** The blocks in view, with one more on both sides. */
  inView() {
    const { top, bottom } = this.pane.getBoundingClientRect();
    const first = this.#countWhile(({ element }) => element.getBoundingClientRect().bottom < top);
    const last = this.#countWhile(({ element }) => element.getBoundingClientRect().top <= bottom);
    return this.blocks.slice(Math.max(0, first - 1), last + 1);
  }

  /** The first code point in view. */
  get pointInView() {
    const { top } = this.pane.getBoundingClientRect();
    const block = this.blocks[this.#countWhile(({ element }) => element.getBoundingClientRect().bottom <= top + 1)];
    if (!block) return this.length;
    const { left, right, top: blockTop } = block.element.getBoundingClientRect();
    return blockTop >= top ? block.start : (this.pointAt((left + right) / 2, top + 12) ?? block.start);
  }

  /** Scroll a span to where one reads. Its block may only now be laid out, so the place is looked for again. */
  async reveal(span) {
    this.revealed?.(span.start);
    const run = (this.revealing = {});
    const range = this.rangeOf(span);
    const view = this.pane.getBoundingClientRect();
    this.blockAt(span.start).element.scrollIntoView({ block: "nearest" });
    for (let times = 0; times < 8 && this.revealing === run; times += 1) {
      const wanted = view.top + view.height * EYE;
      const before = this.pane.scrollTop;
      this.pane.scrollTop += range.getBoundingClientRect().top - wanted;
      await new Promise((done) => requestAnimationFrame(done));
      if (Math.abs(this.pane.scrollTop - before) < 1 && times) return;
    }
    if (!REGISTRY) document.getSelection().setBaseAndExtent(...this.positionOf(span.start), ...this.positionOf(span.end));
  }

  #moved({ start, end, quote }, block) {
    return { start: start + block.start, end: end + block.start, quote };
  }

  #sentencesOf(block) {
    block.sentences ??= this.#split(block);
    return block.sentences;
  }

  #split(block) {
    if (typeof Intl.Segmenter !== "function") return [[block.start, block.end]];
    const pieces = [...new Intl.Segmenter("en", { granularity: "sentence" }).segment(block.text)];
    return pieces
      .filter(({ segment }) => segment.trim())
      .map(({ index, segment }) => {
        const start = index + segment.length - segment.trimStart().length;
        return [start, start + segment.trim().length].map((unit) => block.start + block.map.toPoints(unit));
      });
  }

  #blockWith(node, offset) {
    const inside = this.blockOf.get(node) ?? this.blockOf.get(node.parentElement);
    if (inside || !this.element.contains(node)) return inside;
    const child = node === this.element ? node.childNodes[offset] : node;
    return this.blocks.find(({ element }) => element === child || child?.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  /** How many blocks begin at or before a code point. */
  #firstAfter(point) {
    return this.#countWhile(({ start }) => start <= point);
  }

  #countWhile(test) {
    let [low, high] = [0, this.blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(this.blocks[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
