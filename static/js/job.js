/**
 * A job's live part is not replaced while somebody is being asked, or types in it: the question would be about a form
 * that is no longer there.
 */

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  if (part.id !== "job-progress") {
    return;
  }
  const busy = document.querySelector("dialog[open]") || part.querySelector("[aria-busy=true]") || part.querySelector("input:focus");
  if (busy) {
    event.preventDefault();
  }
});
