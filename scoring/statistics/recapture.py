"""How many confusing sentences nobody found: capture-recapture, with sentences as animals and readers as occasions."""

import math
from collections.abc import Sequence

import numpy
import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start

from scoring.statistics.estimate import Array, Estimate, Formula, estimate
from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic

#: With fewer, Chapman's estimator is biased (Seber 1982, section 3.1), and intervals mean little.
LEAST_RECAPTURES = 7
TOO_FEW = "Only {found} sentence{s} found by more than one; an estimate needs at least seven."


def too_few(recaptures: int) -> str:
    return TOO_FEW.format(found=recaptures or "no", s="s were" if recaptures != 1 else " was")


#: Columns of Chapman's counts: found by the first, by the second, by both.
FIRST, SECOND, BOTH = range(3)


def chapman(sums: Array) -> Array:
    """All confusing sentences, from two sources (Chapman 1951): (first + 1)(second + 1) / (both + 1) - 1.

    Shape (..., 3) to (...). Nearly unbiased where first + second is at least the total or both is at least 7.
    """
    return numpy.asarray((sums[..., FIRST] + 1) * (sums[..., SECOND] + 1) / (sums[..., BOTH] + 1) - 1)


def chapman_interval(first: int, second: int, both: int) -> Interval:
    """95 % interval of Chapman's total as if sentences were independent: never below what was found.

    Variance (Seber 1970): (first + 1)(second + 1)(first - both)(second - both) / ((both + 1)^2 (both + 2)), taken as
    log-normal in the number that nobody found (Chao 1987; Rexstad and Burnham 1991).
    """
    found = first + second - both
    total = float(chapman(numpy.array([first, second, both], dtype=float)))
    missed = total - found
    if missed <= 0:
        return Interval(float(found), float(found))
    above = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance = above / ((both + 1) ** 2 * (both + 2))
    spread = math.exp(float(scipy.stats.norm.ppf(0.975)) * math.sqrt(math.log(1 + variance / missed**2)))
    return Interval(found + missed / spread, found + missed * spread)


def chapman_estimate(counts: Array, *, formula: Formula = chapman, seed: int) -> Estimate:
    """A figure of Chapman's (all sentences, or a share of them) with its interval over books.

    `counts`: shape (books, 3). Undefined under seven recaptures.
    """
    recaptures = int(counts[:, BOTH].sum()) if counts.size else 0
    if recaptures < LEAST_RECAPTURES:
        return Estimate.undefined(too_few(recaptures))
    return estimate(counts, formula, reason="", seed=seed)


def chapman_share(columns: Sequence[int]) -> Formula:
    """Share of all confusing sentences that was found: the columns' sum (`BOTH` taken off once) by Chapman's total."""

    def formula(sums: Array) -> Array:
        found = sums[..., list(columns)].sum(axis=-1) - (sums[..., BOTH] if len(columns) > 1 else 0)
        return numpy.asarray(found / chapman(sums))

    return formula


def chapman_mean_share(sums: Array) -> Array:
    """Share of all confusing sentences that one of the two sources finds, on average."""
    return numpy.asarray((sums[..., FIRST] + sums[..., SECOND]) / 2 / chapman(sums))


def chao(sums: Array, sources: Sequence[int]) -> Array:
    """A lower bound of all confusing sentences, from more than two sources (Chao 1987, bias-corrected).

    found + sum over numbers of sources t of (t - 1) / t * once (once - 1) / (2 (twice + 1)).
    `sums`: shape (..., 3 len(sources)): for each number of sources found at all, exactly once, exactly twice.
    """
    of_groups = sums.reshape(*sums.shape[:-1], len(sources), 3)
    found, once, twice = of_groups[..., 0], of_groups[..., 1], of_groups[..., 2]
    factor = numpy.array([(number - 1) / number for number in sources])
    return numpy.asarray((found + factor * once * (once - 1) / (2 * (twice + 1))).sum(axis=-1))


def chao_share(sums: Array, sources: Sequence[int]) -> Array:
    """Share of that lower bound that was found; the true share is at most this."""
    found = sums.reshape(*sums.shape[:-1], len(sources), 3)[..., 0].sum(axis=-1)
    return numpy.asarray(found / chao(sums, sources))


def chao_estimate(counts: Array, sources: Sequence[int], *, share: bool = False, seed: int) -> Estimate:
    """Chao's lower bound, or the share of it that was found, with an interval over books.

    `counts`: shape (books, 3 len(sources)), see `chao`. Undefined where fewer than seven sentences were found by more
    than one source.
    """
    totals = counts.sum(axis=0).reshape(len(sources), 3) if counts.size else numpy.zeros((0, 3))
    recaptures = int(totals[:, 0].sum() - totals[:, 1].sum())
    if recaptures < LEAST_RECAPTURES:
        return Estimate.undefined(too_few(recaptures))
    formula = chao_share if share else chao
    return estimate(counts, lambda sums: formula(sums, sources), reason="", seed=seed)


def unseen(total: Estimate, found: int) -> Statistic:
    """How many nobody found."""
    if total.figure.value is None:
        return total.figure
    return Statistic.of(max(0.0, total.figure.value - found))
