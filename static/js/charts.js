/**
 * Draws the charts of a page. Each `[data-chart]` names the script element with its specification and rows;
 * colours come from the page's tokens, so that a chart follows the theme.
 */

const OPTIONS = {
  ast: true, // no code is made from text: the page's security policy forbids it
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};
const SERIES = ["--series-human", "--series-judge", "--type-causal-omission-line", "--type-inconsistency-line", "--type-language-line"];
const FONT_SIZE = 12;

/** The colour that a token has now: tokens may be `light-dark()`, which only a used colour resolves. */
function colour(token) {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Vega-Lite configuration; `scoring/charts/theme.py` has the same for files. */
function configuration() {
  const ink = colour("--ink");
  const soft = colour("--ink-soft");
  const line = colour("--line");
  return {
    background: "transparent",
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    range: { category: SERIES.map(colour) },
    axis: {
      labelColor: ink,
      titleColor: soft,
      titleFontWeight: "normal",
      labelFontSize: FONT_SIZE,
      titleFontSize: FONT_SIZE,
      gridColor: line,
      domainColor: line,
      tickColor: line,
    },
    legend: { labelColor: ink, labelFontSize: FONT_SIZE, symbolSize: 90 },
    header: { labelColor: ink, labelFontSize: FONT_SIZE, labelFontWeight: "bold" },
    text: { color: ink },
    rule: { color: soft },
    style: { apart: { stroke: colour("--surface") } },
  };
}

/** For a narrow place, where labels would leave no room for the dots: names are cut, and numbers stand without their n.
    Both are whole in the table and in what the pointer shows. */
function compact({ specification, rows }, width) {
  const copy = structuredClone(specification);
  copy.padding.right = 40;
  for (const { encoding } of copy.layer) {
    if (encoding.y?.axis) encoding.y.axis.labelLimit = width / 3;
    if (encoding.x?.axis) encoding.x.axis.tickCount = 4;
    if (encoding.x?.scale) encoding.x.scale.padding = 20;
  }
  return { ...copy, datasets: { rows: rows.map((row) => ({ ...row, label: row.label.replace(/ \(.*/, "") })) } };
}

/** Panels side by side as many as fit, and a single one no wider than its place; one chart as wide as its place. */
function fitted({ specification, rows }, width, compactBelow) {
  if (width < compactBelow) {
    return compact({ specification, rows }, width);
  }
  const panel = specification.spec?.width;
  if (!panel) {
    return { ...specification, datasets: { rows } };
  }
  const labels = 130;
  const columns = Math.max(1, Math.min(specification.columns ?? 1, Math.floor((width - labels) / (panel + 24))));
  const narrowed = Math.min(panel, Math.max(120, width - labels));
  const square = specification.spec.height === panel ? { height: narrowed } : {};
  return { ...specification, datasets: { rows }, columns, spec: { ...specification.spec, width: narrowed, ...square } };
}

async function draw(place) {
  const drawing = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  const complete = { ...fitted(drawing, place.clientWidth, Number(place.dataset.compactBelow ?? 0)), config: configuration() };
  place.drawn?.finalize();
  place.drawn = await window.vegaEmbed(place, complete, OPTIONS);
  // The place is one picture with a name, and a table has its figures; nameless parts would only be in the way.
  place.querySelector("svg")?.setAttribute("aria-hidden", "true");
  place.drawn.view.addEventListener("click", (_event, item) => {
    if (item?.datum?.url) {
      window.location.assign(item.datum.url);
    }
  });
  place.drawn.view.addEventListener("mousemove", (_event, item) => {
    place.toggleAttribute("data-over-link", Boolean(item?.datum?.url));
  });
}

const places = [...document.querySelectorAll("[data-chart]")];

function drawAll() {
  for (const place of places) {
    draw(place).catch((error) => {
      place.textContent = "This chart could not be drawn. Its figures are in the table, and as pictures in the menu.";
      console.error(error);
    });
  }
}

let width = document.documentElement.clientWidth;
let waiting;
window.addEventListener("resize", () => {
  if (document.documentElement.clientWidth !== width) {
    width = document.documentElement.clientWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  }
});
document.addEventListener("themechange", drawAll);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
