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
    this.opened = JSON.stringify(draft);
    this.question.value = draft.questions;
    for (const chip of this.chips) {
      const chosen = draft.error_types.includes(chip.value);
      chip.setAttribute("aria-pressed", chosen);
      chip.hidden = "retired" in chip.dataset && !chosen;
    }
    this.#define(null);
    const quotes = draft.spans.map(({ quote }) => Object.assign(document.createElement("q"), { textContent: quote }));
    this.quotes.replaceChildren(...quotes);
    this.relateButton.hidden = draft.spans.length === 2;
    this.form.hidden = false;
    this.place(top, left);
    this.question.focus({ preventScroll: true });
    this.form.scrollIntoView({ block: "nearest" });
    this.#keep();
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
    if (!this.isOpen) return; // a second click on Save
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
