/** How a place of the source becomes evidence: hints, one after the other (`Hints`), and selecting (`SourceSelection`). */

import { ask } from "../page.js";
import { TextSelection } from "../workspace/selection.js";
import { byId } from "../workspace/workspace.js";

const AGAIN_MS = 5000;

/** The hints of the unit in view. The person goes to them one by one; how far they went is counted. */
export class Hints {
  /**
   * @param {{url: string | null, source: import("./source.js").SourceText, take: (span, rank: number) => void,
   *   viewed: (rank: number) => void, announce: (text: string) => void}} options `url`: null where there are none
   */
  constructor(options) {
    Object.assign(this, options);
    this.at = -1;
    if (!this.url) return;
    this.label = byId("hint-label");
    this.buttons = [...document.querySelectorAll("[data-hint]")];
    for (const button of this.buttons) button.addEventListener("click", () => this.step(Number(button.dataset.hint)));
    this.takeButton = byId("take-hint");
    this.takeButton.addEventListener("click", () => this.takeCurrent());
    this.#load();
  }

  get current() {
    return this.places?.[this.at] ?? null;
  }

  /** Another unit is in view. */
  turnTo(key) {
    this.key = key;
    this.at = -1;
    this.#show();
  }

  step(by) {
    const { places } = this;
    if (!places?.length) return;
    this.at = this.at === -1 ? (by > 0 ? 0 : places.length - 1) : (this.at + by + places.length) % places.length;
    this.viewed(this.at + 1);
    this.#show();
    this.source.reveal(this.current);
    this.announce(`Hint ${this.at + 1}: ${this.source.slice(this.current.start, this.current.end)}`);
  }

  takeCurrent() {
    if (!this.current) return false;
    const { start, end } = this.current;
    this.take(this.source.spanOf(start, end), this.at + 1);
    return true;
  }

  async #load() {
    const { status, body } = await ask(this.url);
    if (status === 200) this.all = body.hints;
    else setTimeout(() => this.#load(), AGAIN_MS);
    this.failed = status !== 200;
    this.#show();
  }

  #show() {
    if (!this.url) return;
    this.places = this.all?.[this.key]?.map(([start, end]) => ({ start, end }));
    const { length } = this.places ?? [];
    for (const button of this.buttons) button.disabled = !length;
    this.takeButton.disabled = !this.current;
    this.label.textContent = this.#words(length);
    this.source.paint("hint", this.current ? [this.current] : [], 2);
  }

  #words(length) {
    if (!this.places) return this.failed ? "No hints yet: no connection" : "Looking for hints…";
    if (!length) return "No hints";
    return this.current ? `Hint ${this.at + 1} of ${length}` : length === 1 ? "1 hint" : `${length} hints`;
  }
}

/** The ways to select a span, in the source; a button at the selection takes it. */
export class SourceSelection extends TextSelection {
  /** @param {{take: (span) => void, pick: (point: number) => boolean, announce: Function}} options */
  constructor(source, { take, pick, announce }) {
    const touchButton = byId("take-selection");
    let pressed = false;
    touchButton.addEventListener("click", () => (pressed = true)); // before the one of `TextSelection`
    for (const name of ["pointerdown", "mousedown"]) touchButton.addEventListener(name, (event) => event.preventDefault());
    super(source, {
      caret: byId("caret"),
      touchButton,
      announce,
      onPick: pick,
      onPoint: () => {},
      onSelect: (span) => {
        const wanted = pressed;
        pressed = false;
        if (wanted) take(span);
        else this.offer(span);
      },
    });
    source.revealed = (point) => (this.shown = point);
    document.addEventListener("selectionchange", () => {
      if (!this.current()) touchButton.hidden = true;
      if (source.element.contains(document.getSelection().focusNode)) this.shown = null;
    });
  }

  /** Put the caret at what was found or shown last, or else where it was. */
  focusText() {
    this.focusAt(this.shown ?? this.lastPoint ?? 0);
  }

  get sentences() {
    return this.map.sentencesNear(this.lastPoint ?? 0);
  }

  /** Show the button that takes a span. */
  offer(span) {
    const { touchButton: button, map } = this;
    button.hidden = !this.enabled;
    const last = [...map.rangeOf(span).getClientRects()].at(-1);
    const frame = button.offsetParent?.getBoundingClientRect();
    if (!last || !frame) return;
    button.style.top = `${last.bottom - frame.top + 6}px`;
    button.style.left = `${Math.max(0, Math.min(last.right - frame.left - 60, frame.width - button.offsetWidth - 8))}px`;
  }
}
