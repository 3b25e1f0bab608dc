"""Intervals that show how much a figure depends on who judged: people are resampled within each summary. Pure.

LongEval (arXiv 2301.13298), appendix A. The scores are a table of summaries by people. In each resample as many people
are drawn with replacement as the summary has, for every summary by itself; its score is the mean of those drawn; the
statistic is computed from all summaries, and the interval is from the 2.5th to the 97.5th percentile. Summaries
themselves stay: this is the stated exception from intervals over books, and says nothing about other books.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

from scoring.statistics.correlation import kendall, pearson
from scoring.statistics.estimate import Array, Estimate
from scoring.statistics.intervals import RESAMPLES, Interval, percentiles
from scoring.statistics.statistic import Statistic

NOBODY = "Nobody has scored a summary yet."
ONE_ANNOTATOR = "An interval over people needs a summary that two of them scored."
NEVER_DEFINED = "The figure is not defined in any resample of the people."
#: How many signs of pairs of summaries are held at a time: so many stay near the processor.
MOST_SIGNS = 250_000


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
    first, second = numpy.triu_indices(scores.shape[1], 1)
    differences = metrics[first] - metrics[second]
    there = (~numpy.isnan(differences)).astype(numpy.float32)
    of_metric = numpy.sign(numpy.round(numpy.nan_to_num(differences), 12)).astype(numpy.float32)
    untied = numpy.abs(of_metric).sum(axis=0, dtype=float)
    millionths = numpy.round(scores * 1e6).astype(numpy.int32)
    found = numpy.empty((len(scores), metrics.shape[1]))
    step = max(16, MOST_SIGNS // max(1, len(first)))
    for start in range(0, len(scores), step):
        block = millionths[start : start + step]
        signs = numpy.sign(block[:, first] - block[:, second]).astype(numpy.float32)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            found[start : start + step] = signs @ of_metric / numpy.sqrt((numpy.abs(signs) @ there) * untied)
    return found
