/** What the reviewer sees: the text with one mark in view, and the panel with its question and answers. */

import { showLength } from "../page.js";

const STATUS_WORDS = {
  saving: "Saving ...",
  offline: "Not saved - no connection, kept here",
  login: "Not saved - you are logged out, kept here",
  gone: "Not saved - kept here",
  refused: "Not saved",
  server: "Not saved - the server has a problem, kept here",
};

const one = (selector) => document.querySelector(selector);

export class View {
  constructor(map) {
    this.map = map;
    this.text = map.element;
    this.buttons = [...document.querySelectorAll("[data-agreement]")];
    this.agreements = Object.fromEntries(this.buttons.map((button, at) => [String(at + 1), button.dataset.agreement]));
    this.reasons = one("[data-reasons]");
    this.boxes = [...this.reasons.querySelectorAll("input")];
    this.commentField = one("[data-comment]");
    this.dialog = one("[data-submit-dialog]");
    this.problem = one("[data-problem]");
  }

  get comment() {
    return this.commentField.value;
  }

  get dialogOpen() {
    return document.querySelector("dialog[open]") !== null;
  }

  reasonAt(at) {
    return this.boxes[at].value;
  }

  show({ item, index, answer, done, total, canUndo }) {
    const moved = this.key !== item.key;
    this.key = item.key;
    const position = `Mark ${index + 1} of ${total}`;
    one("[data-position]").textContent = `${position}, ${done} answered`;
    Object.assign(one("[data-progress]"), { value: done, max: total });
    one("[data-back]").disabled = index === 0;
    one("[data-undo]").disabled = !canUndo;
    const submit = one("[data-submit]");
    submit.textContent = done === total ? `Submit ${total} ${total === 1 ? "answer" : "answers"}` : "Submit answers";
    submit.classList.toggle("primary", done === total);
    if (moved) {
      this.#showMark(item);
      this.commentField.value = answer.comment;
      showLength(this.commentField);
      this.complain("");
      this.announce(`${position}. ${this.#spoken(item)}`);
    }
    this.showAnswer(answer);
  }

  showAnswer({ agreement, reasons }) {
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.agreement === agreement));
    this.reasons.hidden = agreement !== "partial";
    for (const box of this.boxes) box.checked = reasons.includes(box.value);
    one("[data-optional]").hidden = agreement === "partial" && reasons.includes("other");
  }

  restoreComment(comment) {
    this.commentField.value = comment;
  }

  /** Say something to those who listen to the page. */
  announce(text) {
    one("[data-announce]").textContent = text;
  }

  /** Say what is missing or went wrong; "" takes it away. */
  complain(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  /** The answer changed, so what was missing of it may be there; what is said of the connection stays. */
  settle() {
    if (!this.warned) this.complain("");
  }

  /** The page works: nothing has to be said about a script that did not start. */
  started() {
    one("[data-submit]").disabled = false;
    document.getElementById("not-started").remove();
  }

  showStatus({ kind, at, text }, login) {
    const line = one("[data-saved]");
    const time = at && new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(at);
    line.textContent = kind === "saved" ? (time ? `Saved ${time}` : "") : STATUS_WORDS[kind];
    line.dataset.state = kind;
    if (kind === "login") {
      const link = document.createElement("a");
      link.href = `${login}?next=${encodeURIComponent(window.location.pathname)}`;
      link.textContent = "Log in again";
      this.complain("You are logged out. Your answers are kept here and are sent when you are back. ");
      this.problem.append(link);
    } else if (kind === "offline") {
      this.complain("No connection to the server. Your answers are kept here and are sent when it is back.");
    } else if (kind === "gone") {
      this.complain("This task is closed, or somebody else is logged in now. Your last answers are kept in this browser.");
    } else if (kind === "refused" && text) this.complain(text);
    else if (kind === "saved" && this.warned) this.complain("");
    this.warned = ["login", "offline", "gone"].includes(kind);
  }

  /** Nothing is left to answer: the reviewer may look back, or submit with Enter. */
  offerToSubmit() {
    this.announce("All marks are answered. Enter submits them.");
    one("[data-submit]").focus();
  }

  /** Resolves to true when the reviewer says so. */
  confirmSubmit(total) {
    this.dialog.querySelector("[data-submit-confirm]").textContent = `Submit ${total} ${total === 1 ? "answer" : "answers"}`;
    this.dialog.returnValue = "cancel";
    this.dialog.showModal();
    return new Promise((resolve) => {
      this.dialog.addEventListener("close", () => resolve(this.dialog.returnValue === "submit"), { once: true });
    });
  }

  onAnswer(act) {
    for (const button of this.buttons) button.addEventListener("click", () => act(button.dataset.agreement));
  }

  onReason(act) {
    for (const box of this.boxes) box.addEventListener("change", () => act(box.value));
  }

  onComment(act) {
    this.commentField.addEventListener("input", act);
  }

  onBack(act) {
    one("[data-back]").addEventListener("click", act);
  }

  onNext(act) {
    one("[data-next]").addEventListener("click", act);
  }

  onUndo(act) {
    one("[data-undo]").addEventListener("click", act);
  }

  onSubmit(act) {
    one("[data-submit]").addEventListener("click", act);
  }

  #showMark({ spans, questions, types }) {
    this.text.replaceChildren(...this.#pieces(spans));
    this.text.querySelector("mark")?.scrollIntoView({ block: "center" });
    one("[data-place]").textContent = spans.length > 1 ? "About these two places together" : "About this place";
    const lines = questions.map((question) => Object.assign(document.createElement("p"), { textContent: question }));
    one("[data-questions]").replaceChildren(...lines);
    if (!lines.length) one("[data-questions]").textContent = "No question was written.";
    one("[data-types]").hidden = !types.length;
    one("[data-types]").textContent = types.join(", ");
  }

  /** The text as nodes, with <mark> around what lies in a span; spans may overlap. */
  #pieces(spans) {
    const edges = [...new Set([0, this.map.length, ...spans.flat()])].sort((a, b) => a - b);
    return edges.slice(0, -1).map((start, at) => {
      const text = this.map.slice(start, edges[at + 1]);
      if (!spans.some(([from, to]) => from <= start && start < to)) return document.createTextNode(text);
      return Object.assign(document.createElement("mark"), { textContent: text });
    });
  }

  #spoken({ spans, questions }) {
    const places = spans.map(([start, end]) => `“${this.map.slice(start, end)}”`).join(" and ");
    return `${places}. ${questions.length ? questions.join(" ") : "No question was written."}`;
  }
}
