/**
 * Answers in the server's place while a researcher walks through a study, or a person tries out on an example how
 * summaries are checked: what is marked, answered and submitted stays in this window and is gone with it. It must run
 * before the page's own script.
 */

const page = JSON.parse(document.getElementById("page-data").textContent);
const { workspace: set, sheet, state: task, example } = page;
/** Where the rating of the example waits for the page that shows it together with another. */
const RATED = "example:rated";
const askTheServer = window.fetch;

window.fetch = async (address, options = {}) => {
  if (!String(address).startsWith(page.api)) return askTheServer(address, options);
  const path = String(address).slice(page.api.length).split("?")[0];
  const data = options.body ? JSON.parse(options.body) : null;
  const { status, body } = answer(options.method ?? "GET", path, data);
  return new Response(body === null ? null : JSON.stringify(body), { status });
};

/** {status, body} as the API answers; what a review has answered is not asked for again. */
function answer(method, path, data) {
  if (sheet) return compare(path, data);
  if (example) return check(method, path, data);
  if (!set) return method === "PUT" ? { status: 200, body: data } : { status: 204, body: null };
  if (path === "submit/") return { status: 200, body: end("submitted") };
  if (path === "skip/") return { status: 200, body: end("skipped") };
  if (path === "reopen/") return { status: 200, body: reopen() };
  if (path === "active-time/") return { status: 200, body: { active_seconds: data.total_seconds } };
  if (path === "") return { status: 200, body: set };
  return change(method, path.replace("/", ""), data);
}

function compare(path, data) {
  if (path === "active-time/") return { status: 200, body: { active_seconds: data.total_seconds } };
  if (path === "submit/") return { status: 200, body: Object.assign(sheet, { state: "submitted" }) };
  if (path === "reopen/") return { status: 200, body: Object.assign(sheet, { state: "open" }) };
  if (path === "") return { status: 200, body: sheet };
  const slot = path.split("/")[1];
  const others = sheet.answers.filter((each) => each.slot !== slot);
  const saved = { slot, answer: data.answer, comment: data.comment, version: data.base_version + 1 };
  sheet.answers = [...others, saved];
  return { status: 200, body: saved };
}

function change(method, key, data) {
  const others = set.annotations.filter((mark) => mark.key !== key);
  set.version += 1;
  if (method === "DELETE") {
    set.annotations = others;
    return { status: 204, body: null };
  }
  const { questions, error_types, spans } = data;
  const mark = { key, version: set.version, questions, error_types, spans };
  set.annotations = [...others, mark];
  return { status: 200, body: { ...mark, set_version: set.version } };
}

function end(state) {
  return Object.assign(set, { state, editable: false, reopenable: true, submitted_at: new Date().toISOString() });
}

function reopen() {
  return Object.assign(set, { state: "draft", editable: true, reopenable: false, submitted_at: null });
}

/** Judgements of statements, one rating, or the ratings of a book together. */
function check(method, path, data) {
  if (path === "hints/") return { status: 200, body: { hints: example.hints } };
  if (path.endsWith("active-time/")) return { status: 200, body: { ...data, active_seconds: data.total_seconds } };
  if (path === "submit/") Object.assign(task, { state: "submitted", editable: false, reopenable: true });
  if (path === "reopen/") Object.assign(task, { state: "open", editable: true, reopenable: false });
  const saved = method === "PUT" ? store(path.replace("/", ""), data) : task;
  showStep();
  return { status: 200, body: path === "submit/" ? { ...task, together: true } : saved };
}

function store(key, { base_version: version, ...content }) {
  const item = (task.judgements ?? task.ratings).find((each) => each.key === key);
  if ("rated" in example && content.value !== item.value) item.first_value ??= item.value;
  if (key === "rating") sessionStorage.setItem(RATED, content.value ?? "");
  return Object.assign(item, content, { version: version + 1 });
}

/** What of the example is done, by the names of its steps. */
const DONE = {
  shown: () => isSupported(task.judgements[0]),
  found: () => isSupported(task.judgements[1]),
  not: () => task.judgements[2].supported === false,
  rated: () => task.ratings[0].value !== null,
  changed: () => task.ratings.some((each) => each.first_value !== null),
  submitted: () => task.state === "submitted",
  end: () => false,
};

function isSupported({ supported, evidence }) {
  return supported && (evidence.length > 0 || !page.evidenceRequired);
}

/** Show the first step that is not done; once submitted, the last. */
function showStep() {
  const steps = [...document.querySelectorAll("[data-example-step]")];
  const open = steps.find(({ dataset }) => !DONE[dataset.exampleStep]());
  const current = task.state === "submitted" ? steps.at(-1) : (open ?? steps.at(-1));
  for (const step of steps) step.hidden = step !== current;
}

/** The page that shows ratings together begins with the one just given. */
if (example?.rated) {
  const given = sessionStorage.getItem(RATED);
  if (given) task.ratings.find(({ key }) => key === example.rated).value = Number(given);
  document.getElementById("page-data").textContent = JSON.stringify(page);
}

/** The page keeps what it has not sent yet, under the key of the task. */
window.addEventListener("pagehide", () => {
  for (const kept of [localStorage, sessionStorage]) {
    for (const key of Object.keys(kept)) if (key.includes(page.task)) kept.removeItem(key);
  }
});
