/** What is where: the marks of a text by place, with the decisions about them. Pure. */

import { firstOf } from "../offsets.js";

const HEAT_LEVELS = 4;

/** "A", "A and C", "A, B and C". */
export const words = (names) =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const overlap = (one, other) => one.start < other.end && other.start < one.end;

/** One mark of the gold set from one or several marks: the widest place, every different question, all types. */
export function combined(marks) {
  const questions = [...new Set(marks.map((mark) => mark.questions.trim()).filter(Boolean))];
  const [only] = marks;
  return {
    outcome: "mark",
    questions: marks.length === 1 ? only.questions : questions.join("\n"),
    error_types: [...new Set(marks.flatMap((mark) => mark.error_types))],
    spans: marks.reduce((widest, mark) => (size(mark) > size(widest) ? mark : widest)).spans,
    sources: marks.map(({ id }) => id),
    reason: "",
  };
}

const size = ({ spans }) => spans.reduce((sum, { start, end }) => sum + end - start, 0);

/**
 * The places of a text in its order: {key, number, letters, marks, decisions, undecided, painted}. A mark that was
 * added joins the place it overlaps, or is a place of its own.
 */
export function arranged(page, decisions) {
  const places = page.places.map((positions) => placeOf(positions.map((at) => page.marks[at]), page));
  for (const decision of decisions) {
    const about = new Set(decision.sources);
    let place = places.find(({ marks }) => marks.some(({ id }) => about.has(id)));
    if (!place && decision.spans.length) {
      place = places.find((each) => each.marks.some(({ spans }) => spans.some((a) => decision.spans.some((b) => overlap(a, b)))));
      if (!place) places.push((place = emptyPlace(`d-${decision.key}`)));
    }
    place?.decisions.push(decision); // a rejection of marks that are not shown has no place here
  }
  for (const place of places) finishPlace(place);
  places.sort((a, b) => a.start - b.start);
  places.forEach((place, index) => (place.number = index + 1));
  return places;
}

function emptyPlace(key) {
  return { key, marks: [], decisions: [], heat: [], letters: [] };
}

function placeOf(marks, page) {
  const spans = marks.flatMap((mark) => mark.spans);
  const inside = ([start, end]) => spans.some((span) => overlap(span, { start, end }));
  const letters = page.lookers.filter((_, at) => marks.some(({ looker }) => looker === at)).map(({ letter }) => letter);
  return { ...emptyPlace(`m-${marks[0].id}`), marks, heat: page.heat.filter(inside), letters };
}

function finishPlace(place) {
  const decided = new Map(place.decisions.flatMap((each) => each.sources.map((id) => [id, each])));
  place.decidedBy = decided;
  place.undecided = place.marks.filter(({ id }) => !decided.has(id));
  const gold = place.decisions.filter(({ outcome }) => outcome === "mark");
  const spans = [...place.marks, ...gold].flatMap((each) => each.spans);
  place.start = firstOf(spans).start;
  const levels = new Map();
  for (const [start, end, lookers] of place.heat) {
    const level = `heat-${Math.min(lookers.length, HEAT_LEVELS)}`;
    if (!levels.has(level)) levels.set(level, []);
    levels.get(level).push({ start, end });
  }
  place.painted = [...levels].map(([level, each]) => ({ key: place.key, level, spans: each }));
  for (const { spans: each } of gold) place.painted.push({ key: place.key, level: "gold", spans: each });
}
