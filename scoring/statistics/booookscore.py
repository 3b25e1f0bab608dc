"""BooookScore of people and of judges (Chang et al., arXiv 2310.00785, section 4 and footnote 12).

All scores are shares of a summary's sentences, from 0 to 1; higher is more coherent. Sentences and spans are code-point
ranges `[start, end)` into the summary's text. Everything counts by position: a sentence that occurs twice counts twice.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from scoring.statistics.statistic import Statistic

Range = tuple[int, int]

NO_SENTENCES = "The summary has no sentences."
NOT_ALL_PARSED = "Some sentences have no readable judgement, so there are bounds but no final score."
NOTHING_SCORED = "No summary has a score yet."


class SentenceGrid:
    """The sentences of one summary in order, to find those that a span touches."""

    def __init__(self, sentences: Sequence[Range]) -> None:
        """Sentences must be in order and must not overlap."""
        self._starts = [start for start, _ in sentences]
        self._ends = [end for _, end in sentences]

    def __len__(self) -> int:
        return len(self._starts)

    def touched(self, span: Range) -> range:
        """Positions of the sentences that share at least one character with the span."""
        return range(bisect_right(self._ends, span[0]), bisect_left(self._starts, span[1]))


def published_score(marks: int, sentences: int) -> Statistic:
    """1 - (single marks + relations) / sentences: counts marks, so two in one sentence count twice.

    The rule that reproduces the paper's figures for people. It can fall below 0 on a heavily marked summary.
    """
    if sentences == 0:
        return Statistic.undefined(NO_SENTENCES)
    return Statistic.of(1 - marks / sentences)


def sentence_score(touched: Collection[int], sentences: int) -> Statistic:
    """1 - sentences touched by any span / sentences: comparable with a judge's score.

    `touched`: distinct positions of sentences.
    """
    if sentences == 0:
        return Statistic.undefined(NO_SENTENCES)
    return Statistic.of(1 - len(touched) / sentences)


def unit_score(marks: Iterable[Collection[int]], sentences: int) -> Statistic:
    """1 - confused units / units, where sentences that one mark holds together are one unit.

    `marks`: for each mark the positions of all sentences it touches (of both spans, if it is a relation). Marks that
    share a sentence join their units. Every other sentence is a unit of its own (the paper's footnote 12).
    """
    if sentences == 0:
        return Statistic.undefined(NO_SENTENCES)
    root: dict[int, int] = {}

    def find(position: int) -> int:
        while (above := root.setdefault(position, position)) != position:
            root[position] = root[above]
            position = above
        return position

    alone: set[int] = set()
    for mark in marks:
        if len(mark) == 1:
            alone.update(mark)  # holds nothing together
            continue
        positions = list(mark)
        for position in positions:
            root[find(position)] = find(positions[0])
    for position in alone:
        root.setdefault(position, position)
    confused = {find(position) for position in list(root)}
    return Statistic.of(1 - len(confused) / (sentences - len(root) + len(confused)))


@dataclass(frozen=True)
class JudgeScore:
    """A judge on one summary. `low` and `high` bound the score: all unparsed sentences confused, or all clean."""

    score: Statistic
    low: float | None
    high: float | None
    #: Share of the sentences with a readable judgement.
    coverage: float | None


def judge_score(*, sentences: int, confused: int, unparsed: int) -> JudgeScore:
    """Share of clean sentences. Unparsed is never clean: with any of them there is no final score."""
    if confused + unparsed > sentences:
        raise ValueError("More judgements than sentences.")
    if sentences == 0:
        return JudgeScore(Statistic.undefined(NO_SENTENCES), None, None, None)
    low, high = 1 - (confused + unparsed) / sentences, 1 - confused / sentences
    score = Statistic.undefined(NOT_ALL_PARSED) if unparsed else Statistic.of(high)
    return JudgeScore(score, low, high, 1 - unparsed / sentences)


def mean_score(scores: Iterable[float | None]) -> Statistic:
    """Score of a system: the plain mean over its scored summaries (those that are not None), not pooled sentences."""
    scored = [score for score in scores if score is not None]
    if not scored:
        return Statistic.undefined(NOTHING_SCORED)
    return Statistic.of(sum(scored) / len(scored))
