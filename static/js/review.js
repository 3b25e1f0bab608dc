/** The review page: one mark at a time, answered by keys or clicks; every answer is sent as it is made. */

import { ActiveTime } from "./workspace/store.js";
import { TextMap } from "./offsets.js";
import { ask } from "./page.js";
import { Answers } from "./review/answers.js";
import { View } from "./review/view.js";

const data = JSON.parse(document.getElementById("page-data").textContent);
const view = new View(new TextMap(document.querySelector("[data-text]")));
const answers = new Answers({ task: data.task, api: data.api, items: data.items });
const time = new ActiveTime({ url: `${data.api}active-time/`, seconds: data.active_seconds, ask });

const REASON_KEYS = { a: 0, b: 1, c: 2, d: 3 };
const COMMENT_PAUSE_MS = 600;
const placeKey = `review-place:${data.task}`;
let index = startingPlace();
let commentTimer = 0;

const item = () => data.items[index];

/** Where this tab was before a reload, or else the first mark without an answer. */
function startingPlace() {
  const kept = data.items.findIndex(({ key }) => key === sessionStorage.getItem(placeKey));
  return Math.max(0, kept >= 0 ? kept : answers.firstOpen());
}

function show() {
  const { done, total, canUndo } = answers;
  sessionStorage.setItem(placeKey, item().key);
  view.show({ item: item(), index, answer: answers.of(item().key), done, total, canUndo });
}

function go(to) {
  saveComment();
  if (to < 0 || to >= answers.total) return;
  index = to;
  show();
}

/** On to the next mark; after the last one to the first without an answer, or else to the button that submits. */
function goOn() {
  saveComment();
  if (index + 1 < answers.total) go(index + 1);
  else if (answers.firstOpen() >= 0) go(answers.firstOpen());
  else view.offerToSubmit();
}

function answer(agreement) {
  clearTimeout(commentTimer);
  answers.change(item().key, { agreement, comment: view.comment });
  view.settle();
  show();
  if (agreement !== "partial") goOn();
}

function toggleReason(reason) {
  const { reasons } = answers.of(item().key);
  const changed = reasons.includes(reason) ? reasons.filter((each) => each !== reason) : [...reasons, reason];
  answers.change(item().key, { reasons: changed, comment: view.comment });
  view.settle();
  show();
}

function saveComment() {
  clearTimeout(commentTimer);
  if (view.comment !== answers.of(item().key).comment) {
    answers.change(item().key, { comment: view.comment });
    view.settle();
    view.showAnswer(answers.of(item().key));
  }
}

function next() {
  saveComment();
  const missing = answers.missing(item().key);
  if (missing) view.complain(missing);
  else goOn();
}

function undo() {
  clearTimeout(commentTimer);
  const key = answers.undo();
  if (!key) return;
  index = data.items.findIndex((each) => each.key === key);
  view.settle();
  show();
  view.restoreComment(answers.of(key).comment);
  view.announce("Your last answer is taken back.");
}

async function askToSubmit() {
  saveComment();
  if (answers.firstOpen() >= 0) {
    const left = answers.total - answers.done;
    go(answers.firstOpen());
    view.complain(left === 1 ? "This mark has no answer yet." : `${left} marks have no answer yet. This is the first.`);
    return;
  }
  if (!(await view.confirmSubmit(answers.total))) return;
  await time.send(); // while the task takes it
  const refused = await answers.submit();
  if (refused === null) window.location.assign(data.last_page);
  else if (refused) view.complain(refused);
  else window.location.assign(data.tasks);
}

function onKey(event) {
  if (event.altKey || event.metaKey || view.dialogOpen) return;
  if (event.key === "Enter" && event.ctrlKey) return void next();
  const key = event.key.toLowerCase();
  if (key === "z" && event.ctrlKey && !event.shiftKey && event.target.localName !== "textarea") {
    event.preventDefault();
    return void undo();
  }
  if (event.ctrlKey || event.target.closest?.("textarea, input:not([type=checkbox]), details[data-menu]")) return;
  if (view.agreements[key]) answer(view.agreements[key]);
  else if (key in REASON_KEYS && !view.reasons.hidden) toggleReason(view.reasonAt(REASON_KEYS[key]));
  else if (key === "arrowleft") go(index - 1);
  else if (key === "arrowright") next();
  else if (key === "z") undo();
  else return;
  event.preventDefault();
}

view.onAnswer(answer);
view.onReason(toggleReason);
view.onComment(() => {
  clearTimeout(commentTimer);
  commentTimer = setTimeout(saveComment, COMMENT_PAUSE_MS);
});
view.onBack(() => go(index - 1));
view.onNext(next);
view.onUndo(undo);
view.onSubmit(askToSubmit);
document.addEventListener("keydown", onKey);
window.addEventListener("pagehide", saveComment);
answers.addEventListener("status", () => view.showStatus(answers.status(), data.login));
answers.addEventListener("locked", () => window.location.reload());

show();
answers.send();
time.setRunning(true);
view.started();
