"""Intervals that show how much a figure depends on who judged: people are resampled within each summary. Pure.

LongEval (arXiv 2301.13298), appendix A. The scores are a table of summaries by people. In each resample as many people
are drawn with replacement as the summary has, for every summary by itself; its score is the mean of those drawn; the
statistic is computed from all summaries, and the interval is from the 2.5th to the 97.5th percentile. Summaries
themselves stay: this is the stated exception from intervals over books, and says nothing about other books.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from scoring.statistics.correlation import kendall, pearson
from scoring.statistics.estimate import Array, Estimate
from scoring.statistics.intervals import RESAMPLES, Interval, percentiles
from scoring.statistics.statistic import Statistic

NOBODY = "Nobody has scored a summary yet."
ONE_ANNOTATOR = "An interval over people needs a summary that two of them scored."
NEVER_DEFINED = "The figure is not defined in any resample of the people."
#: Of resamples that tau is computed for at a time: so many stay near the processor.
ROWS_AT_A_TIME = 64
#: Neighbours; a power of two.
FEW = 16
#: Than any score in millionths; twice as much fits into 32 bits.
HIGHER_THAN_ANY = 1 << 30

Integers = NDArray[numpy.int64]


@dataclass(frozen=True)
class MetricCorrelation:
    """People's scores beside another figure over the `n` summaries that have both."""

    n: int
    pearson: Estimate
    kendall: Estimate


class AnnotatorBootstrap:
    """Scores of summaries, and the same in each resample of their people. Equal scores and seed give equal resamples.

    `scores`: for each summary one score a person, at least one.
    """

    def __init__(self, scores: Sequence[Sequence[float]], seed: int) -> None:
        self.means = numpy.array([sum(own) / len(own) for own in scores], dtype=float)
        #: Whether a summary has people to choose from.
        self.varies = numpy.array([len(own) > 1 for own in scores], dtype=bool)
        self.resampled = resampled_means(scores, seed)

    def mean(self, rows: Sequence[int]) -> Estimate:
        """Plain mean over these summaries, for example those of a system."""
        if not len(rows):
            return Estimate.undefined(NOBODY)
        chosen = list(rows)
        value = Statistic.of(float(self.means[chosen].mean()))
        return Estimate(value, self._interval(self.resampled[:, chosen].mean(axis=1), chosen))

    def correlations(self, metrics: Mapping[str, Sequence[float | None]]) -> dict[str, MetricCorrelation]:
        """Pearson's r and Kendall's tau-b with each metric; a metric has a value or None for each summary."""
        if not metrics or not len(self.means):
            return {}
        values = numpy.array([[numpy.nan if each is None else each for each in own] for own in metrics.values()]).T
        r, tau = pearson_rows(self.resampled, values), tau_rows(self.resampled, values)
        return {
            name: self._correlation(values[:, column], r[:, column], tau[:, column])
            for column, name in enumerate(metrics)
        }

    def _correlation(self, values: Array, r: Array, tau: Array) -> MetricCorrelation:
        rows = numpy.flatnonzero(~numpy.isnan(values))
        # Means that are equal may differ by rounding, which would break a tie.
        scores, others = numpy.round(self.means[rows], 9).tolist(), values[rows].tolist()
        found = [
            Estimate(figure, self._interval(resampled, rows.tolist()))
            if figure.value is not None
            else Estimate.undefined(figure.reason)
            for figure, resampled in ((pearson(scores, others), r), (kendall(scores, others), tau))
        ]
        return MetricCorrelation(len(rows), *found)

    def _interval(self, figures: Array, rows: list[int]) -> Interval:
        if not self.varies[rows].any():
            return Interval(None, None, reason=ONE_ANNOTATOR)
        defined = figures[numpy.isfinite(figures)]
        return percentiles(defined) if defined.size else Interval(None, None, reason=NEVER_DEFINED)


def resampled_means(scores: Sequence[Sequence[float]], seed: int) -> Array:
    """Mean of the people drawn for each summary in each resample: shape (RESAMPLES, summaries)."""
    generator = numpy.random.default_rng(seed)
    found = numpy.empty((RESAMPLES, len(scores)))
    for column, own in enumerate(scores):
        drawn = generator.integers(0, len(own), (RESAMPLES, len(own)))
        found[:, column] = numpy.asarray(own, dtype=float)[drawn].mean(axis=1)
    return found


def pearson_rows(scores: Array, metrics: Array) -> Array:
    """Pearson's r of each row of `scores`, shape (rows, summaries), with each metric, shape (summaries, metrics).

    A metric is NaN where a summary lacks it; the result, shape (rows, metrics), is NaN where one side is constant.
    """
    there = (~numpy.isnan(metrics)).astype(float)
    n = there.sum(axis=0)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        # Centred first, so that the differences of sums below lose nothing.
        other = numpy.where(there > 0, metrics - numpy.nansum(metrics, axis=0) / n, 0.0)
        own = scores - scores.mean()
        sums = own @ there
        variance = own**2 @ there - sums**2 / n
        shared = own @ other
        r = shared / numpy.sqrt(variance * (other**2).sum(axis=0))
        return numpy.where(variance > 1e-9, numpy.clip(r, -1, 1), numpy.nan)


def tau_rows(scores: Array, metrics: Array) -> Array:
    """Kendall's tau-b (Kendall 1945) of each row of `scores` with each metric; shapes and NaN as in `pearson_rows`.

    Scores, from 0 to 100, that differ by less than a millionth are equal: means that are may differ by rounding.
    (concordant - discordant) / sqrt(pairs not tied in the scores * pairs not tied in the metric), over the pairs of
    summaries that have the metric.
    """
    millionths = numpy.round(scores * 1e6).astype(numpy.int64)
    found = numpy.empty((len(scores), metrics.shape[1]))
    for column, metric in enumerate(metrics.T):
        there = ~numpy.isnan(metric)
        for start in range(0, len(scores), ROWS_AT_A_TIME):
            block = slice(start, start + ROWS_AT_A_TIME)
            found[block, column] = _tau(millionths[block, there], _ranks(metric[there]))
    return found


def _ranks(values: Array) -> Integers:
    """0 for the smallest; equal ones share theirs, and those are equal that differ by rounding alone."""
    order = numpy.argsort(values, kind="stable")
    ranks = numpy.zeros(len(values), dtype=numpy.int64)
    ranks[order[1:]] = numpy.cumsum(numpy.round(numpy.diff(values[order]), 12) > 0)
    return ranks


def _tau(scores: Integers, ranks: Integers) -> Array:
    """Tau-b of each row of `scores` with `ranks`, by Knight (1966): sorting takes fewer steps than there are pairs."""
    by_rank = numpy.sort(ranks * HIGHER_THAN_ANY + scores, axis=1)
    discordant, in_order = _inversions(by_rank % HIGHER_THAN_ANY)
    pairs = len(ranks) * (len(ranks) - 1) // 2
    in_rank, in_score = _tied(numpy.sort(ranks)[None]), _tied(in_order)
    concordant = pairs - in_rank - in_score + _tied(by_rank) - discordant
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return numpy.asarray((concordant - discordant) / numpy.sqrt((pairs - in_score) * (pairs - in_rank)))


def _tied(in_order: Integers) -> Integers:
    """Pairs of equal values in each row of sorted ones."""
    places = numpy.arange(in_order.shape[1])
    begins = numpy.ones(in_order.shape, dtype=bool)
    begins[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    # Each value makes a pair with every equal one before it.
    before = places - numpy.maximum.accumulate(numpy.where(begins, places, 0), axis=1)
    return numpy.asarray(before.sum(axis=1))


def _inversions(values: Integers) -> tuple[Integers, Integers]:
    """In each row the pairs of which the first is greater than the second; and the rows, sorted.

    Pairs within a few neighbours are compared one by one. From there neighbouring halves, sorted already, are merged
    over and over, and what lies in the left one and is greater is counted.
    """
    rows, count = values.shape
    length = max(FEW, 1 << max(0, count - 1).bit_length())
    padded = numpy.full((rows, length), HIGHER_THAN_ANY - 1, dtype=numpy.int32)
    padded[:, :count] = values
    few = padded.reshape(rows, -1, FEW)
    found = numpy.zeros(rows, dtype=numpy.int64)
    for apart in range(1, FEW):
        found += numpy.count_nonzero(few[:, :, :-apart] > few[:, :, apart:], axis=(1, 2))
    merged, half = numpy.sort(few, axis=2), FEW
    while half < length:
        # The lowest bit says which half a value is from; of equal ones, the left one's comes first.
        marked = merged.reshape(rows, -1, 2, half) << 1
        marked[:, :, 1] |= 1
        marked = numpy.sort(marked.reshape(rows, -1, 2 * half), axis=2)
        places = (marked & 1).sum(axis=1) @ numpy.arange(2 * half)
        not_greater = places - length // (2 * half) * (half * (half - 1) // 2)
        found += length // 2 * half - not_greater
        merged = marked >> 1
        half *= 2
    return found, merged.reshape(rows, length)[:, :count]
