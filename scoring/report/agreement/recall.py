"""How many confusing sentences nobody found, from who found which of those that reviewers upheld."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy

from scoring.report.agreement.structure import RecallFigures, RecallRow
from scoring.report.structure import JudgeName
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.captures import CapturedSummary, Captures
from scoring.statistics.estimate import Array, Estimate
from scoring.statistics.intervals import Interval
from scoring.statistics.recapture import (
    BOTH,
    FIRST,
    SECOND,
    chao_estimate,
    chapman_estimate,
    chapman_interval,
    chapman_mean_share,
    chapman_share,
    unseen,
)

NO_REVIEW = (
    "This study has no decisions of reviewers yet, and only marks that a review upheld count here: false marks, found "
    "by nobody else, would look like sentences that the others missed."
)
WITH_JUDGE = (
    "A person is paired with a judge. Reviewers may uphold marks of either that are no confusion, and both may find "
    "the same plain cases: the one makes the estimate too high, the other too low."
)
TWO_JUDGES = "Judges of one kind miss the same sentences, so the estimate is too low."
#: Whether a source of a summary is the first, and whether it is the second; None: the summary does not belong here.
Sides = Callable[[CapturedSummary], tuple[frozenset[int], frozenset[int]] | None]


def recall_figures(found: Captures, judges: Sequence[JudgeName], seed: int) -> RecallFigures:
    if not found.decisions:
        return RecallFigures(0, 0, [], NO_REVIEW)
    if len({summary.splitter for summary in found.summaries if summary.found}) > 1:
        return RecallFigures(found.decisions, found.undecided, [], MIXED_SPLITTERS)
    summaries = found.summaries
    rows = [
        _of_two("two people a summary", None, summaries, _two_people, "", seed),
        _of_more("three people or more", summaries, lambda each: frozenset(each.people), "", seed),
    ]
    for judge in judges:
        sides = _people_and(judge.id)
        rows.append(_of_two(f"people and {judge.label}", ("people", judge.label), summaries, sides, WITH_JUDGE, seed))
    for one, other in combinations(judges, 2):
        labels = (one.label, other.label)
        rows.append(_of_two(" and ".join(labels), labels, summaries, _two_judges(one.id, other.id), TWO_JUDGES, seed))
    everybody = [each for each in summaries if each.judges and each.people]
    rows.append(
        _of_more(
            "people and judges, each a source", everybody, lambda each: each.judges.union(each.people), WITH_JUDGE, seed
        )
    )
    return RecallFigures(found.decisions, found.undecided, [row for row in rows if row is not None], "")


def _two_people(summary: CapturedSummary) -> tuple[frozenset[int], frozenset[int]] | None:
    if len(summary.people) != 2:
        return None
    first, second = summary.people
    return frozenset([first]), frozenset([second])


def _people_and(judge: int) -> Sides:
    def sides(summary: CapturedSummary) -> tuple[frozenset[int], frozenset[int]] | None:
        if not summary.people or judge not in summary.judges:
            return None
        return frozenset(summary.people), frozenset([judge])

    return sides


def _two_judges(one: int, other: int) -> Sides:
    return lambda summary: (frozenset([one]), frozenset([other])) if {one, other} <= summary.judges else None


def _of_two(
    name: str,
    labels: tuple[str, str] | None,
    summaries: Sequence[CapturedSummary],
    sides: Sides,
    warning: str,
    seed: int,
) -> RecallRow | None:
    """Chapman's estimate; None where no summary belongs to it. `labels`: none where it is by lot who is the first."""
    books: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])  # by place
    used = 0
    for summary in summaries:
        if (both_sides := sides(summary)) is None:
            continue
        used += 1
        counts = books[summary.book_place]
        for sources in summary.found.values():
            by = [not side.isdisjoint(sources) for side in both_sides]
            counts[FIRST] += by[0]
            counts[SECOND] += by[1]
            counts[BOTH] += all(by)
    if not used:
        return None
    table = _by_book(books, 3)
    first, second, both = (int(each) for each in table.sum(axis=0))
    total = chapman_estimate(table, seed=seed)
    defined = total.figure.value is not None
    return RecallRow(
        name=name,
        method="Chapman",
        summaries=used,
        books=len(books),
        found=first + second - both,
        again=both,
        total=total,
        as_independent=chapman_interval(first, second, both) if defined else Interval(None, None),
        missed=unseen(total, first + second - both),
        share=chapman_estimate(table, formula=chapman_share((FIRST, SECOND)), seed=seed),
        shares=_shares(table, labels, seed),
        warning=warning,
    )


def _shares(table: Array, labels: tuple[str, str] | None, seed: int) -> dict[str, Estimate]:
    formulas = (
        {"one person, on average": chapman_mean_share}
        if labels is None
        else {labels[0]: chapman_share((FIRST,)), labels[1]: chapman_share((SECOND,))}
    )
    return {label: chapman_estimate(table, formula=formula, seed=seed) for label, formula in formulas.items()}


def _of_more(
    name: str,
    summaries: Sequence[CapturedSummary],
    sources_of: Callable[[CapturedSummary], frozenset[int]],
    warning: str,
    seed: int,
) -> RecallRow | None:
    """Chao's lower bound over the summaries with more than two sources; None where there is none."""
    used = [summary for summary in summaries if len(sources_of(summary)) > 2]
    if not used:
        return None
    numbers = sorted({len(sources_of(summary)) for summary in used})
    columns = {number: 3 * index for index, number in enumerate(numbers)}
    books: dict[int, list[int]] = defaultdict(lambda: [0] * 3 * len(numbers))
    for summary in used:
        own, counts = sources_of(summary), books[summary.book_place]
        column = columns[len(own)]
        for sources in summary.found.values():
            times = len(sources & own)
            counts[column] += times > 0
            counts[column + 1] += times == 1
            counts[column + 2] += times == 2
    table = _by_book(books, 3 * len(numbers))
    totals = table.sum(axis=0).reshape(len(numbers), 3).sum(axis=0)
    total = chao_estimate(table, numbers, seed=seed)
    return RecallRow(
        name=name,
        method="Chao, a lower bound",
        summaries=len(used),
        books=len(books),
        found=int(totals[0]),
        again=int(totals[0] - totals[1]),
        total=total,
        as_independent=Interval(None, None),
        missed=unseen(total, int(totals[0])),
        share=chao_estimate(table, numbers, share=True, seed=seed),
        shares={},
        warning=warning,
    )


def _by_book(books: dict[int, list[int]], columns: int) -> Array:
    return numpy.array([books[book] for book in sorted(books)], dtype=float).reshape(len(books), columns)
