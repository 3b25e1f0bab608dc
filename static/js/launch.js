/** The launch page: finding books in a long list, and hiding the settings that do not matter for what is chosen. */

const form = document.querySelector("[data-launch]");

function watchBooks() {
  const tools = form.querySelector("[data-book-tools]");
  const rows = [...form.querySelectorAll("[data-book]")];
  const boxOf = (row) => row.querySelector("input");
  const changed = () => form.dispatchEvent(new Event("change", { bubbles: true }));
  tools.hidden = rows.length < 2;
  tools.querySelector("[data-book-filter]").addEventListener("input", (event) => {
    event.stopPropagation(); // finding a book changes nothing in the plan
    const wanted = event.target.value.trim().toLowerCase();
    for (const row of rows) {
      row.hidden = !row.dataset.book.includes(wanted);
    }
  });
  tools.querySelector("[data-book-filter]").addEventListener("change", (event) => event.stopPropagation());
  tools.querySelector("[data-book-filter]").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
    }
  });
  tools.querySelector("[data-book-all]").addEventListener("click", () => {
    rows.filter((row) => !row.hidden).forEach((row) => (boxOf(row).checked = true));
    changed();
  });
  tools.querySelector("[data-book-none]").addEventListener("click", () => {
    rows.forEach((row) => (boxOf(row).checked = false));
    changed();
  });
}

function watchSystem() {
  const choice = form.elements.namedItem("system");
  const settings = form.querySelector("[data-new-system]");
  if (!choice) {
    return;
  }
  const show = () => (settings.hidden = choice.value !== "");
  choice.addEventListener("change", show);
  show();
}

/** A strategy that reads the book at once has no chunk size; a disabled field is not sent. */
function watchStrategy() {
  const choice = form.elements.namedItem("strategy");
  const field = form.querySelector("[data-chunks]");
  const show = () => {
    field.hidden = form.dataset.readAtOnce.split(" ").includes(choice.value);
    field.querySelector("input").disabled = field.hidden;
  };
  choice.addEventListener("change", show);
  show();
}

if (form) {
  watchBooks();
  watchStrategy();
  watchSystem();
}
