/** All ratings of one book beside each other: the person may change any; what they were first is kept. */

import { RATINGS } from "./faithfulness/kinds.js";
import { RatingField } from "./faithfulness/rating_field.js";
import { wordsFor } from "./faithfulness/task.js";
import { Store } from "./workspace/store.js";
import { byId, Status } from "./workspace/workspace.js";

const page = JSON.parse(byId("page-data").textContent);
const words = wordsFor("summary");
const store = new Store({ task: page.task, api: page.api, state: page.state, items: "ratings", kind: RATINGS });
const rows = new Map([...document.querySelectorAll("[data-rated]")].map((row) => [row.dataset.rated, row]));

class TogetherStatus extends Status {
  describe({ value }) {
    return [`Rating ${value}`];
  }
}

/** An empty number is no rating: a submitted one stays what it was. */
function change(key, value) {
  if (store.editable && value !== null) store.set(key, { ...store.get(key), value });
}

const fields = new Map(
  [...rows].map(([key, row]) => [key, new RatingField(row.querySelector("[data-rating]"), (value) => change(key, value))]),
);
new TogetherStatus({ page, store, words, show: (key) => fields.get(key).focus() });

function show() {
  for (const { key, value } of store.marks()) {
    const first = page.state.ratings.find((each) => each.key === key).first_value ?? shownFirst.get(key);
    fields.get(key).show(value, store.editable);
    const line = rows.get(key).querySelector("[data-first]");
    line.textContent = value === first ? "As you rated it first" : `At first ${first}`;
  }
}

const shownFirst = new Map(page.state.ratings.map(({ key, value }) => [key, value]));
store.addEventListener("change", show);
store.addEventListener("state", show);
show();
store.start();
byId("not-started").remove();
