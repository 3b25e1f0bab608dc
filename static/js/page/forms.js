/**
 * Forms that leave the page are sent once: a second press of the same button while the first is on its way does
 * nothing. Buttons are never disabled, so the pressed one is always part of what is sent; after some seconds, or when
 * the page comes back, they work again. The server holds without this.
 */

import { csrfToken } from "../csrf.js";

const AGAIN_AFTER_MS = 8000;
const sending = new Map();

function release(form) {
  const entry = sending.get(form);
  clearTimeout(entry?.timer);
  entry?.button?.removeAttribute("aria-busy");
  sending.delete(form);
}

function refreshToken(form) {
  const input = form.elements.namedItem("csrfmiddlewaretoken");
  const token = csrfToken();
  if (input && token) {
    input.value = token;
  }
}

export function watchForms() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") {
      return;
    }
    const button = event.submitter ?? form.querySelector("button:not([type=button])");
    const entry = sending.get(form);
    if (entry && entry.button === button) {
      event.preventDefault();
      return;
    }
    refreshToken(form);
    button?.setAttribute("aria-busy", "true");
    sending.set(form, { button, timer: setTimeout(() => release(form), AGAIN_AFTER_MS) });
  });
  window.addEventListener("pageshow", () => [...sending.keys()].forEach(release));
}
