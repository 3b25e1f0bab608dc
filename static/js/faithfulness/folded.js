/** Text as a search sees it: without case, accents, ligatures and kinds of quotes and dashes, and the way back. */

const MARKS = /\p{M}/gu;
const SIMPLE = /^[\n\x20-\x7e‘’“”‐–—£°]*$/;
const ALIKE = new Map(
  Object.entries({ "'": "‘’‚‛ʼ′", '"': "“”„‟«»″", "-": "‐‑–—−" }).flatMap(([plain, all]) => Array.from(all, (each) => [each, plain])),
);
const known = new Map();

/** What one character is to a search: nothing, or some characters. */
function foldedCharacter(character) {
  let folded = known.get(character);
  if (folded === undefined) {
    const alike = ALIKE.get(character) ?? character;
    folded = alike.normalize("NFKD").toLowerCase().normalize("NFKD").replace(MARKS, "");
    known.set(character, folded);
  }
  return folded;
}

export function fold(text) {
  return Array.from(text, foldedCharacter).join("");
}

/**
 * {text, units}: `units` has for every folded character the unit of the original that it is from, and one more for the
 * end; null where they are the same.
 */
export function foldedWithUnits(text) {
  if (SIMPLE.test(text)) {
    const folded = text.toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[‐–—]/g, "-");
    return { text: folded, units: null };
  }
  const units = [];
  let folded = "";
  let unit = 0;
  for (const character of text) {
    const piece = foldedCharacter(character);
    for (let at = 0; at < piece.length; at += 1) units.push(unit);
    folded += piece;
    unit += character.length;
  }
  units.push(unit);
  return { text: folded, units };
}

/** A pattern for the words of a query, whatever white space is between them; null for a query without any. */
export function patternOf(query) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), "g");
}
