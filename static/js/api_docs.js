// Swagger UI has a dark dress of its own, which hangs on a class of the root: it follows the page's colours.

const system = matchMedia("(prefers-color-scheme: dark)");

function dress() {
  const chosen = document.documentElement.dataset.theme;
  document.documentElement.classList.toggle("dark-mode", chosen ? chosen === "dark" : system.matches);
}

dress();
system.addEventListener("change", dress);
document.addEventListener("themechange", dress);
