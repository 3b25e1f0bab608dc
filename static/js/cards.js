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
    const tops = [...wanted];
    const pinned = Math.max(0, keys.indexOf(this.active));
    for (let index = pinned - 1; index >= 0; index -= 1) {
      tops[index] = Math.min(wanted[index], tops[index + 1] - heights[index]);
    }
    tops[0] = Math.max(tops[0] ?? 0, 0);
    for (let index = 1; index < keys.length; index += 1) {
      tops[index] = Math.max(index <= pinned ? tops[index] : wanted[index], tops[index - 1] + heights[index - 1]);
    }
    return tops;
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
