"""Do people become faster while they work through a summary? Pure.

LongEval (arXiv 2301.13298), appendix E and figure 5: units took less time after the first fifth of a summary.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.statistics.correlation import spearman
from scoring.statistics.estimate import Estimate
from scoring.statistics.intervals import bootstrap_mean
from scoring.statistics.statistic import Statistic

FIFTHS = 5
NO_TIMES = "No time was recorded there."
NO_TASK = "It needs a task with three units whose recorded times are not all the same."
ONE_PERSON = "An interval over people needs two of them."

#: Seconds of each unit in the order of the task; None where none were recorded.
Times = Sequence[float | None]


@dataclass(frozen=True)
class Fifth:
    """Seconds a unit in the `number`th fifth (1 to 5) of the tasks."""

    number: int
    judgements: int
    mean: Statistic
    median: Statistic


@dataclass(frozen=True)
class Learning:
    tasks: int
    fifths: list[Fifth]
    #: Spearman's rho of position and seconds: within each task, mean over a person's tasks, mean over people.
    rho: Estimate
    people: int


def learning_effect(tasks: Mapping[int, Sequence[Times]], seed: int) -> Learning:
    """`tasks`: by person, the times of each of their tasks.

    The unit at `index` of n (from 0) is in fifth 5 index // n + 1, so a task with fewer than five units is not in every
    fifth. Rho below 0: faster towards the end; computed within tasks, because people and summaries differ in how long
    they take. Its interval resamples people.
    """
    seconds: list[list[float]] = [[] for _ in range(FIFTHS)]
    for own in tasks.values():
        for times in own:
            for index, time in enumerate(times):
                if time is not None:
                    seconds[FIFTHS * index // len(times)].append(time)
    by_person = [rho for own in tasks.values() if (rho := _mean_rho(own)) is not None]
    return Learning(
        tasks=sum(any(time is not None for time in times) for own in tasks.values() for times in own),
        fifths=[_fifth(number, each) for number, each in enumerate(seconds, 1)],
        rho=_estimate(by_person, seed),
        people=len(by_person),
    )


def _fifth(number: int, seconds: Sequence[float]) -> Fifth:
    if not seconds:
        return Fifth(number, 0, Statistic.undefined(NO_TIMES), Statistic.undefined(NO_TIMES))
    mean, median = statistics.fmean(seconds), statistics.median(seconds)
    return Fifth(number, len(seconds), Statistic.of(mean), Statistic.of(median))


def _mean_rho(tasks: Sequence[Times]) -> float | None:
    found = []
    for times in tasks:
        recorded = [(float(index), time) for index, time in enumerate(times) if time is not None]
        rho = spearman([index for index, _ in recorded], [time for _, time in recorded])
        if rho.value is not None:
            found.append(rho.value)
    return statistics.fmean(found) if found else None


def _estimate(by_person: Sequence[float], seed: int) -> Estimate:
    if not by_person:
        return Estimate.undefined(NO_TASK)
    interval = bootstrap_mean(by_person, seed, alone=ONE_PERSON)
    return Estimate(Statistic.of(statistics.fmean(by_person)), interval)
