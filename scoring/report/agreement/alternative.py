"""The alternative annotator test of each judge, over books."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy

from scoring.report.agreement.structure import ALWAYS_CLEAN, AlternativeFigures
from scoring.report.structure import JudgeName
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.differences import scored_by_both
from scoring.selectors.marks import MarkedSummary, StudyMarks
from scoring.statistics.alternative import FEWER_THAN_THREE, BookScores, alternative_test, not_tested
from scoring.statistics.two_labels import kappa

LEAST_PEOPLE = 3
#: What a judge marked on a summary, and what it did not judge, by positions.
Marked = Callable[[MarkedSummary], tuple[Collection[int], Collection[int]]]


def alternative_figures(
    marks: StudyMarks, judges: Sequence[JudgeName], names: Mapping[int, str], epsilon: float
) -> list[AlternativeFigures]:
    """Each judge, then a judge that marks nothing over all summaries that three people marked."""
    seed = marks.study.seed
    found = [
        _figures(judge.label, _of_three(scored_by_both(marks, judge.id)), _marked_by(judge.id), names, epsilon, seed)
        for judge in judges
    ]
    everywhere = _of_three(marks.summaries)
    return [*found, _figures(ALWAYS_CLEAN, everywhere, lambda summary: ((), ()), names, epsilon, seed)]


def _of_three(summaries: Sequence[MarkedSummary]) -> list[MarkedSummary]:
    return [summary for summary in summaries if len(summary.people) >= LEAST_PEOPLE and summary.sentences]


def _marked_by(judge_id: int) -> Marked:
    return lambda summary: (summary.judges[judge_id].confused, summary.judges[judge_id].absent)


def _figures(
    name: str,
    summaries: Sequence[MarkedSummary],
    marked: Marked,
    names: Mapping[int, str],
    epsilon: float,
    seed: int,
) -> AlternativeFigures:
    reason = ""
    if not summaries:
        reason = FEWER_THAN_THREE
    elif len({summary.splitter for summary in summaries}) > 1:
        reason = MIXED_SPLITTERS
    if reason:
        return AlternativeFigures(name, 0, 0, not_tested(epsilon, reason))
    scores, left_out = _scores(summaries, marked)
    by_name = {names[person]: scores[person] for person in sorted(scores, key=lambda each: names[each])}
    test = alternative_test(by_name, epsilon=epsilon, seed=seed)
    return AlternativeFigures(name, len(summaries), left_out, test)


def _scores(summaries: Sequence[MarkedSummary], marked: Marked) -> tuple[dict[int, list[BookScores]], int]:
    """Person -> the books on which they can be left out; and how many (person, book) had nothing to agree with.

    On those the others marked nothing (or everything).
    """
    tables: dict[int, dict[int, numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float64]]]] = defaultdict(
        lambda: defaultdict(lambda: numpy.zeros((2, 4)))
    )
    for summary in summaries:
        positions, absent = marked(summary)
        touched = {person.annotator_id: person.touched - set(absent) for person in summary.people}
        counts = Counter(position for each in touched.values() for position in each)
        looked_at = summary.sentences - len(absent)
        for person, own in touched.items():
            others = {position: count - (position in own) for position, count in counts.items()}
            sides = [_table(side, others, len(touched) - 1, looked_at) for side in (positions, own)]
            tables[person][summary.book_place] += numpy.array(sides)
    scores: dict[int, list[BookScores]] = {}
    left_out = 0
    for person, of_books in tables.items():
        scores[person] = []
        for book, both in sorted(of_books.items()):
            if 0 < both[0][:2].sum() < both[0].sum():
                judge, human = kappa(both)
                scores[person].append(BookScores(book, float(judge), float(human)))
            else:
                left_out += 1
    return scores, left_out


def _table(side: Collection[int], others: Mapping[int, int], people: int, sentences: int) -> tuple[int, int, int, int]:
    """A side beside the labels of all others together, who are the first: each of them adds its sentences."""
    both = sum(others.get(position, 0) for position in side)
    first, second = sum(others.values()) - both, people * len(side) - both
    return both, first, second, people * sentences - both - first - second
