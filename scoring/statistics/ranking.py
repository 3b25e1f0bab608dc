"""Do people and a judge put the systems in the same order, which systems differ, and what could a study have found?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy
import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start

from scoring.statistics.estimate import Array, Estimate
from scoring.statistics.intervals import (
    NOT_IN_RESAMPLES,
    ONE_BOOK,
    Interval,
    book_weights,
    bootstrap_mean,
    percentiles,
)
from scoring.statistics.statistic import Statistic

ALPHA = 0.05
POWER = 0.8
MOST_BOOKS = 1_000_000
MOST_EFFECT = 100

TOO_FEW_SYSTEMS = "An order needs at least three systems that both scored."
ALL_TIED = "All systems have the same score, so there is no order."
TOO_FEW_BOOKS = "A comparison needs at least two books with summaries by both systems."
NO_SPREAD = "The difference is the same on every book, so there is no test."


def tau_b(first: Array, second: Array) -> Array:
    """Kendall's tau-b, -1 to 1, of scores of systems, shape (..., systems) to (...): NaN where one side is all tied.

    (concordant - discordant) / sqrt(pairs not tied in the first * pairs not tied in the second) (Kendall 1945).
    """
    rows, columns = numpy.triu_indices(first.shape[-1], 1)
    # Means that are equal may differ by rounding.
    signs = [numpy.sign(numpy.round(each[..., rows] - each[..., columns], 12)) for each in (first, second)]
    untied = [numpy.abs(each).sum(axis=-1) for each in signs]
    return numpy.asarray((signs[0] * signs[1]).sum(axis=-1) / numpy.sqrt(untied[0] * untied[1]))


def rank_agreement(people: Array, judge: Array, seed: int) -> Estimate:
    """Tau-b of the mean scores of systems, with an interval that resamples books for all systems together.

    Both: shape (books, systems), NaN where a book has no summary of a system that both scored.
    """
    if people.shape[-1] < 3:
        return Estimate.undefined(TOO_FEW_SYSTEMS)
    books = len(people)
    there = ~(numpy.isnan(people) | numpy.isnan(judge))
    scores = [numpy.where(there, each, 0.0) for each in (people, judge)]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        value = float(tau_b(*(each.sum(axis=0) / there.sum(axis=0) for each in scores)))
        if not numpy.isfinite(value):
            return Estimate.undefined(ALL_TIED)
        if books < 2:
            return Estimate(Statistic.of(value), Interval(None, None, reason=ONE_BOOK))
        weights = book_weights(books, seed)
        resampled = tau_b(*((weights @ each) / (weights @ there) for each in scores))
    defined = resampled[numpy.isfinite(resampled)]
    interval = percentiles(defined) if defined.size else Interval(None, None, reason=NOT_IN_RESAMPLES)
    return Estimate(Statistic.of(value), interval)


@dataclass(frozen=True)
class SystemPair:
    """Two systems by one source, over the `books` that have both. `difference` = first minus second, as a share."""

    first: str
    second: str
    books: int
    difference: Estimate
    #: Two-sided paired t-test over books, and the same by Holm over all pairs of the source.
    p: Statistic
    p_adjusted: Statistic
    #: The smallest true difference that a study of as many books finds with 80 % probability.
    detectable: Statistic
    #: Books that a difference as large as the researcher states would need; undefined where none is stated.
    books_needed: Statistic

    @property
    def differs(self) -> bool | None:
        return None if self.p_adjusted.value is None else self.p_adjusted.value < ALPHA


def system_pairs(
    scores: Mapping[str, Mapping[int, float]], *, seed: int, difference: float | None = None
) -> list[SystemPair]:
    """Every pair of systems. `scores`: system -> book -> score (0 to 1); `difference`: what the researcher would find.

    Tests are paired by book. Power is that of a paired t-test at 0.05 divided by the number of pairs, the level that
    Holm's smallest p has to reach.
    """
    names = list(scores)
    pairs = [(first, second) for index, first in enumerate(names) for second in names[index + 1 :]]
    compared = [_compare(scores[first], scores[second], seed) for first, second in pairs]
    tested = [each.p.value for each in compared if each.p.value is not None]
    adjusted = iter(holm(tested))
    level = ALPHA / max(1, len(tested))
    return [
        SystemPair(
            first=first,
            second=second,
            books=each.books,
            difference=each.difference,
            p=each.p,
            p_adjusted=each.p if each.p.value is None else Statistic.of(next(adjusted)),
            detectable=_times(detectable_effect(each.books, level), each) if each.p.value is not None else each.p,
            books_needed=_needed(each, difference, level),
        )
        for (first, second), each in zip(pairs, compared, strict=True)
    ]


@dataclass(frozen=True)
class _Compared:
    books: int
    difference: Estimate
    p: Statistic
    #: Standard deviation of the differences over books.
    deviation: float


def _compare(first: Mapping[int, float], second: Mapping[int, float], seed: int) -> _Compared:
    differences = [first[book] - second[book] for book in sorted(first.keys() & second.keys())]
    if len(differences) < 2:
        return _Compared(len(differences), Estimate.undefined(TOO_FEW_BOOKS), Statistic.undefined(TOO_FEW_BOOKS), 0)
    deviation = float(numpy.std(differences, ddof=1))
    mean = Estimate(Statistic.of(sum(differences) / len(differences)), bootstrap_mean(differences, seed))
    if deviation < 1e-12:
        return _Compared(len(differences), mean, Statistic.undefined(NO_SPREAD), 0)
    p = Statistic.of(float(scipy.stats.ttest_1samp(differences, 0.0).pvalue))
    return _Compared(len(differences), mean, p, deviation)


def _times(effect: float | None, compared: _Compared) -> Statistic:
    if effect is None:
        return Statistic.undefined("With so few books no difference would be found with 80 % probability.")
    return Statistic.of(effect * compared.deviation)


def _needed(compared: _Compared, difference: float | None, level: float) -> Statistic:
    if difference is None:
        return Statistic.undefined("No difference was stated.")
    if compared.p.value is None:
        return compared.p
    books = books_needed(difference / compared.deviation, level)
    return Statistic.of(books) if books else Statistic.undefined("It would need more than a million books.")


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected for many comparisons (Holm 1979), in their order: step-down, never above 1."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


def power_of_paired_t(effect: float, books: int, level: float) -> float:
    """Probability that a two-sided paired t-test finds a difference of `effect` standard deviations (noncentral t)."""
    bound = float(scipy.stats.t.ppf(1 - level / 2, books - 1))
    shift = effect * books**0.5
    above = float(scipy.stats.nct.sf(bound, books - 1, shift))
    below = float(scipy.stats.nct.cdf(-bound, books - 1, shift))
    # Far from the middle scipy has NaN for what is next to nothing.
    return (above if math.isfinite(above) else 1.0) + (below if math.isfinite(below) else 0.0)


@lru_cache(maxsize=512)
def detectable_effect(books: int, level: float) -> float | None:
    """The smallest true difference, in standard deviations, that is found with 80 % probability; None if over 100."""
    if books < 2:
        return None
    highest = 1 / books**0.5
    while power_of_paired_t(highest, books, level) < POWER:
        highest *= 2
        if highest > MOST_EFFECT:
            return None
    return float(
        scipy.optimize.brentq(lambda effect: power_of_paired_t(effect, books, level) - POWER, 0, highest, xtol=1e-6)
    )


@lru_cache(maxsize=2048)
def books_needed(effect: float, level: float) -> int | None:
    """The fewest books with which a difference of `effect` standard deviations is found with 80 % probability."""
    quantiles = float(scipy.stats.norm.ppf(1 - level / 2) + scipy.stats.norm.ppf(POWER))
    # The normal approximation is a little too low; from there it is a few steps.
    books = max(2, int((quantiles / effect) ** 2))
    if books > MOST_BOOKS:
        return None
    while power_of_paired_t(effect, books, level) < POWER:
        books += 1
    while books > 2 and power_of_paired_t(effect, books - 1, level) >= POWER:
        books -= 1
    return books
