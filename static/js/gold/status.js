/** What the adjudication page says of itself besides: how much is left, finished or open, and who did what. */

import { element } from "../workspace/marks.js";
import { byId, countMarks, say, Status, when } from "../workspace/workspace.js";

export class GoldStatus extends Status {
  constructor(options) {
    super(options);
    byId("finish").addEventListener("click", () => this.#end("finish"));
    byId("reopen").addEventListener("click", () => this.#end("reopen"));
  }

  /** How much is left: in the bar, and on the button that finishes. */
  count(places) {
    const { lookers } = this.page;
    const left = places.flatMap(({ undecided }) => undecided).filter(({ looker }) => !lookers[looker].isJudge).length;
    const gold = places.flatMap(({ decisions }) => decisions).filter(({ outcome }) => outcome === "mark").length;
    byId("left").textContent = `${countMarks(gold)} in gold, ${left ? `${left} to decide` : "all decided"} · `;
    byId("finish").textContent = `Finish with ${countMarks(gold)}`;
    byId("finish").classList.toggle("primary", !left);
  }

  showState({ state, editable, events }) {
    byId("finish").hidden = !editable;
    byId("finish").disabled = !editable || !this.page.lookers.some(({ isJudge }) => !isJudge);
    byId("finished").hidden = editable;
    const end = events.find(({ act }) => act === "finished");
    if (state === "finished" && end) byId("finished-text").textContent = `Finished by ${end.by}, ${when(end.at)}.`;
    byId("log").hidden = !events.length;
    byId("log-count").textContent = events.length;
    byId("log-lines").replaceChildren(...events.map(logLine));
  }

  async #end(action) {
    if (!(await this.store.flush())) return void say("Not everything is saved yet, so nothing was changed. Try again soon.");
    const reason = await this.post(action);
    if (reason) return void say(`${reason} Nothing was changed.`);
    return void byId(action === "finish" ? "reopen" : "finish").focus();
  }
}

function logLine({ act, by, at, about }) {
  const time = element("span", { className: "muted", textContent: `${when(at)} ` });
  return element("li", {}, time, `${by}: ${act}${about ? `: ${about}` : ""}`);
}
