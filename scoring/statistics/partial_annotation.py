"""How much of a summary has to be judged: partial annotation simulated from full data. Pure.

LongEval (arXiv 2301.13298), section 3.2. Every person's judgements of a summary are cut to a random share of its units,
a different one for each person; a summary's score is the mean over its people; Kendall's tau-b sets the scores of all
summaries beside those from all units.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy

from scoring.statistics.annotator_bootstrap import tau_rows
from scoring.statistics.correlation import CONSTANT, TOO_FEW
from scoring.statistics.estimate import Array
from scoring.statistics.faithfulness import ONE_PERSON, Label
from scoring.statistics.statistic import Statistic

SIMULATIONS = 200
#: Bits of a unit's number above which its places stand.
_PLACES = 32
#: Percent of the units.
FRACTIONS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
#: From percent and units of a summary to the units that a person judges, from 1 to all.
Sampled = Callable[[int, int], int]

NO_ORDER = "In every simulation all summaries had the same score, so there is no order."


@dataclass(frozen=True)
class FullTask:
    """One person's judgements of all units of a summary; repeated units once, with their number of places."""

    summary: int
    labels: Sequence[Label]


@dataclass(frozen=True)
class PartialAnnotation:
    """What judging `percent` of the units would have given."""

    percent: int
    #: Mean number of units that a person judges in a summary.
    units: float
    #: Mean tau-b with the scores from all units, over the simulations in which it is defined, and their band.
    tau: Statistic
    #: 5th and 95th percentile over simulations.
    low: float | None
    high: float | None
    defined: int
    #: Mean over simulations and summaries of the population standard deviation between people, in percentage points.
    deviation: Statistic


def partial_annotation(tasks: Sequence[FullTask], sampled: Sampled, seed: int) -> list[PartialAnnotation]:
    """One row for each of `FRACTIONS`, from 200 seeded simulations; none without tasks.

    Within a simulation the sample of a larger share holds that of a smaller one.
    """
    if not tasks:
        return []
    sampled = cache(sampled)  # tasks have few lengths
    own = numpy.array([task.summary for task in tasks])
    by_summary = numpy.argsort(own, kind="stable")
    _, begins, people = numpy.unique(own[by_summary], return_index=True, return_counts=True)
    means, variances = numpy.empty((2, SIMULATIONS, len(FRACTIONS), len(people)))
    for simulation, of_tasks in enumerate(_simulated(tasks, sampled, numpy.random.default_rng(seed))):
        scores = of_tasks[:, by_summary]
        means[simulation] = numpy.add.reduceat(scores, begins, axis=1) / people
        variances[simulation] = numpy.add.reduceat(scores**2, begins, axis=1) / people - means[simulation] ** 2
    # The last fraction takes every unit, whatever the order.
    full = means[0, -1]
    spreads = numpy.sqrt(numpy.clip(variances[:, :, people > 1], 0, None))
    return [
        _row(tasks, percent, sampled, means[:, index], full, spreads[:, index])
        for index, percent in enumerate(FRACTIONS)
    ]


def _simulated(tasks: Sequence[FullTask], sampled: Sampled, generator: numpy.random.Generator) -> Iterator[Array]:
    """Of each simulation the score of each task, in percent: shape (fractions, tasks)."""
    longest = max(len(task.labels) for task in tasks)
    # Of each unit its places and its supported ones in one number, so that one step orders and adds up both.
    units = numpy.zeros((len(tasks), longest), dtype=numpy.int64)
    for row, task in enumerate(tasks):
        units[row, : len(task.labels)] = [(count << _PLACES) + (count if yes else 0) for yes, count in task.labels]
    last = numpy.array([[sampled(percent, len(task.labels)) - 1 for task in tasks] for percent in FRACTIONS])
    for _ in range(SIMULATIONS):
        order = numpy.argsort(numpy.where(units > 0, generator.random(units.shape), 2), axis=1)
        sums = numpy.cumsum(numpy.take_along_axis(units, order, axis=1), axis=1)[numpy.arange(len(tasks)), last]
        yield 100 * (sums & ((1 << _PLACES) - 1)) / (sums >> _PLACES)


def _row(
    tasks: Sequence[FullTask],
    percent: int,
    sampled: Sampled,
    means: Array,
    full: Array,
    spreads: Array,
) -> PartialAnnotation:
    tau, low, high, defined = _tau(means, full)
    return PartialAnnotation(
        percent=percent,
        units=sum(sampled(percent, len(task.labels)) for task in tasks) / len(tasks),
        tau=tau,
        low=low,
        high=high,
        defined=defined,
        deviation=Statistic.of(float(spreads.mean())) if spreads.size else Statistic.undefined(ONE_PERSON),
    )


def _tau(means: Array, full: Array) -> tuple[Statistic, float | None, float | None, int]:
    if len(full) < 3:
        return Statistic.undefined(TOO_FEW), None, None, 0
    if float(numpy.ptp(full)) < 1e-9:
        return Statistic.undefined(CONSTANT), None, None, 0
    found = tau_rows(means, full[:, None])[:, 0]
    defined = found[numpy.isfinite(found)]
    if not defined.size:
        return Statistic.undefined(NO_ORDER), None, None, 0
    low, high = numpy.percentile(defined, [5, 95])
    return Statistic.of(float(defined.mean())), float(low), float(high), len(defined)
