"""95 % intervals. Books are resampled, because the marks and sentences of a book hang together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy
import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start
from numpy.typing import NDArray

RESAMPLES = 1000
ONE_BOOK = "An interval needs at least two books."
NO_DECISIONS = "Nothing was decided yet."
NOT_IN_RESAMPLES = "The figure is not defined in any resample of the books."


@dataclass(frozen=True)
class Interval:
    """`low` to `high` in the unit of the figure, with the standard deviation of the resampled figures.

    All None where there is no interval, with the reason.
    """

    low: float | None
    high: float | None
    deviation: float | None = None
    reason: str = ""

    def pair(self) -> list[float] | None:
        return None if self.low is None or self.high is None else [self.low, self.high]


def bootstrap_mean(values: Sequence[float], seed: int = 0, *, alone: str = ONE_BOOK) -> Interval:
    """Percentile bootstrap (Efron) of the mean of one value a book: 1,000 resamples, 2.5th to 97.5th percentile.

    The deviation is that of the paper's appendix G. The same values and seed give the same interval. `alone`: why there
    is none for a single value, where values are not of books.
    """
    if len(values) < 2:
        return Interval(None, None, reason=alone)
    means = book_weights(len(values), seed) @ numpy.asarray(values, dtype=float) / len(values)
    return percentiles(means)


def bootstrap_ratio(numerators: Sequence[int], denominators: Sequence[int], seed: int = 0) -> Interval:
    """Percentile bootstrap of sum(numerators) / sum(denominators), one pair of counts a book, books resampled."""
    if len(numerators) != len(denominators):
        raise ValueError("Each book has one numerator and one denominator.")
    if sum(denominators) == 0:
        return Interval(None, None, reason=NO_DECISIONS)
    if len(numerators) < 2:
        return Interval(None, None, reason=ONE_BOOK)
    weights = book_weights(len(numerators), seed)
    above, below = weights @ numpy.asarray(numerators, float), weights @ numpy.asarray(denominators, float)
    return percentiles(above[below > 0] / below[below > 0])


def wilson(successes: int, trials: int) -> Interval:
    """Wilson's 95 % score interval of a share, as if every decision were independent of the others."""
    if trials == 0:
        return Interval(None, None, reason=NO_DECISIONS)
    interval = scipy.stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    return Interval(float(interval.low), float(interval.high))


def percentiles(figures: NDArray[numpy.float64]) -> Interval:
    """The 2.5th to the 97.5th percentile of resampled figures, and their standard deviation."""
    low, high = numpy.percentile(figures, [2.5, 97.5])
    # A constant sample differs from itself only by rounding.
    deviation = float(figures.std(ddof=1)) if float(numpy.ptp(figures)) > 1e-12 else 0.0
    return Interval(float(low), float(high), deviation)


@lru_cache(maxsize=32)
def book_weights(books: int, seed: int) -> NDArray[numpy.float64]:
    """How often each book is in each resample: shape (RESAMPLES, books). Kept: a report needs the same ones often."""
    generator = numpy.random.default_rng(seed)
    drawn = generator.integers(0, books, (RESAMPLES, books))
    rows = numpy.arange(RESAMPLES)[:, None] * books
    return numpy.bincount((drawn + rows).ravel(), minlength=RESAMPLES * books).reshape(RESAMPLES, books).astype(float)
