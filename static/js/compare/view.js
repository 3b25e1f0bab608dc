/** What the person sees: two texts, and below them the questions with their answers. */

import { showLength } from "../page.js";

const STATUS_WORDS = {
  saving: "Saving ...",
  asking: "Not saved - answer below",
  offline: "Not saved - no connection, kept here",
  login: "Not saved - you are logged out, kept here",
  gone: "Not saved - kept here",
  closed: "Not saved - kept here",
  refused: "Not saved",
  unkept: "Not saved - leave this page open",
  server: "Not saved - the server has a problem, kept here",
};
const PROBLEMS = {
  offline: "No connection to the server. Your answers are kept here and are sent when it is back.",
  gone: "This task is closed, or somebody else is logged in now. Your last answers are kept in this browser.",
  closed: "This comparison was submitted in another window. Changes made here are kept in this browser; take it back to store them.",
  unkept: "This browser can keep nothing. Leave this page open until your answers are saved.",
};
const WORDS = { a: "Summary A", b: "Summary B", draw: "Draw", yes: "Yes", no: "No", "": "no answer" };

const one = (selector) => document.querySelector(selector);

export class View {
  constructor() {
    this.page = one("[data-compare]");
    this.texts = [...document.querySelectorAll("[data-text]")];
    this.questions = [...document.querySelectorAll("[data-slot]")];
    this.list = one("#questions");
    this.fold = one("[data-fold]");
    this.problem = one("[data-problem]");
    this.submitButton = one("[data-submit]");
    this.reopenButton = one("[data-reopen]");
    this.#watchTexts();
    this.#watchBar();
    this.fold.addEventListener("click", () => this.foldQuestions());
    one("[data-keys]").addEventListener("click", () => this.showKeys());
  }

  get dialogOpen() {
    return document.querySelector("dialog[open]") !== null;
  }

  get current() {
    return this.questions.find((question) => question.hasAttribute("data-current"))?.dataset.slot;
  }

  questionOf(slot) {
    return this.questions.find((question) => question.dataset.slot === slot);
  }

  /** Make a question the one that the keys answer. */
  choose(slot, { focus = false } = {}) {
    for (const question of this.questions) question.toggleAttribute("data-current", question.dataset.slot === slot);
    const question = this.questionOf(slot);
    if (!question || !focus) return;
    this.foldQuestions(false);
    (question.querySelector("input:checked") ?? question.querySelector("input")).focus({ preventScroll: true });
    question.scrollIntoView({ block: "nearest" });
  }

  move(steps) {
    const at = this.questions.findIndex((question) => question.hasAttribute("data-current"));
    const question = this.questions[Math.min(Math.max(at + steps, 0), this.questions.length - 1)];
    this.choose(question.dataset.slot, { focus: true });
  }

  takes(slot, answer) {
    return this.questionOf(slot)?.querySelector(`input[value="${answer}"]`) != null;
  }

  comment(slot) {
    this.foldQuestions(false);
    this.questionOf(slot)?.querySelector("textarea")?.focus();
  }

  show(answers, slot) {
    for (const { slot: each } of slot ? [{ slot }] : answers.slots) this.#showAnswer(each, answers);
    const { length } = answers.slots;
    one("[data-count]").textContent = `${answers.done} of ${length} answered`;
    this.submitButton.classList.toggle("primary", !answers.missing().length);
  }

  showState(editable) {
    one("[data-submitted]").hidden = editable;
    this.submitButton.hidden = !editable;
    for (const field of this.list.querySelectorAll("input, textarea")) field.disabled = !editable;
    if (editable) return;
    this.complain("");
    this.choose(null);
  }

  /** After a submit: what comes next is at hand, also where the questions are longer than the window. */
  goOn() {
    one("[data-submitted] .primary").focus();
  }

  showMissing(slots) {
    for (const question of this.questions) question.toggleAttribute("data-missing", slots.includes(question.dataset.slot));
    if (!slots.length) return;
    const count = slots.length === 1 ? "1 question has" : `${slots.length} questions have`;
    this.complain(`${count} no answer yet. Answer what is marked, then submit.`);
    this.choose(slots[0], { focus: true });
  }

  /** Say what is missing or went wrong; "" takes it away. */
  complain(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  announce(text) {
    one("[data-announce]").textContent = text;
  }

  showStatus({ kind, at, text }, login) {
    const time = at && new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(at);
    const saved = one("[data-saved]");
    saved.textContent = kind === "saved" ? (time ? `Saved ${time}` : "") : STATUS_WORDS[kind];
    saved.dataset.state = kind;
    const problem = kind === "refused" ? text : PROBLEMS[kind];
    if (kind === "login") {
      const link = document.createElement("a");
      link.href = `${login}?next=${encodeURIComponent(window.location.pathname)}`;
      link.textContent = "Log in again";
      this.complain("You are logged out. Your answers are kept here and are sent when you are back. ");
      this.problem.append(link);
    } else if (problem) this.complain(problem);
    else if (this.warned) this.complain("");
    this.warned = kind === "login" || Boolean(problem);
  }

  /** Fold the questions away to read, or show them again. */
  foldQuestions(hide = !this.list.hidden) {
    this.list.hidden = hide;
    this.fold.setAttribute("aria-expanded", String(!hide));
    this.fold.firstChild.textContent = hide ? "Show the questions " : "Only read ";
  }

  showText(side) {
    this.page.dataset.shown = side;
    for (const tab of document.querySelectorAll("[data-tab]")) tab.setAttribute("aria-pressed", String(tab.dataset.tab === side));
    this.texts.find((text) => text.dataset.text === side).focus();
  }

  showKeys() {
    one("[data-keys-dialog]").showModal();
  }

  /** The page works: nothing has to be said about a script that did not start. */
  started() {
    this.submitButton.disabled = false;
    document.getElementById("not-started").remove();
  }

  onAnswer(act) {
    this.list.addEventListener("change", ({ target }) => target.type === "radio" && act(target.name, target.value));
  }

  onComment(act) {
    this.list.addEventListener("input", ({ target }) => {
      if (target.matches("textarea")) act(target.closest("[data-slot]").dataset.slot, target.value);
    });
  }

  onVisit(act) {
    this.list.addEventListener("focusin", ({ target }) => act(target.closest("[data-slot]").dataset.slot));
  }

  #showAnswer(slot, answers) {
    const question = this.questionOf(slot);
    const { answer, comment } = answers.of(slot);
    for (const input of question.querySelectorAll("input")) input.checked = input.value === answer;
    const field = question.querySelector("textarea");
    if (field && field.value !== comment) field.value = comment;
    if (field) showLength(field);
    if (answer) question.removeAttribute("data-missing");
    const theirs = answers.conflict(slot);
    const conflict = question.querySelector(".compare-conflict");
    conflict.hidden = !theirs;
    if (theirs) conflict.textContent = `In another window you answered “${WORDS[theirs.answer]}”, here “${WORDS[answer]}”. Choose again which one holds.`;
  }

  /** The bar has one line or two; what sticks to the window's top stands below it. */
  #watchBar() {
    const bar = one(".workspace-bar");
    new ResizeObserver(() => this.page.style.setProperty("--bar", `${bar.getBoundingClientRect().height}px`)).observe(bar);
  }

  #watchTexts() {
    for (const tab of document.querySelectorAll("[data-tab]")) tab.addEventListener("click", () => this.showText(tab.dataset.tab));
    const together = one("[data-together]");
    for (const text of this.texts) {
      text.addEventListener("scroll", () => {
        const other = this.texts.find((each) => each !== text);
        if (!together.checked || this.scrolling === text) return void (this.scrolling = null);
        this.scrolling = other;
        const share = text.scrollTop / Math.max(1, text.scrollHeight - text.clientHeight);
        other.scrollTop = share * (other.scrollHeight - other.clientHeight);
      });
    }
  }
}
