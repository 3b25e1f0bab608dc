/**
 * Light, dark or the system's colours. The choice is a cookie, so that the server writes it into the page
 * and no page flashes in the wrong colours.
 */

const YEAR = 365 * 24 * 3600;

function chosen() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  const age = theme === "system" ? 0 : YEAR;
  document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
  document.querySelectorAll("[data-theme-switch]").forEach(show);
  document.dispatchEvent(new CustomEvent("themechange"));
}

function show(group) {
  group.hidden = false;
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === chosen()));
  }
}

export function watchTheme() {
  document.querySelectorAll("[data-theme-switch]").forEach(show);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-switch] button");
    if (button) {
      choose(button.value);
    }
  });
}
