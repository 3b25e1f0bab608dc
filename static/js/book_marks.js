/** The summaries of one book, beside each other: scrolled each by itself, or all together by their share. */

const texts = [...document.querySelectorAll("[data-scrolls]")];
const together = document.querySelector("[data-together]");
/** Texts that this script scrolls now: their own event is not a person's. */
const led = new Set();

function follow(text) {
  if (led.delete(text) || !together.checked) {
    return;
  }
  const share = text.scrollTop / Math.max(1, text.scrollHeight - text.clientHeight);
  for (const other of texts) {
    const top = Math.round(share * (other.scrollHeight - other.clientHeight));
    if (other !== text && Math.abs(other.scrollTop - top) > 1) {
      led.add(other);
      other.scrollTop = top;
    }
  }
}

if (together) {
  together.closest("label").hidden = false;
  for (const text of texts) {
    text.addEventListener("scroll", () => follow(text));
  }
}
