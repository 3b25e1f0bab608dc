/** Times as people say them: "3 min ago", the full date on hover. `<time datetime="..." data-relative>`. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** `seconds` is how long ago; negative for the future. */
export function inWords(seconds, date) {
  const past = seconds >= 0;
  const size = Math.abs(seconds);
  if (size >= WEEK) {
    return day.format(date);
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

function refresh() {
  for (const element of document.querySelectorAll("time[data-relative]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) {
      continue;
    }
    const words = inWords((Date.now() - date.getTime()) / 1000, date);
    if (element.textContent !== words) {
      element.textContent = words;
    }
    element.title = full.format(date);
  }
}

export function watchTimes() {
  refresh();
  setInterval(refresh, 20_000);
  document.addEventListener("htmx:afterSettle", refresh);
}
