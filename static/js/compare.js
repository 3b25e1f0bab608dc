/** The comparison page: questions about two texts, answered by keys or clicks; every change is sent as it is made. */

import { ActiveTime } from "./workspace/store.js";
import { Answers } from "./compare/answers.js";
import { View } from "./compare/view.js";
import { ask } from "./page.js";

const data = JSON.parse(document.getElementById("page-data").textContent);
const view = new View();
const answers = new Answers(data);
const time = new ActiveTime({ url: `${data.api}active-time/`, seconds: data.sheet.active_seconds, ask });

const ANSWER_KEYS = { a: "a", b: "b", d: "draw", y: "yes", n: "no" };
const TEXT_KEYS = { 1: "a", 2: "b" };
const COMMENT_PAUSE_MS = 600;
const commentTimers = new Map();

function answer(slot, value) {
  saveComment(slot);
  answers.change(slot, { answer: value });
  if (!view.problem.hidden && !view.warned && !answers.missing().length) view.complain("");
}

function saveComment(slot) {
  const waiting = commentTimers.get(slot);
  if (!waiting) return;
  clearTimeout(waiting.timer);
  commentTimers.delete(slot);
  answers.change(slot, { comment: waiting.text });
}

function saveComments() {
  for (const slot of [...commentTimers.keys()]) saveComment(slot);
}

function answerByKey(value) {
  const slot = view.current;
  if (!answers.editable || !slot || !view.takes(slot, value)) return;
  answer(slot, value);
  const next = answers.after(slot) ?? answers.missing()[0];
  if (next) view.choose(next, { focus: true });
  else {
    view.announce("All questions are answered. Control and Enter submits.");
    view.submitButton.focus();
  }
}

async function submit() {
  if (!answers.editable || submit.running) return;
  submit.running = true;
  view.submitButton.disabled = true;
  saveComments();
  const open = answers.missing();
  await time.send(); // while the task takes it
  const result = open.length ? { missing: open } : await answers.submit();
  view.submitButton.disabled = false;
  submit.running = false;
  if (result.missing) view.showMissing(result.missing);
  else if (result.problem) view.complain(result.problem);
  else view.goOn();
}

async function reopen() {
  const { problem } = await answers.reopen();
  if (problem) view.complain(problem);
  else view.choose(answers.slots[0].slot, { focus: true });
}

function onKey(event) {
  if (event.altKey || event.metaKey || view.dialogOpen) return;
  const writing = event.target.closest?.("textarea");
  if (event.key === "Enter" && event.ctrlKey) submit();
  else if (event.key === "Escape" && writing) view.choose(view.current, { focus: true });
  else if (event.ctrlKey || writing || event.target.closest?.("details[data-menu]")) return;
  else if (!command(event.key.toLowerCase(), event)) return;
  event.preventDefault();
}

/** Whether the key means something here. */
function command(key, event) {
  const inText = event.target.closest?.("[data-text]");
  if (ANSWER_KEYS[key]) answerByKey(ANSWER_KEYS[key]);
  else if (TEXT_KEYS[key]) view.showText(TEXT_KEYS[key]);
  else if (key === "arrowdown" && !inText) view.move(1);
  else if (key === "arrowup" && !inText) view.move(-1);
  else if (key === "c") view.comment(view.current);
  else if (key === "q") view.foldQuestions();
  else if (key === "?") view.showKeys();
  else return false;
  return true;
}

view.onAnswer(answer);
view.onComment((slot, text) => {
  clearTimeout(commentTimers.get(slot)?.timer);
  commentTimers.set(slot, { text, timer: setTimeout(() => saveComment(slot), COMMENT_PAUSE_MS) });
});
view.onVisit((slot) => view.choose(slot));
view.submitButton.addEventListener("click", submit);
view.reopenButton.addEventListener("click", reopen);
document.addEventListener("keydown", onKey);
window.addEventListener("pagehide", saveComments);

answers.addEventListener("change", ({ detail }) => {
  // A field that is being written in is not overwritten with what was stored before.
  if (detail ? !commentTimers.has(detail) : !commentTimers.size) view.show(answers, detail);
});
answers.addEventListener("status", () => view.showStatus(answers.status(), data.login));
answers.addEventListener("state", showState);

function showState() {
  view.showState(answers.editable);
  time.setRunning(answers.editable);
}

view.show(answers);
showState();
if (answers.editable) view.choose(answers.missing()[0] ?? answers.slots[0].slot);
answers.send();
view.started();
