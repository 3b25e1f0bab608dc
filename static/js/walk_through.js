/**
 * Answers in the server's place while a researcher walks through a study: what is marked, answered and submitted stays
 * in this window and is gone with it. It must run before the page's own script.
 */

const page = JSON.parse(document.getElementById("page-data").textContent);
const { workspace: set, sheet } = page;
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

/** The page keeps what it has not sent yet, under the key of the task. */
window.addEventListener("pagehide", () => {
  for (const key of Object.keys(localStorage)) if (key.includes(page.task)) localStorage.removeItem(key);
});
