/**
 * Offsets of the text under study. The browser counts UTF-16 units, the server and all other modules code points:
 * this is the only place that converts.
 *
 * A span is `{start, end, quote}`: code points `[start, end)`, and the text they cut out.
 */

const WHITE_SPACE = /\s/;

/** How many numbers of the ascending list `numbers` satisfy `test`; those that do come first. */
function countWhile(numbers, test) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(numbers[middle], middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function segments(text, granularity) {
  return typeof Intl.Segmenter === "function" ? new Intl.Segmenter("en", { granularity }).segment(text) : null;
}

export const firstOf = (spans) => spans.reduce((first, span) => (span.start < first.start ? span : first));

export const samePlace = (one, other) => one.start === other.start && one.end === other.end;

/** The one of some spans that another overlaps most, else the closest. */
export function nearest(spans, { start, end }) {
  const distance = (span) => Math.max(span.start, start) - Math.min(span.end, end);
  return spans.reduce((best, span) => (distance(span) < distance(best) ? span : best));
}

export class TextMap {
  /** @param {HTMLElement} element holds the text and nothing else */
  constructor(element) {
    element.normalize(); // parsers split long text into several nodes
    this.element = element;
    this.node = element.firstChild ?? element.appendChild(document.createTextNode(""));
    this.text = this.node.data;
    this.pairs = Array.from(this.text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g), (match) => match.index);
    this.graphemes = segments(this.text, "grapheme");
    this.words = segments(this.text, "word");
    this.length = this.toPoints(this.text.length);
  }

  /** Code points before a unit; a unit inside a surrogate pair counts as the pair's start. */
  toPoints(unit) {
    return unit - countWhile(this.pairs, (pair) => pair < unit);
  }

  toUnits(point) {
    return point + countWhile(this.pairs, (pair, index) => pair - index < point);
  }

  slice(start, end) {
    return this.text.slice(this.toUnits(start), this.toUnits(end));
  }

  spanOf(start, end) {
    return { start, end, quote: this.slice(start, end) };
  }

  /** A DOM range over a span. */
  rangeOf({ start, end }) {
    const range = document.createRange();
    range.setStart(this.node, this.toUnits(start));
    range.setEnd(this.node, this.toUnits(end));
    return range;
  }

  /** The DOM position of a code point, [node, unit]. */
  positionOf(point) {
    return [this.node, this.toUnits(point)];
  }

  has(node) {
    return node === this.node;
  }

  /** The code point at a DOM position; positions outside are clipped to the text. */
  pointOf(node, offset) {
    return this.toPoints(this.#unitOf(node, offset));
  }

  /** The code point nearest to a point of the screen, or null outside of the text's element. */
  pointAt(x, y) {
    const position = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const node = position?.offsetNode ?? position?.startContainer;
    return node && this.element.contains(node) ? this.pointOf(node, position.offset ?? position.startOffset) : null;
  }

  /** A drag that has left the text ends where the text is nearest; the browser would take in all that follows. */
  hold(selection, { clientX, clientY }) {
    const [from, to] = [selection.anchorNode, selection.focusNode].map((node) => this.element.contains(node));
    if (!from || to) return;
    const { left, right, top, bottom } = this.element.getBoundingClientRect();
    const highest = (document.querySelector(".workspace-bar")?.offsetHeight ?? 0) + 2; // the bar lies over the text
    const y = Math.min(Math.max(clientY, highest), innerHeight - 2);
    const beside = this.pointAt(Math.min(Math.max(clientX, left + 1), right - 1), y);
    const point = y < top ? 0 : y > bottom ? this.length : beside;
    if (point !== null) selection.extend(this.node, this.toUnits(point));
  }

  /** Where the caret stands on the screen at a DOM position: {left, top, height}. */
  caretBox(node, offset) {
    const at = this.#unitOf(node, offset);
    const range = document.createRange();
    range.setStart(this.node, at);
    const rect = range.getClientRects()[0];
    if (rect?.height) return rect;
    // At a line break a collapsed range has no box: take an edge of the character beside it.
    const after = at < this.text.length && this.text[at] !== "\n";
    range.setStart(this.node, after ? at : Math.max(0, at - 1));
    range.setEnd(this.node, after ? at + 1 : at);
    const box = range.getBoundingClientRect();
    return { left: after ? box.left : box.right, top: box.top, height: box.height || 24 };
  }

  /**
   * The span that a DOM range selects: clipped to the text, never cutting a character that people see as one, and
   * without white space at its edges. Null if nothing is left.
   */
  selected(range) {
    let start = this.#unitOf(range.startContainer, range.startOffset);
    let end = this.#unitOf(range.endContainer, range.endOffset);
    if (start >= end) return null;
    start = this.#grapheme(start).start;
    end = this.#grapheme(end - 1).end;
    while (start < end && WHITE_SPACE.test(this.text[start])) start += 1;
    while (start < end && WHITE_SPACE.test(this.text[end - 1])) end -= 1;
    return start < end ? this.spanOf(this.toPoints(start), this.toPoints(end)) : null;
  }

  /** The word at or after a code point, as a span; null after the last one. */
  wordAt(point) {
    const unit = this.toUnits(point);
    for (let at = unit; at < this.text.length; ) {
      const { index, segment, isWordLike } = this.#word(at);
      if (isWordLike) return this.spanOf(this.toPoints(index), this.toPoints(index + segment.length));
      at = index + segment.length;
    }
    return null;
  }

  /** The word under a point of the screen, with some room for a finger; null beside words. */
  wordUnder(x, y) {
    const point = this.pointAt(x, y);
    if (point === null) return null;
    const under = ({ left, right, top, bottom }) => x >= left - 2 && x <= right + 2 && y >= top - 6 && y <= bottom + 6;
    const words = [Math.max(0, point - 1), point].map((each) => this.wordAt(each));
    return words.find((word) => word && Array.from(this.rangeOf(word).getClientRects()).some(under)) ?? null;
  }

  #word(unit) {
    if (this.words) return this.words.containing(unit);
    const match = /^[\p{L}\p{N}'’]+|^./su.exec(this.text.slice(unit));
    return { index: unit, segment: match[0], isWordLike: /[\p{L}\p{N}]/u.test(match[0]) };
  }

  #grapheme(unit) {
    if (this.graphemes) {
      const { index, segment } = this.graphemes.containing(unit);
      return { start: index, end: index + segment.length };
    }
    const point = this.toPoints(unit);
    return { start: this.toUnits(point), end: this.toUnits(point + 1) };
  }

  #unitOf(node, offset) {
    if (node === this.node) return offset;
    if (node === this.element) return offset === 0 ? 0 : this.text.length;
    const before = this.element.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
    if (node.contains(this.element)) {
      const next = node.childNodes[offset]; // the position lies before this child
      const follows = Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY;
      const ahead = next && (next === this.element || next.compareDocumentPosition(this.element) & follows);
      return ahead ? 0 : this.text.length;
    }
    return before ? 0 : this.text.length;
  }
}
