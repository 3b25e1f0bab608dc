/** Requests of htmx: the CSRF token of the moment, and a plain word when the server can't be reached. */

import { csrfToken } from "../csrf.js";

function say(text) {
  const line = document.querySelector("[data-connection]");
  line.textContent = text;
  line.hidden = !text;
}

export function watchRequests() {
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = csrfToken();
  });
  document.addEventListener("htmx:sendError", () => {
    say("No connection to the server. This page goes on by itself when it is back.");
  });
  document.addEventListener("htmx:timeout", () => {
    say("The server takes long to answer. This page tries again by itself.");
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = event.detail.xhr;
    say(
      status >= 500
        ? "The server could not do this. Nothing is lost; try again, or reload the page."
        : "This was refused. Reload the page to see where things stand.",
    );
  });
  document.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.xhr.status < 400) {
      say("");
    }
  });
}
