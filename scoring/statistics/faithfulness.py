"""Faithfulness of summaries, clause by clause (FINE) or by one rating (COARSE), and how far people differ in it. Pure.

LongEval (Krishna, Bransom, Kuehl, Iyyer, Dasigi, Cohan and Lo, EACL 2023; arXiv 2301.13298), section 3.1. Every score
is in percent, 0 (nothing is supported) to 100.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy

from scoring.statistics.agreement import ONE_LABEL
from scoring.statistics.estimate import Array, Estimate, Formula, estimates, ratio
from scoring.statistics.intervals import ONE_BOOK
from scoring.statistics.statistic import Statistic

NOTHING_JUDGED = "No unit was judged."
ONE_PERSON = "A spread needs a summary that two people scored."
NO_SHARED_UNIT = "No unit was judged by two people."
NOT_IN_BOTH = "No summary was scored by two people in both ways."

#: A judgement: whether the unit is supported, and at how many places of the summary it stands (once if not repeated).
Label = tuple[bool, int]


def fine_score(labels: Iterable[Label]) -> Statistic:
    """100 x supported / judged units, all units weighing the same (LongEval, section 3.1).

    A repeated unit is judged once and counted at every place where it stands.
    """
    supported = places = 0
    for is_supported, count in labels:
        places += count
        supported += count if is_supported else 0
    return Statistic.of(100 * supported / places) if places else Statistic.undefined(NOTHING_JUDGED)


@dataclass(frozen=True)
class Spread:
    """How far the scores of the people of one summary lie apart, in percentage points."""

    #: Population standard deviation (the divisor is the number of people), and highest minus lowest.
    deviation: float
    extent: float


def spread(scores: Sequence[float]) -> Spread | None:
    """None with fewer than two people."""
    if len(scores) < 2:
        return None
    extent, mean = max(scores) - min(scores), statistics.fmean(scores)
    # Of equal scores it is exactly 0, not what rounding the mean leaves.
    deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores)) if extent else 0.0
    return Spread(deviation, extent)


@dataclass(frozen=True)
class MeanSpread:
    """Means of the spreads over so many summaries, with intervals over books."""

    summaries: int
    deviation: Estimate
    extent: Estimate


#: For each summary its book, and the spread of its people.
Spreads = Sequence[tuple[int, Spread]]


def mean_spread(spreads: Spreads, seed: int) -> MeanSpread:
    """Plain means over summaries (LongEval, section 3.1 and table 3)."""
    return _mean_of_columns([(book, each.deviation, each.extent) for book, each in spreads], ONE_PERSON, seed)


def spread_difference(pairs: Sequence[tuple[int, Spread, Spread]], seed: int) -> MeanSpread:
    """Mean of the first spread minus the second, over summaries (book, first, second) that have both."""
    rows = [(book, one.deviation - other.deviation, one.extent - other.extent) for book, one, other in pairs]
    return _mean_of_columns(rows, NOT_IN_BOTH, seed)


def _mean_of_columns(rows: Sequence[tuple[int, float, float]], reason: str, seed: int) -> MeanSpread:
    counts = sums_by_book((book, (deviation, extent, 1)) for book, deviation, extent in rows)
    found = estimates(counts, {"deviation": (ratio(0, 2), reason), "extent": (ratio(1, 2), reason)}, seed=seed)
    return MeanSpread(len(rows), found["deviation"], found["extent"])


def sums_by_book(rows: Iterable[tuple[int, Sequence[float]]]) -> Array:
    """Sums of the columns for each book (a number), books in order: shape (books, columns)."""
    books: dict[int, list[Sequence[float]]] = {}
    for book, columns in rows:
        books.setdefault(book, []).append(columns)
    return numpy.array([numpy.sum(books[book], axis=0) for book in sorted(books)], dtype=float)


@dataclass(frozen=True)
class UnitAgreement:
    """People on the `units` that at least two of them judged, with intervals over books."""

    units: int
    judgements: int
    #: How many units were judged by so many people.
    sizes: dict[int, int]
    #: "percent" (of pairs of judgements that agree), "unanimous" (share of units), "fleiss", "randolph".
    figures: dict[str, Estimate]


#: Columns of the counts: units, sum of their shares of agreeing pairs, unanimous ones, judgements, supported ones.
_UNITS, _AGREEING, _UNANIMOUS, _JUDGEMENTS, _SUPPORTED = range(5)


def _fleiss(sums: Array) -> Array:
    observed = sums[..., _AGREEING] / sums[..., _UNITS]
    supported = sums[..., _SUPPORTED] / sums[..., _JUDGEMENTS]
    by_chance = supported**2 + (1 - supported) ** 2
    # With one label both are 1 but for rounding.
    return numpy.where(by_chance < 1 - 1e-12, (observed - by_chance) / (1 - by_chance), numpy.nan)


def _randolph(sums: Array) -> Array:
    return numpy.asarray(2 * sums[..., _AGREEING] / sums[..., _UNITS] - 1)


_AGREEMENT: dict[str, tuple[Formula, str]] = {
    "percent": (ratio(_AGREEING, _UNITS), NO_SHARED_UNIT),
    "unanimous": (ratio(_UNANIMOUS, _UNITS), NO_SHARED_UNIT),
    "fleiss": (_fleiss, ONE_LABEL),
    "randolph": (_randolph, NO_SHARED_UNIT),
}


def unit_agreement(units: Iterable[tuple[int, int, int]], seed: int, *, alone: str = ONE_BOOK) -> UnitAgreement:
    """Fleiss' kappa (Fleiss 1971), Randolph's free-marginal kappa (Randolph 2005) and the share of unanimous units
    (LongEval, appendix B.1 and table 7); `units`: for each its book, supported and unsupported judgements.

    Observed agreement is the mean over units of the share of pairs of judgements that agree; by chance it is p^2 +
    (1 - p)^2 with the share p of supported judgements (Fleiss), or one half (Randolph). Where every unit was judged by
    the same number of people this is Fleiss' formula; where the numbers differ, each unit still counts once. Units with
    one judgement are left out. A repeated unit is one decision, so it counts once here. `alone`: why a single book has
    no interval, where something else stands in the place of books.
    """
    shared = [(book, yes, no) for book, yes, no in units if yes + no > 1]
    counts = sums_by_book((book, (1, _agreeing(yes, no), yes * no == 0, yes + no, yes)) for book, yes, no in shared)
    found = estimates(counts, _AGREEMENT, seed=seed, alone=alone)
    if not shared:
        found = dict.fromkeys(_AGREEMENT, Estimate.undefined(NO_SHARED_UNIT))
    sizes = Counter(yes + no for _, yes, no in shared)
    return UnitAgreement(
        units=len(shared),
        judgements=sum(yes + no for _, yes, no in shared),
        sizes=dict(sorted(sizes.items())),
        figures=found,
    )


def _agreeing(yes: int, no: int) -> float:
    """Share of the pairs of judgements of a unit that say the same."""
    judgements = yes + no
    return (yes * (yes - 1) + no * (no - 1)) / (judgements * (judgements - 1))


def units_of(judgements: Iterable[tuple[int, int, bool]]) -> list[tuple[int, int, int]]:
    """(book, unit, supported) of each judgement, as `unit_agreement` takes them."""
    found: dict[tuple[int, int], list[int]] = {}
    for book, unit, supported in judgements:
        found.setdefault((book, unit), [0, 0])[0 if supported else 1] += 1
    return [(book, yes, no) for (book, _), (yes, no) in found.items()]
