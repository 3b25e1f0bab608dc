/**
 * Ways to select a span (`TextSelection`): mouse, touch, keyboard alone; and the form at the selection (`MarkForm`).
 *
 * The text is not editable, so the keyboard moves the document's selection with `Selection.modify`, the caret is drawn
 * here, and what the caret reaches is spoken through `announce`. Sentence steps use the stored sentences.
 */

const TOUCH_SETTLE_MS = 350;

export class TextSelection {
  /**
   * @param {import("../offsets.js").TextMap} map or what answers like one (`SourceText`)
   * @param {{sentences: [number, number][], caret: HTMLElement, touchButton: HTMLButtonElement,
   *   onSelect: (span) => void, onPick: (point: number, event?: MouseEvent) => void,
   *   onPoint: (point: number | null, event: PointerEvent) => void,
   *   announce: (text: string) => void}} options
   */
  constructor(map, options) {
    Object.assign(this, { map, ...options });
    this.enabled = true;
    this.lastPointer = "mouse";
    this.#listen();
  }

  /** Put the caret at a code point and the focus into the text. */
  focusAt(point) {
    this.#select(point, point);
    this.map.element.focus({ preventScroll: true });
    this.drawCaret();
    this.caret.scrollIntoView({ block: "nearest" });
  }

  /** Put the focus into the text, where the caret was last. */
  focusText() {
    this.focusAt(this.lastPoint ?? 0);
  }

  clear() {
    this.tapped = null;
    document.getSelection().removeAllRanges();
    this.touchButton.hidden = true;
    this.drawCaret();
  }

  current() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const inText = [selection.anchorNode, selection.focusNode].some((node) => this.map.element.contains(node));
    return inText ? this.map.selected(selection.getRangeAt(0)) : null;
  }

  drawCaret() {
    const { caret, map } = this;
    const selection = document.getSelection();
    caret.hidden = document.activeElement !== map.element || !map.element.contains(selection.focusNode);
    if (caret.hidden) return;
    const rect = this.map.caretBox(selection.focusNode, selection.focusOffset);
    const frame = caret.offsetParent.getBoundingClientRect();
    caret.style.left = `${rect.left - frame.left}px`;
    caret.style.top = `${rect.top - frame.top}px`;
    caret.style.height = `${rect.height}px`;
  }

  #listen() {
    const { element } = this.map;
    document.addEventListener("pointerdown", (event) => {
      Object.assign(this, { lastPointer: event.pointerType, pressed: event.target, pressing: true, moved: event });
      // A press inside an old selection would drag it instead of starting a new one.
      const fresh = event.pointerType === "mouse" && event.button === 0 && !event.shiftKey;
      if (fresh && element.contains(event.target)) document.getSelection().removeAllRanges();
    });
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => (this.pressing = false));
    document.addEventListener("pointermove", (event) => (this.moved = event));
    document.addEventListener("mouseup", (event) => {
      // The browser settles a click's selection after this event.
      if (this.lastPointer === "mouse" && event.button === 0) setTimeout(() => this.#mouseDone(event));
    });
    document.addEventListener("selectionchange", () => {
      if (this.pressing) this.map.hold(document.getSelection(), this.moved);
      const { focusNode, focusOffset } = document.getSelection();
      if (element.contains(focusNode)) this.lastPoint = this.map.pointOf(focusNode, focusOffset);
      this.drawCaret();
      clearTimeout(this.settling);
      const { start, end } = this.current() ?? this.tapped ?? {};
      if (start !== this.tapped?.start || end !== this.tapped?.end) this.tapped = null; // handles were drawn
      if (this.lastPointer !== "mouse") this.settling = setTimeout(() => this.#offerTouch(), TOUCH_SETTLE_MS);
    });
    element.addEventListener("click", (event) => {
      if (this.lastPointer !== "mouse" && (this.tapped || !this.current())) this.#tap(event);
    });
    element.addEventListener("pointermove", (event) => {
      cancelAnimationFrame(this.pointing);
      this.pointing = requestAnimationFrame(() => this.onPoint(this.map.pointAt(event.clientX, event.clientY), event));
    });
    element.addEventListener("pointerleave", (event) => this.onPoint(null, event));
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focus", () => {
      // A press puts the caret itself; only a focus from the keyboard needs one.
      const outside = !element.contains(document.getSelection().focusNode);
      if (!this.pressing && outside) this.#select(this.lastPoint ?? 0, this.lastPoint ?? 0);
      this.drawCaret();
    });
    element.addEventListener("blur", () => this.drawCaret());
    this.touchButton.addEventListener("click", () => {
      this.touchButton.hidden = true;
      if (this.current()) this.onSelect(this.current());
    });
  }

  #mouseDone(event) {
    if (this.pressed instanceof Element && this.pressed.closest("dialog, form, .cards, .drawer")) return;
    this.map.hold(document.getSelection(), event);
    const span = this.current();
    if (span && this.enabled) this.onSelect(span);
    else if (!span && this.map.element.contains(event.target)) this.#pick(event);
  }

  /** Whether there was a mark to pick. */
  #pick(event) {
    const point = this.map.pointAt(event.clientX, event.clientY);
    return point !== null && this.onPick(point, event);
  }

  /** A tap selects a word, the next one extends to another word; on the selection or beside words it gives it up. */
  #tap(event) {
    const { tapped } = this;
    const word = this.enabled ? this.map.wordUnder(event.clientX, event.clientY) : null;
    this.tapped = null;
    if (!tapped && this.#pick(event)) return;
    if (!word || (tapped && tapped.start <= word.start && word.end <= tapped.end)) return this.clear();
    const from = tapped ?? word;
    this.tapped = { start: Math.min(from.start, word.start), end: Math.max(from.end, word.end) };
    this.#select(this.tapped.start, this.tapped.end);
    this.#say("word");
  }

  #offerTouch() {
    const span = this.enabled ? this.current() : null;
    this.touchButton.hidden = !span;
    if (!span) return;
    const rects = this.map.rangeOf(span).getClientRects();
    const last = rects[rects.length - 1];
    const frame = this.touchButton.offsetParent.getBoundingClientRect();
    this.touchButton.style.top = `${last.bottom - frame.top + 12}px`;
    this.touchButton.style.left = `${Math.max(0, Math.min(last.right - frame.left - 60, frame.width - 140))}px`;
  }

  #key(event) {
    const byWord = event.ctrlKey || event.altKey;
    const alter = event.shiftKey ? "extend" : "move";
    const moves = {
      ArrowLeft: () => this.#modify(alter, "left", byWord ? "word" : "character"),
      ArrowRight: () => this.#modify(alter, "right", byWord ? "word" : "character"),
      ArrowUp: () => (byWord ? this.#sentence(alter, -1) : this.#modify(alter, "backward", "line")),
      ArrowDown: () => (byWord ? this.#sentence(alter, 1) : this.#modify(alter, "forward", "line")),
      Home: () => (byWord ? this.#moveTo(alter, 0) : this.#modify(alter, "backward", "lineboundary")),
      End: () => (byWord ? this.#moveTo(alter, this.map.length) : this.#modify(alter, "forward", "lineboundary")),
    };
    const commands = { w: () => this.#growWord(), s: () => this.#growSentence(), Enter: () => this.#open() };
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = moves[key] ?? (plain ? commands[key] : null);
    if (event.metaKey || !action) return;
    event.preventDefault();
    this.lastPointer = "mouse"; // keyboards need no touch button
    action();
    this.drawCaret();
    this.caret.scrollIntoView({ block: "nearest" });
  }

  #modify(alter, direction, granularity) {
    const selection = document.getSelection();
    const before = [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
    selection.modify(alter, direction, granularity);
    if (!this.map.has(selection.focusNode)) selection.setBaseAndExtent(...before);
    this.#say(granularity);
  }

  #sentence(alter, step) {
    const { focus } = this.#ends();
    const starts = this.sentences.map(([start]) => start);
    const ends = this.sentences.map(([, end]) => end);
    let target;
    if (step < 0) target = starts.findLast((start) => start < focus) ?? 0;
    else target = (alter === "extend" ? ends : starts).find((each) => each > focus) ?? this.map.length;
    this.#moveTo(alter, target, "sentence");
  }

  #moveTo(alter, target, granularity = "sentence") {
    this.#select(alter === "extend" ? this.#ends().anchor : target, target);
    this.#say(granularity);
  }

  /** Select the word at the caret; again: one word more. */
  #growWord() {
    const selected = this.current();
    const word = this.map.wordAt(selected ? selected.end : this.#ends().focus);
    if (!word) return;
    this.#select(selected ? selected.start : word.start, word.end);
    this.#say("word");
  }

  /** Select the sentence at the caret; again: one sentence more. */
  #growSentence() {
    const selected = this.current();
    const { focus } = this.#ends();
    const edge = (side, point) => this.sentences.some((sentence) => sentence[side] === point);
    const whole = selected && edge(0, selected.start) && edge(1, selected.end);
    const sentence = this.sentences.find(([, end]) => end > (whole ? selected.end : selected?.start ?? focus));
    if (!sentence) return;
    this.#select(whole ? selected.start : sentence[0], sentence[1]);
    this.#say("sentence");
  }

  #open() {
    const span = this.current();
    if (span && this.enabled) this.onSelect(span);
    else if (!span) this.onPick(this.#ends().focus);
  }

  #ends() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection();
    if (!this.map.element.contains(focusNode)) return { anchor: 0, focus: 0 };
    return { anchor: this.map.pointOf(anchorNode, anchorOffset), focus: this.map.pointOf(focusNode, focusOffset) };
  }

  #select(anchor, focus) {
    document.getSelection().setBaseAndExtent(...this.map.positionOf(anchor), ...this.map.positionOf(focus));
  }

  #say(granularity) {
    const span = this.current();
    if (span) return this.announce(`Selected: ${span.quote}`);
    const { focus } = this.#ends();
    const sentence = this.sentences.find(([, end]) => end > focus);
    if (granularity === "character") this.announce(this.map.slice(focus, focus + 1).trim() || "space");
    else if (granularity === "word") this.announce(this.map.wordAt(focus)?.quote ?? "end of the text");
    else this.announce(sentence ? this.map.slice(...sentence) : "end of the text");
  }
}

/**
 * The small form at a selection: questions, error types, save. What is typed is kept in the browser until it is saved
 * or given up, so that a reload in mid-sentence loses nothing.
 */
export class MarkForm {
  /**
   * @param {HTMLFormElement} form
   * @param {{task: string, onSave: (draft) => void, onCancel: (draft, changed: boolean) => void,
   *   onRelate: (draft) => void, announce: (text: string) => void}} options
   */
  constructor(form, options) {
    Object.assign(this, { form, ...options });
    this.question = form.querySelector("textarea");
    this.chips = [...form.querySelectorAll(".chip")];
    this.definition = form.querySelector(".mark-definition");
    this.quotes = form.querySelector("[data-quotes]");
    this.relateButton = form.querySelector("[data-relate]");
    this.storageKey = `form:${options.task}`;
    this.draft = null;
    this.#listen();
  }

  get isOpen() {
    return this.draft !== null;
  }

  /** @param {{key: string, isNew: boolean, spans, questions: string, error_types: string[]}} draft */
  open(draft, top, left) {
    this.draft = draft;
    this.question.value = draft.questions;
    for (const chip of this.chips) {
      const chosen = draft.error_types.includes(chip.value);
      chip.setAttribute("aria-pressed", chosen);
      chip.hidden = "retired" in chip.dataset && !chosen;
    }
    this.opened = JSON.stringify(this.current());
    this.#define(null);
    const quotes = draft.spans.map(({ quote }) => Object.assign(document.createElement("q"), { textContent: quote }));
    this.quotes.replaceChildren(...quotes);
    this.relateButton.hidden = draft.spans.length === 2;
    this.form.hidden = false;
    this.place(top, left);
    this.question.focus({ preventScroll: true });
    this.form.scrollIntoView({ block: "nearest" });
    this.question.dispatchEvent(new Event("input", { bubbles: true })); // is kept, and its length looked at
  }

  place(top, left) {
    const room = this.form.offsetParent.clientWidth - this.form.offsetWidth;
    this.form.style.top = `${top}px`;
    this.form.style.left = `${Math.max(0, Math.min(left, room))}px`;
  }

  close() {
    this.draft = null;
    this.form.hidden = true;
    this.#keep();
  }

  /** What was being written when the page went away, or null. */
  left() {
    try {
      return JSON.parse(localStorage.getItem(this.storageKey));
    } catch {
      return null;
    }
  }

  /** The draft as it is now. */
  current() {
    const chosen = this.chips.filter((chip) => chip.getAttribute("aria-pressed") === "true");
    return { ...this.draft, questions: this.question.value, error_types: chosen.map((chip) => chip.value) };
  }

  cancel() {
    if (!this.isOpen) return;
    const draft = this.current();
    const changed = JSON.stringify(draft) !== this.opened;
    this.close();
    this.onCancel(draft, changed);
  }

  #save() {
    if (!this.isOpen || !this.form.reportValidity()) return; // a second click on Save; too long a text
    const draft = this.current();
    this.close();
    this.onSave(draft);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    this.form.addEventListener("input", () => this.#keep());
    this.form.querySelector("[data-cancel]").addEventListener("click", () => this.cancel());
    this.relateButton.addEventListener("click", () => {
      const draft = this.current();
      this.close();
      this.onRelate(draft);
    });
    for (const chip of this.chips) {
      chip.addEventListener("click", () => this.#toggle(chip));
      for (const shown of ["focus", "pointerenter"]) chip.addEventListener(shown, () => this.#define(chip));
    }
    this.form.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    event.stopPropagation(); // letters typed here are no shortcuts of the page
    if (event.isComposing) return;
    if (event.key === "Escape") this.cancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#save();
    else if (!this.#number(event) && !this.#arrow(event)) return;
    event.preventDefault();
  }

  /** Number keys tick types: alone on the chips, with Alt while writing the question. */
  #number(event) {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const writing = event.target === this.question;
    const chip = digit && this.chips.find((each) => each.dataset.digit === digit && !each.hidden);
    if (!chip || event.ctrlKey || event.metaKey || event.altKey !== writing) return false;
    this.#toggle(chip);
    this.#define(chip);
    return true;
  }

  #arrow(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const shown = this.chips.filter((chip) => !chip.hidden);
    const at = shown.indexOf(event.target);
    if (!step || at === -1) return false;
    shown[(at + step + shown.length) % shown.length].focus();
    return true;
  }

  #toggle(chip) {
    const chosen = chip.getAttribute("aria-pressed") !== "true";
    chip.setAttribute("aria-pressed", chosen);
    this.announce(`${chip.dataset.name} ${chosen ? "ticked" : "not ticked"}`);
    this.#keep();
  }

  #define(chip) {
    this.definition.textContent = chip ? chip.dataset.definition : this.definition.dataset.empty;
  }

  #keep() {
    try {
      if (this.isOpen) localStorage.setItem(this.storageKey, JSON.stringify(this.current()));
      else localStorage.removeItem(this.storageKey);
    } catch {
      // Without storage the text is still in the form.
    }
  }
}
