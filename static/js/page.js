/**
 * What every page has: colours, times, menus, confirmations, lengths of text, forms that are sent once, and requests to
 * the server.
 * One file, because every page loads all of it.
 */

/**
 * Light, dark or the system's colours. The choice is a cookie, so that the server writes it into the page
 * and no page flashes in the wrong colours.
 */

const YEAR = 365 * 24 * 3600;

function chosenTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

function chooseTheme(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  const age = theme === "system" ? 0 : YEAR;
  document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
  document.querySelectorAll("[data-theme-switch]").forEach(showTheme);
  document.dispatchEvent(new CustomEvent("themechange"));
}

function showTheme(group) {
  group.hidden = false;
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === chosenTheme()));
  }
}

function watchTheme() {
  document.querySelectorAll("[data-theme-switch]").forEach(showTheme);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-switch] button");
    if (button) {
      chooseTheme(button.value);
    }
  });
}

/** Times as people say them: "3 min ago", the full date on hover. `<time datetime="..." data-relative>`. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const fullDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
const dayOnly = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** `seconds` is how long ago; negative for the future. */
function inWords(seconds, date) {
  const past = seconds >= 0;
  const size = Math.abs(seconds);
  if (size >= WEEK) {
    return dayOnly.format(date);
  }
  if (size < 45) {
    return past ? "just now" : "in a moment";
  }
  const [count, unit] =
    size < HOUR
      ? [Math.max(1, Math.round(size / MINUTE)), "min"]
      : size < DAY
        ? [Math.round(size / HOUR), "h"]
        : [Math.round(size / DAY), Math.round(size / DAY) === 1 ? "day" : "days"];
  return past ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

function refreshTimes() {
  for (const element of document.querySelectorAll("time[data-relative]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) {
      continue;
    }
    const words = inWords((Date.now() - date.getTime()) / 1000, date);
    if (element.textContent !== words) {
      element.textContent = words;
    }
    element.title = fullDate.format(date);
  }
}

function watchTimes() {
  refreshTimes();
  setInterval(refreshTimes, 20_000);
  document.addEventListener("htmx:afterSettle", refreshTimes);
}

/** Menus are `<details data-menu>`: they close on Escape, on a click outside, and when the focus leaves. */

function closeMenu(menu, focus) {
  menu.open = false;
  if (focus) {
    menu.querySelector("summary").focus();
  }
}

function watchMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) {
        closeMenu(menu, false);
      }
    }
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
    if (menu) {
      event.stopPropagation();
      closeMenu(menu, true);
    }
  });
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("details[data-menu][open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) {
      closeMenu(menu, false);
    }
  });
}

/**
 * Questions before what can't be undone. A form (or a button of it) with `data-confirm="What will happen"` is sent
 * after a yes; `data-confirm-title` and `data-confirm-action` name the question and the button. `hx-confirm` asks
 * in the same dialog.
 */

function agreed({ title, text, action, danger }) {
  const dialog = document.getElementById("confirm-dialog");
  dialog.querySelector("#confirm-title").textContent = title;
  dialog.querySelector("#confirm-text").textContent = text;
  const button = dialog.querySelector("[data-confirm-button]");
  button.textContent = action;
  button.classList.toggle("danger", danger);
  button.classList.toggle("primary", !danger);
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "confirm"), { once: true });
  });
}

function questionOf(form, submitter) {
  const source = submitter?.dataset.confirm ? submitter : form;
  if (!source.dataset.confirm) {
    return null;
  }
  const action = source.dataset.confirmAction || submitter?.textContent.trim() || "Go on";
  return {
    title: source.dataset.confirmTitle || `${action}?`,
    text: source.dataset.confirm,
    action,
    danger: Boolean(submitter?.classList.contains("danger")) || source.hasAttribute("data-confirm-danger"),
  };
}

function watchConfirmations() {
  const confirmed = new WeakSet();
  document.addEventListener(
    "submit",
    async (event) => {
      const form = event.target;
      const question = questionOf(form, event.submitter);
      if (!question || confirmed.delete(form)) {
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      const { submitter } = event;
      if (await agreed(question)) {
        confirmed.add(form);
        form.requestSubmit(submitter);
      }
    },
    true, // before any other listener, so that nothing is sent before the answer
  );
  document.addEventListener("htmx:confirm", async (event) => {
    if (!event.detail.question) {
      return;
    }
    event.preventDefault();
    const action = event.detail.elt.dataset.confirmAction || event.detail.elt.textContent.trim() || "Go on";
    const danger = event.detail.elt.classList.contains("danger");
    if (await agreed({ title: `${action}?`, text: event.detail.question, action, danger })) {
      event.detail.issueRequest(true);
    }
  });
}

/**
 * Long texts. A field with `data-longest` takes whatever is pasted, and says when it is too much: `maxlength` would cut
 * the end off without a word.
 */

/** Why the text is too long to be saved, in words; "" if it is not. Counts code points, as the server does. */
function tooLong(field) {
  const longest = Number(field.dataset.longest);
  const over = [...field.value].length - longest;
  if (!(over > 0)) return "";
  const [more, most] = [over, longest].map((number) => number.toLocaleString("en-GB"));
  return `Not saved: this is ${more} ${over === 1 ? "character" : "characters"} too long, ${most} are the most. Shorten it; all of it stays here until then.`;
}

/** Say so below the field, as long as it is so; until then its form is not valid. */
export function showLength(field) {
  const text = tooLong(field);
  const shown = field.nextElementSibling?.matches("[data-too-long]") ? field.nextElementSibling : null;
  field.setCustomValidity(text);
  field.setAttribute("aria-invalid", String(Boolean(text)));
  if (!text) return void shown?.remove();
  const line = shown ?? document.createElement("p");
  Object.assign(line, { className: "field-error", textContent: text }).dataset.tooLong = "";
  if (shown) return;
  line.setAttribute("role", "status");
  field.after(line);
}

function watchLengths() {
  document.addEventListener("input", ({ target }) => target.dataset?.longest && showLength(target));
}

/**
 * Forms that leave the page are sent once: a second press of the same button while the first is on its way does
 * nothing. Buttons are never disabled, so the pressed one is always part of what is sent; after some seconds, or when
 * the page comes back, they work again. The server holds without this.
 */

const AGAIN_AFTER_MS = 8000;
const sending = new Map();

function releaseForm(form) {
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

function watchForms() {
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
    sending.set(form, { button, timer: setTimeout(() => releaseForm(form), AGAIN_AFTER_MS) });
  });
  window.addEventListener("pageshow", () => [...sending.keys()].forEach(releaseForm));
}

/** Requests of htmx: the CSRF token of the moment, and a plain word when the server can't be reached. */

function sayOfConnection(text) {
  const line = document.querySelector("[data-connection]");
  line.textContent = text;
  line.hidden = !text;
}

/** Whoever shows that it asks (`hx-indicator`) also says so of the place where the answer will stand. */
function markBusy({ elt, target }, busy) {
  if (!elt.hasAttribute("hx-indicator")) return;
  if (busy) target.setAttribute("aria-busy", "true");
  else target.removeAttribute("aria-busy");
}

function watchRequests() {
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = csrfToken();
  });
  document.addEventListener("htmx:beforeRequest", ({ detail }) => markBusy(detail, true));
  document.addEventListener("htmx:afterRequest", ({ detail }) => markBusy(detail, false));
  document.addEventListener("htmx:sendError", () => {
    sayOfConnection("No connection to the server. This page goes on by itself when it is back.");
  });
  document.addEventListener("htmx:timeout", () => {
    sayOfConnection("The server takes long to answer. This page tries again by itself.");
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = event.detail.xhr;
    sayOfConnection(
      status >= 500
        ? "The server could not do this. Nothing is lost; try again, or reload the page."
        : "This was refused. Reload the page to see where things stand.",
    );
  });
  document.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.xhr.status < 400) {
      sayOfConnection("");
    }
  });
}

/** The CSRF token, read at the moment of sending: another tab may have logged in again since this page was loaded. */
function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return cookie ? decodeURIComponent(cookie.slice("csrftoken=".length)) : "";
}

const ANSWER_TIMEOUT_MS = 20_000;
/** Browsers refuse larger bodies on requests that outlive the page. */
const KEEPALIVE_BYTES = 30_000;

/** Which version of the guidelines this page shows; every answer is stored with the one it was given under. */
function guidelinesShown() {
  const version = document.querySelector("meta[name=guidelines-version]")?.content;
  return version ? { "X-Guidelines-Version": version } : {};
}

/** Ask the API. Returns {status, body}; status 0 means that no answer came. The token is read at send time. */
export async function ask(url, method = "GET", data = undefined) {
  const body = data === undefined ? undefined : JSON.stringify(data);
  try {
    const response = await fetch(url, {
      method,
      body,
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), ...guidelinesShown() },
      signal: AbortSignal.timeout?.(ANSWER_TIMEOUT_MS),
      keepalive: method !== "GET" && (body?.length ?? 0) < KEEPALIVE_BYTES,
      redirect: "error",
    });
    const answer = await response.json().catch(() => null);
    // One that breaks off in the middle is no answer.
    if (response.ok && response.status !== 204 && answer === null) return { status: 0, body: null };
    return { status: response.status, body: answer };
  } catch {
    return { status: 0, body: null };
  }
}

/** A random UUID; `crypto.randomUUID` exists only on https and localhost. */
export function randomKey() {
  const random = (digit) => crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4));
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => (digit ^ random(digit)).toString(16));
}

watchTheme();
watchTimes();
watchMenus();
watchConfirmations();
watchLengths();
watchForms();
watchRequests();
