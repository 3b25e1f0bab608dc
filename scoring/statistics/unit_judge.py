"""Judges of units: their scores, and how far they say what people say. Pure.

Scores are in percent, 0 (nothing is supported) to 100, as `faithfulness.fine_score` has them. In agreement the label
that counts is "not supported", because it is the rarer one and what a judge is asked to find.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy

from scoring.statistics.agreement import NO_SHARED_ITEM, NOTHING_MARKED, ONE_LABEL
from scoring.statistics.estimate import Array, Estimate, Formula, estimates, ratio
from scoring.statistics.faithfulness import sums_by_book
from scoring.statistics.statistic import Statistic
from scoring.statistics.two_labels import (
    BOTH,
    FIRST,
    NEITHER,
    SECOND,
    ac1,
    f1,
    first_prevalence,
    kappa,
    percent,
    precision,
    recall,
    second_prevalence,
)

NO_UNITS = "The summary has no units."
NOT_ALL_JUDGED = "Some units have no readable judgement, so there are bounds but no final score."
NOT_BY_BOTH = "No summary has both a complete score of the judge and one of people."

#: Name -> formula, and the reason where it is not defined. First are people, second is what stands beside them.
FIGURES: dict[str, tuple[Formula, str]] = {
    "kappa": (kappa, ONE_LABEL),
    "ac1": (ac1, NO_SHARED_ITEM),
    "percent": (percent, NO_SHARED_ITEM),
    "precision": (precision, "It called nothing unsupported."),
    "recall": (recall, "People called nothing unsupported."),
    "f1": (f1, NOTHING_MARKED),
    "prevalence_people": (first_prevalence, NO_SHARED_ITEM),
    "prevalence_other": (second_prevalence, NO_SHARED_ITEM),
}


@dataclass(frozen=True)
class UnitScore:
    """A judge on one summary. `low` and `high` bound the score: all other units not supported, or all supported."""

    score: Statistic
    low: float | None
    high: float | None
    #: Share of the units with a readable judgement.
    coverage: float | None


def unit_score(*, units: int, supported: int, unsupported: int) -> UnitScore:
    """100 x supported / units, a repeated unit at each of its places. Unparsed ones count as neither."""
    if supported + unsupported > units:
        raise ValueError("More judgements than units.")
    if units == 0:
        return UnitScore(Statistic.undefined(NO_UNITS), None, None, None)
    low, high = 100 * supported / units, 100 * (units - unsupported) / units
    is_whole = supported + unsupported == units
    score = Statistic.of(low) if is_whole else Statistic.undefined(NOT_ALL_JUDGED)
    return UnitScore(score, low, high, (supported + unsupported) / units)


@dataclass(frozen=True)
class PairedScores:
    """People beside a judge: means over the `n` summaries that both scored, with intervals over books."""

    n: int
    people: Estimate
    judge: Estimate
    #: People minus judge, in points.
    difference: Estimate


def paired_scores(rows: Sequence[tuple[int, float, float]], seed: int) -> PairedScores:
    """`rows`: for each summary that both scored its book, people's score (the mean of their own) and the judge's."""
    counts = sums_by_book((book, (people, judge, 1)) for book, people, judge in rows)
    found = estimates(counts, _PAIRED, seed=seed)
    return PairedScores(len(rows), found["people"], found["judge"], found["difference"])


def _difference(sums: Array) -> Array:
    return numpy.asarray((sums[..., 0] - sums[..., 1]) / sums[..., 2])


_PAIRED: dict[str, tuple[Formula, str]] = {
    "people": (ratio(0, 2), NOT_BY_BOTH),
    "judge": (ratio(1, 2), NOT_BY_BOTH),
    "difference": (_difference, NOT_BY_BOTH),
}


@dataclass(frozen=True)
class SharedUnit:
    """A unit that people judged: what each of them said, by person, whether the book supports it."""

    book: int
    unit: int
    people: Mapping[int, bool]


@dataclass(frozen=True)
class UnitAgreementWith:
    """Somebody beside people on `units` that both judged, each person on a unit adding one of `judgements`."""

    units: int
    judgements: int
    #: Keys of `FIGURES`, with intervals over books.
    figures: dict[str, Estimate]


def beside_people(shared: Iterable[SharedUnit], judged: Mapping[int, bool], seed: int) -> UnitAgreementWith:
    """`judged`: unit -> what a judge said of it, where that can be read. A repeated unit is one decision."""
    pairs = [
        (each.book, each.unit, person, judged[each.unit])
        for each in shared
        if each.unit in judged
        for person in each.people.values()
    ]
    return _agreement(pairs, seed)


def people_beside_people(shared: Iterable[SharedUnit], seed: int) -> UnitAgreementWith:
    """Each person beside each other on the units that both judged. Both ways, so precision is recall."""
    pairs = [
        (each.book, each.unit, one, other)
        for each in shared
        for first, one in each.people.items()
        for second, other in each.people.items()
        if first != second
    ]
    return _agreement(pairs, seed)


def _agreement(pairs: list[tuple[int, int, bool, bool]], seed: int) -> UnitAgreementWith:
    """`pairs`: book, unit, and whether the first and the second call it supported."""
    tables: dict[int, Array] = defaultdict(lambda: numpy.zeros(4))
    for book, _, one, other in pairs:
        tables[book][_column(unsupported_by_first=not one, unsupported_by_second=not other)] += 1
    counts = numpy.array([tables[book] for book in sorted(tables)])
    return UnitAgreementWith(
        units=len({unit for _, unit, _, _ in pairs}),
        judgements=len(pairs),
        figures=estimates(counts, FIGURES, seed=seed) if pairs else _nothing_shared(),
    )


def _nothing_shared() -> dict[str, Estimate]:
    return dict.fromkeys(FIGURES, Estimate.undefined(NO_SHARED_ITEM))


def _column(*, unsupported_by_first: bool, unsupported_by_second: bool) -> int:
    if unsupported_by_first:
        return BOTH if unsupported_by_second else FIRST
    return SECOND if unsupported_by_second else NEITHER
