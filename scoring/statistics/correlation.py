"""Correlation of two scores over summaries."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start

from scoring.statistics.statistic import Statistic

TOO_FEW = "A correlation needs at least three summaries (two always lie on one line)."
CONSTANT = "All scores of one side are equal, so they can't rise or fall together."


def pearson(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Pearson's r: linear correlation, from -1 to 1."""
    return _correlation(scipy.stats.pearsonr, first, second)


def spearman(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank."""
    return _correlation(scipy.stats.spearmanr, first, second)


def kendall(first: Sequence[float], second: Sequence[float]) -> Statistic:
    """Kendall's tau-b: concordant minus discordant pairs, corrected for ties."""
    return _correlation(scipy.stats.kendalltau, first, second)


def _correlation(measure: Callable[..., Any], first: Sequence[float], second: Sequence[float]) -> Statistic:
    if len(first) != len(second):
        raise ValueError("Both sides must list the same summaries.")
    if len(first) < 3:
        return Statistic.undefined(TOO_FEW)
    if max(first) - min(first) < 1e-12 or max(second) - min(second) < 1e-12:
        return Statistic.undefined(CONSTANT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of nearly constant input; the result is checked by Statistic.of
        return Statistic.of(float(measure(first, second).statistic))
