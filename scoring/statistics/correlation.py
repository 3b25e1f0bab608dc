"""Correlation of two scores over summaries."""

from collections.abc import Callable, Sequence

import numpy
import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start
from numpy.typing import NDArray

from scoring.statistics.statistic import Statistic

Array = NDArray[numpy.float64]
Measure = Callable[[Array, Array], float]

TOO_FEW = "A correlation needs at least three summaries (two always lie on one line)."
CONSTANT = "All scores of one side are equal, so they can't rise or fall together."


def pearson(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Pearson's r: linear correlation, from -1 to 1."""
    return _correlation(_linear, first, second)


def spearman(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank."""
    return _correlation(_of_ranks, first, second)


def kendall(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Kendall's tau-b: concordant minus discordant pairs, corrected for ties."""
    return _correlation(_of_order, first, second)


def _correlation(measure: Measure, first: Sequence[float], second: Sequence[float]) -> Statistic:
    if len(first) != len(second):
        raise ValueError("Both sides must list the same summaries.")
    if len(first) < 3:
        return Statistic.undefined(TOO_FEW)
    if max(first) - min(first) < 1e-12 or max(second) - min(second) < 1e-12:
        return Statistic.undefined(CONSTANT)
    return Statistic.of(measure(numpy.asarray(first, dtype=float), numpy.asarray(second, dtype=float)))


# Not by scipy, whose functions take twenty times as long: they check much, and compute p, which nobody is told.
def _linear(first: Array, second: Array) -> float:
    one, other = first - first.mean(), second - second.mean()
    r = one @ other / numpy.sqrt((one @ one) * (other @ other))
    return max(-1.0, min(1.0, float(r)))


def _of_ranks(first: Array, second: Array) -> float:
    return _linear(_ranks(first), _ranks(second))


def _ranks(values: Array) -> Array:
    """From 1; equal values share the mean of theirs."""
    _, place, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    return numpy.asarray((numpy.cumsum(counts) - (counts - 1) / 2)[place])


def _of_order(first: Array, second: Array) -> float:
    return float(scipy.stats.kendalltau(first, second).statistic)
