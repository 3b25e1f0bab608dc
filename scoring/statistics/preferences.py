"""Which of two systems people prefer, and whether they agree about it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import scipy.stats

from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.statistic import Statistic

NO_CHOICES = "Nobody chose one of the two."
ONE_PERSON = "Fewer than two people chose one of the two."
ONE_SYSTEM = "Everybody always chose the same system."
#: Tables drawn where more than two people are compared.
RESAMPLES = 9_999


@dataclass(frozen=True)
class PersonChoices:
    """How often one person chose each of two systems, and how often neither."""

    person: str
    first: int
    second: int
    draws: int = 0


@dataclass(frozen=True)
class PreferenceTest:
    """Of choices between two systems. `share`, `p` and `people_differ` leave draws out."""

    first: int
    second: int
    draws: int
    #: Choices of the first by choices of either.
    share: Statistic
    #: Wilson's interval of it, as if all choices were independent of each other.
    interval: Interval
    #: Exact two-sided binomial test against one half (the sign test): how likely a share as far from it would be, if
    #: people had no preference.
    p: Statistic
    #: Whether people prefer the two differently: how likely their counts would differ as much by chance, by Fisher's
    #: exact test for two people, and for more by the same test on 9,999 seeded tables with the same margins.
    people_differ: Statistic


def preference_test(people: Sequence[PersonChoices], seed: int) -> PreferenceTest:
    """Over all choices of `people`, each of whom is there once."""
    first, second = sum(each.first for each in people), sum(each.second for each in people)
    chosen = first + second
    test = scipy.stats.binomtest(first, chosen) if chosen else None
    return PreferenceTest(
        first=first,
        second=second,
        draws=sum(each.draws for each in people),
        share=Statistic.of(first / chosen) if chosen else Statistic.undefined(NO_CHOICES),
        interval=wilson(first, chosen) if chosen else Interval(None, None, reason=NO_CHOICES),
        p=Statistic.of(float(test.pvalue)) if test else Statistic.undefined(NO_CHOICES),
        people_differ=_difference(people, seed),
    )


def _difference(people: Sequence[PersonChoices], seed: int) -> Statistic:
    table = numpy.array([(each.first, each.second) for each in people if each.first + each.second])
    if len(table) < 2:
        return Statistic.undefined(ONE_PERSON)
    if not table.sum(axis=0).all():
        return Statistic.undefined(ONE_SYSTEM)
    drawn = scipy.stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=numpy.random.default_rng(seed))
    return Statistic.of(float(scipy.stats.fisher_exact(table, method=None if len(table) == 2 else drawn).pvalue))
