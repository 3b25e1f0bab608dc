/** The FINE page: does the source support each of these units of a summary? Answered by keys or clicks, with evidence. */

import { ask } from "./page.js";
import { Hints, SourceSelection } from "./faithfulness/evidence.js";
import { FineView, stateOf } from "./faithfulness/fine_view.js";
import { JUDGEMENTS } from "./faithfulness/kinds.js";
import { Search } from "./faithfulness/search.js";
import { SourceText } from "./faithfulness/source.js";
import { Comment, listenToKeys, one, quote, TaskStatus, watchTabs, wordsFor } from "./faithfulness/task.js";
import { ActiveTime, History, Seconds, Store } from "./workspace/store.js";
import { announce, byId, say } from "./workspace/workspace.js";

const page = JSON.parse(byId("page-data").textContent);
const inWords = (numbers) => `${numbers.length === 1 ? "on statement" : "on statements"} ${numbers.join(", ")}`;
const WORDS = wordsFor("statement", (keys) => inWords(keys.map((key) => Number(key) + 1).sort((one, other) => one - other)));
const ANSWERS = new Map([[null, "No answer"], [true, "Supported"], [false, "Not supported"]]);

class FineStatus extends TaskStatus {
  describe({ supported, evidence, comment }) {
    return [ANSWERS.get(supported), ...evidence.map((place) => quote(place.quote)), comment];
  }
}

class FineTask {
  constructor() {
    this.units = page.units;
    this.store = new Store({ task: page.task, api: page.api, state: page.state, items: "judgements", kind: JUDGEMENTS });
    this.source = new SourceText(byId("source"), byId("source-pane"));
    this.intact = this.source.intact;
    this.history = new History(this.store, {
      undoButton: byId("undo"),
      redoButton: byId("redo"),
      onOvertaken: () => say(WORDS.overtaken),
      onStep: ([{ key }]) => this.choose(key),
    });
    this.search = new Search(one("[data-search]"), this.source);
    this.seconds = new Map(page.state.judgements.map((each) => [each.key, this.#secondsOf(each)]));
    this.time = new ActiveTime({ count: this.seconds.get(this.units[0].key) });
    this.showTab = watchTabs(one("[data-task]"));
    this.#makeParts();
    this.#listen();
  }

  start() {
    this.takeState(page.state);
    if (!this.intact) say("The source did not arrive as it is stored. Reload the page to work on it.", { lasting: true });
    this.choose(this.#startingPlace());
    this.store.start();
    byId("not-started").remove();
  }

  get editable() {
    return this.store.editable && this.intact;
  }

  get current() {
    return this.store.get(this.key);
  }

  get index() {
    return this.units.findIndex(({ key }) => key === this.key);
  }

  choose(key) {
    this.comment?.save();
    this.key = key;
    sessionStorage.setItem(`unit:${page.task}`, key);
    this.time.turnTo(this.seconds.get(key));
    this.view.turnTo(this.units[this.index], this.index + 1, this.units.length);
    this.hints.turnTo(key);
    this.show();
    announce(`${byId("unit-number").textContent}: ${this.units[this.index].quote}`);
  }

  show() {
    const judgements = this.store.marks();
    this.view.show(judgements, this.current, this.editable);
    this.source.paint("evidence", this.current.evidence, 0);
  }

  move(by) {
    const unit = this.units[this.index + by];
    if (unit) this.choose(unit.key);
  }

  answer(supported) {
    if (!this.editable) return;
    this.#change({ supported, evidence: supported ? this.current.evidence : [] });
    if (this.#lacks(this.key)) announce("Supported. Now show where: take a hint, or mark the place in the source.");
    else this.goOn();
  }

  /** On to the next unit that is not done, after this one first; when all are done, to the button that submits. */
  goOn() {
    const open = this.missing();
    const after = this.units.slice(this.index + 1).find(({ key }) => open.includes(key));
    if (after || open.length) return this.choose(after?.key ?? open[0]);
    announce("All statements are done. Control and Enter submits.");
    byId("submit").focus();
  }

  take(span, rank = null) {
    if (!this.editable) return;
    const { evidence } = this.current;
    this.selection.clear();
    this.source.element.blur(); // arrow keys go from statement to statement again
    if (evidence.some(({ start, end }) => start === span.start && end === span.end)) return announce("This place is there already.");
    this.#change({ supported: true, evidence: [...evidence, { ...span, hint_rank: rank }] });
    announce(`Supported by: ${span.quote}`);
    byId("evidence").lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  remove(index) {
    if (!this.editable) return;
    this.#change({ evidence: this.current.evidence.filter((_, at) => at !== index) });
    (byId("evidence").querySelector("[data-act=remove]") ?? one("[data-supported=yes]")).focus();
  }

  reveal(index) {
    this.showTab("source");
    this.source.reveal(this.current.evidence[index]);
  }

  missing() {
    return this.units.map(({ key }) => key).filter((key) => this.#lacks(key));
  }

  takeState(state) {
    this.status.showState(state);
    this.selection.enabled = this.editable;
    this.history.setEnabled(this.editable);
    this.time.setRunning(this.editable);
  }

  #lacks(key) {
    return ["open", "evidence"].includes(stateOf(this.store.get(key), page.evidenceRequired));
  }

  #change(fields) {
    const before = JUDGEMENTS.plain(this.current);
    const after = JUDGEMENTS.plain({ ...before, ...fields });
    if (!this.store.same(before, after)) this.history.apply([{ key: this.key, before, after }]);
  }

  /** Where this tab was before a reload, or else the first unit that is not done. */
  #startingPlace() {
    const kept = sessionStorage.getItem(`unit:${page.task}`);
    return this.units.find(({ key }) => key === kept)?.key ?? this.missing()[0] ?? this.units[0].key;
  }

  /** The time of one unit; how far the person went in its hints goes with it. */
  #secondsOf({ key, active_seconds, hints_viewed }) {
    const seconds = new Seconds({ url: `${page.api}${key}/active-time/`, seconds: active_seconds, ask });
    seconds.also = { hints_viewed };
    return seconds;
  }

  #viewed(rank) {
    const { also } = this.time.count;
    also.hints_viewed = Math.max(also.hints_viewed, rank);
  }

  #step(by) {
    this.showTab("source");
    this.hints.step(by);
  }

  /** A place of the source was clicked: the hint in view is taken by one click. */
  #pick(point) {
    const hint = this.hints.current;
    return Boolean(hint && hint.start <= point && point < hint.end && this.editable && this.hints.takeCurrent());
  }

  #takeWhatIsThere() {
    const span = this.selection.current();
    if (span) this.take(span);
    else if (!this.hints.takeCurrent()) announce("Go to a hint first, or select a place in the source.");
  }

  #ask(missing) {
    this.choose(missing[0]);
    const evidence = stateOf(this.current, page.evidenceRequired) === "evidence";
    const what = evidence ? "This one still lacks its place in the source." : "This one has no answer yet.";
    const count = missing.length === 1 ? "1 statement is" : `${missing.length} statements are`;
    return say(`${count} not done. ${what}`, { kind: "warning" });
  }

  #makeParts() {
    const { store } = this;
    this.view = new FineView({
      evidenceRequired: page.evidenceRequired,
      on: {
        answer: (supported) => this.answer(supported),
        choose: (key) => this.choose(key),
        move: (by) => this.move(by),
        remove: (index) => this.remove(index),
        reveal: (index) => this.reveal(index),
        comment: (text) => this.comment.show(text),
      },
    });
    this.comment = new Comment(byId("comment"), (comment) => this.#change({ comment }));
    this.hints = new Hints({
      url: page.hints,
      source: this.source,
      announce,
      take: (span, rank) => this.take(span, rank),
      viewed: (rank) => this.#viewed(rank),
    });
    this.selection = new SourceSelection(this.source, {
      announce,
      take: (span) => this.take(span),
      pick: (point) => this.#pick(point),
    });
    this.status = new FineStatus({
      page,
      store,
      words: WORDS,
      show: (key) => this.choose(key),
      before: () => this.comment.save(),
      missing: () => this.missing(),
      ask: (missing) => this.#ask(missing),
      sendTime: () => this.time.send(),
      submitted: () => (page.result ? location.assign(page.result) : byId("submitted").focus()),
      reopened: () => this.choose(this.units[0].key),
    });
  }

  #listen() {
    this.store.addEventListener("change", () => this.show());
    this.store.addEventListener("state", ({ detail }) => {
      this.takeState(detail);
      this.show();
    });
    byId("show-keys").addEventListener("click", () => byId("keys").showModal());
    const undo = () => this.history.undo();
    listenToKeys({
      y: () => this.answer(true),
      n: () => this.answer(false),
      e: () => this.#takeWhatIsThere(),
      j: () => this.#step(1),
      k: () => this.#step(-1),
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      c: () => byId("comment").focus(),
      t: () => this.source.blocks.length && this.#toSource(() => this.selection.focusText()),
      "/": () => this.#toSource(() => this.search.focus()),
      z: undo,
      "Ctrl+z": (event) => (event.shiftKey ? this.history.redo() : undo()),
      "Ctrl+y": () => this.history.redo(),
      "Ctrl+Enter": () => this.status.submit(),
      Escape: () => document.activeElement.blur(),
      "?": () => byId("keys").showModal(),
    });
  }

  #toSource(act) {
    this.showTab("source");
    act();
  }
}

new FineTask().start();
