/**
 * Questions before what can't be undone. A form (or a button of it) with `data-confirm="What will happen"` is sent
 * after a yes; `data-confirm-title` and `data-confirm-action` name the question and the button. `hx-confirm` asks
 * in the same dialog.
 */

function ask({ title, text, action, danger }) {
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

export function watchConfirmations() {
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
      if (await ask(question)) {
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
    if (await ask({ title: `${action}?`, text: event.detail.question, action, danger })) {
      event.detail.issueRequest(true);
    }
  });
}
