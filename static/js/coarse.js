/** The COARSE page: one rating of a summary as a whole, with its source beside it. */

import { ask } from "./page.js";
import { RATINGS } from "./faithfulness/kinds.js";
import { RatingField } from "./faithfulness/rating_field.js";
import { Search } from "./faithfulness/search.js";
import { SourceText } from "./faithfulness/source.js";
import { Comment, listenToKeys, one, TaskStatus, watchTabs, wordsFor } from "./faithfulness/task.js";
import { ActiveTime, Store } from "./workspace/store.js";
import { byId, say } from "./workspace/workspace.js";

const page = JSON.parse(byId("page-data").textContent);
const KEY = "rating";

class CoarseStatus extends TaskStatus {
  describe({ value, comment }) {
    return [value === null ? "No rating" : `Rating ${value}`, comment && `: ${comment}`];
  }
}

class CoarseTask {
  constructor() {
    this.store = new Store({ task: page.task, api: page.api, state: page.state, items: "ratings", kind: RATINGS });
    this.search = new Search(one("[data-search]"), new SourceText(byId("source"), byId("source-pane")));
    const [{ active_seconds: seconds }] = page.state.ratings;
    this.time = new ActiveTime({ url: `${page.api}active-time/`, seconds, ask });
    this.showTab = watchTabs(one("[data-task]"));
    this.rating = new RatingField(one("[data-rating]"), (value) => this.#change({ value }));
    this.comment = new Comment(byId("comment"), (comment) => this.#change({ comment }));
    this.status = new CoarseStatus({
      page,
      store: this.store,
      words: wordsFor("summary"),
      show: () => this.rating.focus(),
      before: () => this.comment.save(),
      missing: () => (this.store.get(KEY).value === null ? [KEY] : []),
      ask: () => this.#ask(),
      sendTime: () => this.time.send(),
      submitted: (body) => this.#submitted(body),
      reopened: () => this.rating.focus(),
    });
    this.#listen();
  }

  start() {
    this.takeState(page.state);
    this.show();
    this.store.start();
    byId("not-started").remove();
  }

  show() {
    const { value, comment } = this.store.get(KEY);
    this.rating.show(value, this.store.editable);
    this.comment.show(comment);
    byId("comment").readOnly = !this.store.editable;
    byId("submit").classList.toggle("primary", value !== null);
  }

  takeState(state) {
    this.status.showState(state);
    this.time.setRunning(state.editable);
  }

  /** After the last summary of a book its ratings are looked at together. */
  #submitted({ together }) {
    if (together) window.location.assign(page.together);
    else byId("submitted").focus();
  }

  #ask() {
    const note = say("There is no rating yet. Choose one, then submit.", { kind: "warning" });
    this.rating.focus();
    return note;
  }

  #change(fields) {
    if (this.store.editable) this.store.set(KEY, { ...this.store.get(KEY), ...fields });
  }

  #listen() {
    this.store.addEventListener("change", () => this.show());
    this.store.addEventListener("state", ({ detail }) => {
      this.takeState(detail);
      this.show();
    });
    byId("show-keys").addEventListener("click", () => byId("keys").showModal());
    const digits = this.rating.values.map((value) => [String(value), () => this.#change({ value })]);
    listenToKeys({
      ...Object.fromEntries(digits),
      r: () => this.rating.focus(),
      c: () => byId("comment").focus(),
      "/": () => this.#searchFor(),
      "Ctrl+Enter": () => this.status.submit(),
      Escape: () => document.activeElement.blur(),
      "?": () => byId("keys").showModal(),
    });
  }

  #searchFor() {
    this.showTab("source");
    this.search.focus();
  }
}

new CoarseTask().start();
