/** What the adjudication page says of itself: saved or not, how much is left, finished or open, and who did what. */

import { choose } from "../annotate/dialogs.js";
import { ask } from "../page.js";
import { when } from "./cards.js";

const byId = (id) => document.getElementById(id);
const NOTE_MS = 12_000;

const TEXTS = {
  offline: "Not saved - no connection, kept here",
  server: "Not saved - the server has a problem, kept here",
  login: "Not saved - you are logged out or may not see this any more, kept here",
  gone: "Not saved - this summary is not in the study any more, kept here",
  asking: "Not saved - a decision needs your choice",
  refused: "Not saved - the server did not accept a decision",
  closed: "Not saved - the gold set is finished, kept here",
  saving: "Saving…",
};

export class Status {
  /** @param {{page: object, store: object, show: (key: string) => void}} options */
  constructor(options) {
    Object.assign(this, options);
    byId("finish").addEventListener("click", () => this.#post("finish"));
    byId("reopen").addEventListener("click", () => this.#post("reopen"));
    for (const name of ["status", "change"]) this.store.addEventListener(name, () => this.#saved());
    this.#saved();
  }

  /** How much is left: in the bar, and on the button that finishes. */
  count(places) {
    const { lookers } = this.page;
    const left = places.flatMap(({ undecided }) => undecided).filter(({ looker }) => !lookers[looker].isJudge).length;
    const gold = places.flatMap(({ decisions }) => decisions).filter(({ outcome }) => outcome === "mark").length;
    const marks = (number) => (number === 1 ? "1 mark" : `${number} marks`);
    byId("left").textContent = ` · ${marks(gold)} in gold, ${left ? `${left} to decide` : "all decided"}`;
    byId("finish").textContent = `Finish with ${marks(gold)}`;
    byId("finish").classList.toggle("primary", !left);
  }

  showState({ state, editable, events }) {
    byId("finish").hidden = !editable;
    byId("finish").disabled = !editable || !this.page.lookers.some(({ isJudge }) => !isJudge);
    byId("finished").hidden = editable;
    const end = events.find(({ act }) => act === "finished");
    if (state === "finished" && end) byId("finished-text").textContent = `Finished by ${end.by}, ${when(end.at)}.`;
    document.body.classList.toggle("read-only", !editable);
    byId("log").hidden = !events.length;
    byId("log-count").textContent = events.length;
    byId("log-lines").replaceChildren(...events.map(logLine));
  }

  /** A note at the bottom of the page; it goes after a while unless it is lasting. */
  say(text, { action = "", act = null, lasting = false } = {}) {
    const note = Object.assign(document.createElement("div"), { className: "notice info" });
    note.append(text);
    if (action) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: action });
      button.addEventListener("click", () => {
        note.remove();
        act();
      });
      note.append(" ", button);
    }
    byId("notices").append(note);
    if (!lasting) setTimeout(() => note.remove(), NOTE_MS);
    return note;
  }

  /** Two people decided differently about the same: which should stand? */
  askAboutConflict(conflict) {
    this.asked = (this.asked ?? Promise.resolve()).then(() => this.#choose(conflict));
  }

  async #choose({ key, mine, theirs }) {
    this.show(key);
    const choice = await choose({
      title: theirs ? "A colleague changed this decision" : "A colleague took this decision back",
      text: mine ? "Which one should stay?" : "You took it back here. Which should hold?",
      versions: [version("Yours", mine), version("Theirs", theirs)],
      choices: [["theirs", "Theirs"], ["mine", "Yours"]],
    });
    if (choice) this.store.decide(key, choice);
  }

  #saved() {
    const { kind, at, marks } = this.store.status();
    const time = at?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const text = TEXTS[kind] ?? [(at || marks) && "Saved", time].filter(Boolean).join(" ");
    const line = byId("saved-state");
    if (line.textContent !== text) line.textContent = text;
    line.dataset.state = kind;
    const asks = kind === "asking" && !document.querySelector("dialog[open]") && !byId("asking");
    if (asks) {
      const again = () => this.store.conflicts().forEach((each) => this.askAboutConflict(each));
      this.say("A decision needs your choice.", { action: "Choose", act: again, lasting: true }).id = "asking";
    } else if (kind !== "asking") byId("asking")?.remove();
    this.#login(kind === "login");
    this.#refused(kind === "refused");
  }

  /** A decision was not accepted: say where it stands, and fetch what a colleague decided meanwhile. */
  #refused(wanted) {
    if (wanted === Boolean(byId("refused"))) return;
    byId("refused")?.remove();
    if (!wanted) return;
    const { key } = this.store.marks().find(({ refused }) => refused);
    this.say("A decision was not accepted.", { action: "Look at it", act: () => this.show(key), lasting: true }).id = "refused";
    this.store.refresh();
  }

  #login(wanted) {
    if (wanted === Boolean(byId("log-in"))) return;
    byId("log-in")?.remove();
    if (!wanted) return;
    const note = this.say("What you decided is kept in this browser and sent when you are logged in again. ", { lasting: true });
    note.id = "log-in";
    const link = { href: this.page.login, target: "_blank", className: "button small", textContent: "Log in in a new tab" };
    note.append(Object.assign(document.createElement("a"), link));
  }

  async #post(action) {
    if (!(await this.store.flush())) return void this.say("Not everything is saved yet, so nothing was changed. Try again soon.");
    const { status, body } = await ask(`${this.page.api}${action}/`, "POST", {});
    if (status !== 200) {
      return void this.say(body?.detail ?? "The server could not be reached. Nothing was changed; try again.");
    }
    this.store.takeState(body);
    this.store.channel.postMessage(action);
    (action === "finish" ? byId("reopen") : byId("finish")).focus();
    return undefined;
  }
}

function logLine({ act, by, at, about }) {
  const line = document.createElement("li");
  line.append(Object.assign(document.createElement("span"), { className: "muted", textContent: `${when(at)} ` }));
  line.append(`${by}: ${act}${about ? `: ${about}` : ""}`);
  return line;
}

function version(title, decision) {
  const box = Object.assign(document.createElement("div"), { className: "card" });
  box.append(Object.assign(document.createElement("h3"), { textContent: title }));
  if (!decision) box.append("Taken back");
  else if (decision.outcome === "rejected") box.append(`Rejected: ${decision.reason}`);
  else {
    box.append(...decision.spans.map(({ quote }) => Object.assign(document.createElement("blockquote"), { textContent: quote })));
    box.append(Object.assign(document.createElement("p"), { textContent: decision.questions || "No question" }));
    box.append(decision.error_types.join(", ") || "No kind of error");
  }
  return box;
}
