"""The order of systems by people and by each judge, which of them differ, and what the study could have found."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy

from scoring.report.agreement.structure import RankAgreement, RankingFigures, SystemDifferences
from scoring.report.structure import PEOPLE, JudgeName, SummaryFigures
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.marks import StudyMarks
from scoring.statistics.estimate import Array, Estimate
from scoring.statistics.ranking import TOO_FEW_SYSTEMS, rank_agreement, system_pairs

Score = Callable[[SummaryFigures], float | None]
#: Place of a book -> score, the mean where a system has several summaries of a book.
Scores = dict[int, float]


def ranking_figures(
    marks: StudyMarks, figures: Sequence[SummaryFigures], judges: Sequence[JudgeName], difference: float | None
) -> RankingFigures:
    """`figures`: those of `marks.summaries`, in the same order. People score by the sentence rule."""
    splitters = {summary.id: summary.splitter for summary in marks.summaries}
    seed = marks.study.seed
    sources = {PEOPLE: _by_people, **{judge.label: _by_judge(judge.label) for judge in judges}}
    return RankingFigures(
        difference=difference,
        orders=[_order(judge.label, figures, splitters, seed) for judge in judges],
        sources=[
            _differences(source, score, figures, splitters, seed, difference) for source, score in sources.items()
        ],
    )


def _by_people(summary: SummaryFigures) -> float | None:
    return summary.human.sentence if summary.human else None


def _by_judge(label: str) -> Score:
    return lambda summary: summary.judges[label].score if label in summary.judges else None


def _order(label: str, figures: Sequence[SummaryFigures], splitters: dict[int, str], seed: int) -> RankAgreement:
    by_judge = _by_judge(label)
    both = [each for each in figures if _by_people(each) is not None and by_judge(each) is not None]
    people, judge = _scores(both, _by_people), _scores(both, by_judge)
    if len({splitters[each.id] for each in both}) > 1:
        return RankAgreement(label, [], 0, Estimate.undefined(MIXED_SPLITTERS))
    if not both:
        return RankAgreement(label, [], 0, Estimate.undefined(TOO_FEW_SYSTEMS))
    books = sorted({each.book_place for each in both})
    tau = rank_agreement(_matrix(people, books), _matrix(judge, books), seed)
    means = sorted(((name, _mean(people[name]), _mean(judge[name])) for name in people), key=lambda each: -each[1])
    return RankAgreement(label, means, len(books), tau)


def _scores(figures: Sequence[SummaryFigures], score: Score) -> dict[str, Scores]:
    """System -> place of the book -> score, systems by name."""
    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in figures:
        if (value := score(each)) is not None:
            found[each.system][each.book_place].append(value)
    return {
        system: {book: sum(values) / len(values) for book, values in found[system].items()} for system in sorted(found)
    }


def _matrix(scores: dict[str, Scores], books: Sequence[int]) -> Array:
    """Shape (books, systems), NaN where there is none."""
    return numpy.array([[of_books.get(book, numpy.nan) for of_books in scores.values()] for book in books])


def _mean(scores: Scores) -> float:
    return sum(scores.values()) / len(scores)


def _differences(
    source: str,
    score: Score,
    figures: Sequence[SummaryFigures],
    splitters: dict[int, str],
    seed: int,
    difference: float | None,
) -> SystemDifferences:
    scored = [each for each in figures if score(each) is not None]
    if len({splitters[each.id] for each in scored}) > 1:
        return SystemDifferences(source, [], MIXED_SPLITTERS)
    pairs = system_pairs(_scores(scored, score), seed=seed, difference=difference)
    return SystemDifferences(source, pairs, "" if pairs else "It scored fewer than two systems.")
