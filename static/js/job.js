/**
 * A job's live part is not replaced while somebody is being asked, or types in it: the question would be about a form
 * that is no longer there, and the answer would be sent nowhere. Neither is it by a request that was already under way.
 */

function isBusy(part) {
  return document.querySelector("dialog[open]") || part.querySelector("[aria-busy=true]") || part.querySelector("input:focus");
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "job-progress" && isBusy(event.target)) {
    event.preventDefault();
  }
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id === "job-progress" && isBusy(event.detail.target)) {
    event.detail.shouldSwap = false;
  }
});
