/** One rating on the plan's scale: radio buttons, or a number with a slider beside it. */

export class RatingField {
  /** @param {HTMLElement} field `[data-rating]`; `onChange` gets the value, or null for an empty number */
  constructor(field, onChange) {
    this.field = field;
    this.radios = [...field.querySelectorAll("input[type=radio]")];
    this.number = field.querySelector("input[type=number]");
    this.slider = field.querySelector("input[type=range]");
    for (const radio of this.radios) radio.addEventListener("change", () => onChange(Number(radio.value)));
    this.slider?.addEventListener("input", () => (this.number.value = this.slider.value));
    this.slider?.addEventListener("change", () => this.#numberSet(onChange));
    this.number?.addEventListener("input", () => this.#numberSet(onChange));
  }

  get values() {
    return this.radios.map(({ value }) => Number(value));
  }

  show(value, editable) {
    for (const radio of this.radios) Object.assign(radio, { checked: Number(radio.value) === value, disabled: !editable });
    if (!this.number) return;
    for (const input of [this.number, this.slider]) input.disabled = !editable;
    this.slider.classList.toggle("unset", value === null);
    if (document.activeElement !== this.number) this.number.value = value ?? "";
    if (document.activeElement !== this.slider) this.slider.value = value ?? 50;
  }

  focus() {
    (this.radios.find(({ checked }) => checked) ?? this.radios[0] ?? this.number).focus();
  }

  /** A number is taken when it is one of the scale; half of one that is being typed is, too, and corrected by the rest. */
  #numberSet(onChange) {
    if (!this.number.checkValidity()) return;
    this.slider.classList.toggle("unset", this.number.value === "");
    onChange(this.number.value === "" ? null : Number(this.number.value));
  }
}
