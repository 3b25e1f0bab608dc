/** The page that runs a judge: ticking all summaries, or none. The list comes anew with every other choice. */

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-tick]");
  if (!button) {
    return;
  }
  const boxes = button.closest("form").querySelectorAll("input[name=summary]");
  boxes.forEach((box) => (box.checked = button.dataset.tick === "all"));
  boxes[0]?.dispatchEvent(new Event("change", { bubbles: true }));
});
