"""Do hints to the source help? Judgements that were made with them beside those that were made without. Pure.

LongEval (arXiv 2301.13298), section 3.3: accuracy against units whose truth is known, agreement, and time, each beside
the same without hints. Who had hints on which summary must have been drawn by lot.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy

from scoring.statistics.agreement import NO_SHARED_ITEM
from scoring.statistics.estimate import Array, Estimate, estimates
from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.pool import group_agreement
from scoring.statistics.statistic import Statistic

NO_GOLD = "No unit whose truth is known was judged."
NOT_BOTH = "Not known for both ways of working."
ONE_PERSON = "An interval over people needs two of them."
NO_PAIRS = "No unit was judged by two people in the same way of working."
NO_TIMES = "No time was recorded."


class Judgement(NamedTuple):
    """One person on one unit. `expected`: what is true of the unit, where that is known.

    `hints`: None where it is not known whether there were any.
    """

    person: int
    unit: int
    supported: bool
    hints: bool | None
    seconds: float | None = None
    expected: bool | None = None


@dataclass(frozen=True)
class Comparison:
    """A figure with and without hints, from so many judgements (or pairs of them), and the difference."""

    with_hints: Statistic
    without: Statistic
    n_with: int
    n_without: int
    #: With hints minus without; the interval resamples people.
    difference: Estimate


@dataclass(frozen=True)
class HintComparison:
    #: Shares of 1: judgements of known units that are right, and pairs of judgements of a unit that agree.
    accuracy: Comparison
    agreement: Comparison
    #: Mean seconds a unit.
    seconds: Comparison
    #: Fleiss' kappa over the units that two people judged in that way.
    fleiss_with: Statistic
    fleiss_without: Statistic


#: Columns of a person's counts: above and below the line of the figure, with hints and without.
_WITH, _N_WITH, _WITHOUT, _N_WITHOUT = range(4)
_Counts = dict[int, list[float]]


def compare_hints(judgements: Sequence[Judgement], seed: int) -> HintComparison:
    """Everything is summed over people, then computed once; intervals resample people (1,000 times, seeded).

    A pair of judgements of a unit counts half to each of its two people. Those of which nobody knows whether there were
    hints are left out. The same judgements in the same order give the same intervals, whatever numbers people have.
    """
    judgements = [each for each in judgements if each.hints is not None]
    fleiss_with, fleiss_without = (_fleiss(each for each in judgements if each.hints is way) for way in (True, False))
    return HintComparison(
        accuracy=_comparison(_sums(judgements, _right), NO_GOLD, seed),
        agreement=_comparison(_pairs(judgements), NO_PAIRS, seed),
        seconds=_comparison(_sums(judgements, lambda each: each.seconds), NO_TIMES, seed),
        fleiss_with=fleiss_with,
        fleiss_without=fleiss_without,
    )


def _right(judgement: Judgement) -> float | None:
    return None if judgement.expected is None else float(judgement.supported == judgement.expected)


def _sums(judgements: Iterable[Judgement], measure: Callable[[Judgement], float | None]) -> _Counts:
    found: _Counts = defaultdict(lambda: [0.0] * 4)
    for each in judgements:
        if (value := measure(each)) is not None:
            column = _WITH if each.hints else _WITHOUT
            found[each.person][column] += value
            found[each.person][column + 1] += 1
    return found


def _pairs(judgements: Iterable[Judgement]) -> _Counts:
    of_unit: dict[tuple[int, bool | None], list[Judgement]] = defaultdict(list)
    for each in judgements:
        of_unit[each.unit, each.hints].append(each)
    found: _Counts = defaultdict(lambda: [0.0] * 4)
    for (_, hints), own in of_unit.items():
        column = _WITH if hints else _WITHOUT
        for first, second in combinations(own, 2):
            for person in (first.person, second.person):
                found[person][column] += (first.supported == second.supported) / 2
                found[person][column + 1] += 1 / 2
    return found


def _difference(sums: Array) -> Array:
    return numpy.asarray(sums[..., _WITH] / sums[..., _N_WITH] - sums[..., _WITHOUT] / sums[..., _N_WITHOUT])


def _comparison(counts: _Counts, reason: str, seed: int) -> Comparison:
    rows = numpy.array(list(counts.values())).reshape(len(counts), 4)
    sums = rows.sum(axis=0)
    why = NOT_BOTH if sums[_N_WITH] or sums[_N_WITHOUT] else reason
    difference = estimates(rows, {"difference": (_difference, why)}, seed=seed, alone=ONE_PERSON)["difference"]
    return Comparison(
        with_hints=_share(sums[_WITH], sums[_N_WITH], reason),
        without=_share(sums[_WITHOUT], sums[_N_WITHOUT], reason),
        n_with=round(sums[_N_WITH]),
        n_without=round(sums[_N_WITHOUT]),
        difference=difference if rows.size else Estimate.undefined(reason),
    )


def _share(above: float, below: float, reason: str) -> Statistic:
    return Statistic.of(float(above / below)) if below else Statistic.undefined(reason)


def _fleiss(judgements: Iterable[Judgement]) -> Statistic:
    labels: dict[int, list[bool]] = defaultdict(list)
    for each in judgements:
        labels[each.unit].append(each.supported)
    found = group_agreement(Counter((sum(own), len(own) - sum(own)) for own in labels.values()))
    return Statistic.undefined(NO_PAIRS) if found.fleiss.reason == NO_SHARED_ITEM else found.fleiss


@dataclass(frozen=True)
class Accuracy:
    """Judgements of units whose truth is known: how many are right."""

    right: int
    n: int
    share: Statistic
    #: As if every judgement were independent.
    wilson: Interval


def accuracy(judgements: Iterable[Judgement]) -> Accuracy:
    """Right / judged of the units whose truth is known, from 0 to 1 (LongEval, appendix B.3)."""
    known = [each.supported == each.expected for each in judgements if each.expected is not None]
    right, n = sum(known), len(known)
    return Accuracy(right, n, _share(right, n, NO_GOLD), wilson(right, n))
