/** A link to a node opens it. */

function openTarget() {
  const target = document.getElementById(window.location.hash.slice(1));
  const details = target?.querySelector("details");
  if (details) {
    details.open = true;
    target.scrollIntoView({ block: "start" });
  }
}

window.addEventListener("hashchange", openTarget);
openTarget();
