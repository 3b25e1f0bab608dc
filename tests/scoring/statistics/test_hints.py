"""With hints beside without, by hand."""

import pytest

from scoring.statistics.agreement import ONE_LABEL
from scoring.statistics.hints import (
    NO_GOLD,
    NO_PAIRS,
    NO_TIMES,
    NOT_BOTH,
    ONE_PERSON,
    Judgement,
    accuracy,
    compare_hints,
)

#: Unit 1 is supported, unit 2 is not. Three people, each with hints on one of the two.
JUDGED = [
    Judgement(person=1, unit=1, supported=True, hints=True, seconds=40, expected=True),
    Judgement(person=2, unit=1, supported=True, hints=True, seconds=60, expected=True),
    Judgement(person=3, unit=1, supported=False, hints=False, seconds=30, expected=True),
    Judgement(person=1, unit=2, supported=False, hints=False, seconds=50, expected=False),
    Judgement(person=2, unit=2, supported=True, hints=False, seconds=70, expected=False),
    Judgement(person=3, unit=2, supported=True, hints=True, seconds=56, expected=False),
]


def test_accuracy_time_and_agreement_by_hand():
    found = compare_hints(JUDGED, seed=0)
    # With hints 2 of 3 are right, without 1 of 3.
    assert found.accuracy.with_hints.value == pytest.approx(2 / 3)
    assert found.accuracy.without.value == pytest.approx(1 / 3)
    assert found.accuracy.difference.figure.value == pytest.approx(1 / 3)
    assert (found.accuracy.n_with, found.accuracy.n_without) == (3, 3)
    # (40 + 60 + 56) / 3 and (30 + 50 + 70) / 3
    assert (found.seconds.with_hints.value, found.seconds.without.value) == (52, 50)
    assert found.seconds.difference.figure.value == pytest.approx(2)
    # One pair each: with hints it agrees (unit 1), without it does not (unit 2).
    assert (found.agreement.with_hints.value, found.agreement.without.value) == (1, 0)
    assert (found.agreement.n_with, found.agreement.n_without) == (1, 1)
    # With hints only unit 1 was judged twice, and only as supported; without, one says yes and one no: (0 - 1/2) / 1/2.
    assert found.fleiss_with.reason == ONE_LABEL
    assert found.fleiss_without.value == pytest.approx(-1)


def test_the_interval_resamples_people():
    """Differences of single people: 1 has 1 - 1, 2 has 1 - 0, 3 has 0 - 0; of three drawn at most all are 2."""
    interval = compare_hints(JUDGED, seed=0).accuracy.difference.interval
    assert interval.pair() == [0, 1]
    assert interval == compare_hints(JUDGED, seed=0).accuracy.difference.interval


def test_what_is_not_defined():
    nothing = compare_hints([], seed=0)
    assert (nothing.accuracy.with_hints.reason, nothing.seconds.difference.figure.reason) == (NO_GOLD, NO_TIMES)
    assert (nothing.agreement.without.reason, nothing.fleiss_with.reason) == (NO_PAIRS, NO_PAIRS)
    one_way = compare_hints([each for each in JUDGED if each.hints], seed=0)
    assert one_way.seconds.without.reason == NO_TIMES
    assert one_way.seconds.difference.figure.reason == NOT_BOTH
    alone = compare_hints([each for each in JUDGED if each.person == 1], seed=0)
    assert alone.seconds.difference.figure.value == -10
    assert alone.seconds.difference.interval.reason == ONE_PERSON
    assert alone.agreement.difference.figure.reason == NO_PAIRS


def test_accuracy_against_known_units():
    """3 of 6 say what is true; a judgement of a unit whose truth is not known does not count."""
    found = accuracy([*JUDGED, Judgement(person=1, unit=3, supported=True, hints=True)])
    assert (found.right, found.n, found.share.value) == (3, 6, 0.5)
    assert found.wilson.low < 0.5 < found.wilson.high
    assert accuracy([]).share.reason == NO_GOLD
