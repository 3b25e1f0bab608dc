/** Menus are `<details data-menu>`: they close on Escape, on a click outside, and when the focus leaves. */

function close(menu, focus) {
  menu.open = false;
  if (focus) {
    menu.querySelector("summary").focus();
  }
}

export function watchMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) {
        close(menu, false);
      }
    }
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
    if (menu) {
      event.stopPropagation();
      close(menu, true);
    }
  });
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("details[data-menu][open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) {
      close(menu, false);
    }
  });
}
