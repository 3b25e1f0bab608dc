/** Keeps the guesses of a page that is not submitted yet in the browser, so that no reload or new login loses them. */

import "./page.js";

const form = document.querySelector("[data-guesses]");
const storageKey = `guesses:${form.dataset.guesses}`;

function restore() {
  for (const [name, value] of JSON.parse(sessionStorage.getItem(storageKey) ?? "[]")) {
    const radio = [...form.elements].find((each) => each.name === name && each.value === value);
    if (radio) radio.checked = true;
  }
}

form.addEventListener("change", () => {
  const given = [...form.querySelectorAll("input[type=radio]:checked")].map(({ name, value }) => [name, value]);
  sessionStorage.setItem(storageKey, JSON.stringify(given));
});
restore();
