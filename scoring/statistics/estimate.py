"""A figure with its interval over books, computed from counts that add up over books."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.intervals import NOT_IN_RESAMPLES, ONE_BOOK, Interval, book_weights, percentiles
from scoring.statistics.statistic import Statistic

Array = NDArray[numpy.float64]
#: From sums of counts, shape (..., columns), to the figure, shape (...): NaN where it is not defined.
Formula = Callable[[Array], Array]


@dataclass(frozen=True)
class Estimate:
    figure: Statistic
    interval: Interval

    @classmethod
    def undefined(cls, reason: str) -> "Estimate":
        return cls(Statistic.undefined(reason), Interval(None, None, reason=reason))


def estimate(counts: ArrayLike, formula: Formula, *, reason: str, seed: int) -> Estimate:
    """`formula` of the sum over books, with a percentile bootstrap interval that resamples books (1,000 times, seeded).

    `counts`: shape (books, columns), what is counted in each book. `reason`: why there is no figure, where the formula
    gives NaN. Resamples in which the figure is not defined are left out of the interval.
    """
    return estimates(counts, {"figure": (formula, reason)}, seed=seed)["figure"]


def estimates(
    counts: ArrayLike, formulas: Mapping[str, tuple[Formula, str]], *, seed: int, alone: str = ONE_BOOK
) -> dict[str, Estimate]:
    """Several figures of the same counts, as `estimate` has them: name -> (formula, reason where it is NaN).

    `alone`: why one row has no interval, where rows are not books.
    """
    of_books = numpy.asarray(counts, dtype=float)
    if of_books.size == 0:
        return {name: Estimate.undefined(reason) for name, (_, reason) in formulas.items()}
    with numpy.errstate(divide="ignore", invalid="ignore"):
        sums = of_books.sum(axis=0)
        resampled = book_weights(len(of_books), seed) @ of_books if len(of_books) > 1 else None
        return {
            name: _estimate(float(formula(sums)), None if resampled is None else formula(resampled), reason, alone)
            for name, (formula, reason) in formulas.items()
        }


def _estimate(value: float, resampled: Array | None, reason: str, alone: str) -> Estimate:
    if not numpy.isfinite(value):
        return Estimate.undefined(reason)
    if resampled is None:
        return Estimate(Statistic.of(value), Interval(None, None, reason=alone))
    defined = resampled[numpy.isfinite(resampled)]
    interval = percentiles(defined) if defined.size else Interval(None, None, reason=NOT_IN_RESAMPLES)
    return Estimate(Statistic.of(value), interval)


def ratio(above: int | Sequence[int], below: int | Sequence[int]) -> Formula:
    """The sum of some columns divided by the sum of others."""
    upper, lower = _columns(above), _columns(below)

    def formula(sums: Array) -> Array:
        return numpy.asarray(sums[..., upper].sum(axis=-1) / sums[..., lower].sum(axis=-1))

    return formula


def _columns(columns: int | Sequence[int]) -> list[int]:
    return [columns] if isinstance(columns, int) else list(columns)
