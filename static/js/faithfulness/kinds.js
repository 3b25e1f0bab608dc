/** What the store keeps of faithfulness tasks: judgements of units (`JUDGEMENTS`) and ratings of summaries (`RATINGS`). */

const plainPlace = ({ start, end, quote, hint_rank }) => ({ start, end, quote, hint_rank: hint_rank ?? null });
const inOrder = (one, other) => one.start - other.start || one.end - other.end;
const nameOf = ({ start, end }) => `${start} ${end}`;

/** What stands after both sides changed a value; undefined where they changed it to different ones. */
function merged(base, mine, theirs) {
  if (mine === theirs || mine === base) return theirs;
  return theirs === base ? mine : undefined;
}

/** Comments that differ are both kept. */
function mergedComment(base, mine, theirs) {
  const one = merged(base, mine, theirs);
  if (one !== undefined) return one;
  if (theirs.includes(mine)) return theirs;
  return mine.includes(theirs) ? mine : `${theirs}\n${mine}`;
}

/** Places that both sides still have, and those that either added. */
function mergedEvidence(base, mine, theirs) {
  const [before, here, there] = [base, mine, theirs].map((places) => new Set(places.map(nameOf)));
  const all = new Map([...mine, ...theirs].map((place) => [nameOf(place), place]));
  return [...all].filter(([name]) => !before.has(name) || (here.has(name) && there.has(name))).map(([, place]) => place);
}

export const JUDGEMENTS = {
  name: "judgements",
  fixed: true,

  plain: ({ supported, comment, evidence }) => ({
    supported: supported ?? null,
    comment,
    evidence: evidence.map(plainPlace).sort(inOrder),
  }),

  merge(base, mine, theirs) {
    const supported = merged(base.supported, mine.supported, theirs.supported);
    if (supported === undefined) return null;
    const evidence = supported ? mergedEvidence(base.evidence, mine.evidence, theirs.evidence) : [];
    return JUDGEMENTS.plain({ supported, comment: mergedComment(base.comment, mine.comment, theirs.comment), evidence });
  },
};

export const RATINGS = {
  name: "ratings",
  fixed: true,

  plain: ({ value, comment }) => ({ value: value ?? null, comment }),

  merge(base, mine, theirs) {
    const value = merged(base.value, mine.value, theirs.value);
    if (value === undefined) return null;
    return RATINGS.plain({ value, comment: mergedComment(base.comment, mine.comment, theirs.comment) });
  },
};
