/** The endpoint page: a value that the test of the connection offers goes into its field. */

document.addEventListener("click", (event) => {
  const offer = event.target.closest("[data-fills]");
  if (offer) {
    const field = document.getElementById(offer.dataset.fills);
    field.value = offer.dataset.value;
    field.focus();
  }
});
