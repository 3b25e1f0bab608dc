"""Partial annotation: all samples of tiny tasks enumerated by hand."""

import math

import pytest

from scoring.statistics.correlation import CONSTANT, TOO_FEW
from scoring.statistics.faithfulness import ONE_PERSON
from scoring.statistics.partial_annotation import FRACTIONS, SIMULATIONS, FullTask, partial_annotation

YES, NO = (True, 1), (False, 1)


def simulated(tasks, seed=0):
    """A share is rounded up."""
    return partial_annotation(tasks, lambda percent, units: math.ceil(percent * units / 100), seed)


def at(rows, percent):
    return next(row for row in rows if row.percent == percent)


def test_tau_by_fraction_against_all_samples():
    """Summaries of 100, 50 and 25; with half of the units the second has 100 or 0, the third 0 or 50, all as likely.

    Of the four only (0, 50) turns a pair round: tau-b is (2 - 1) / 3. In the others two scores tie: 2 / sqrt(2 x 3).
    """
    tasks = [FullTask(1, [YES, YES]), FullTask(2, [YES, NO]), FullTask(3, [YES, NO, NO, NO])]
    rows = simulated(tasks)
    assert [row.percent for row in rows] == list(FRACTIONS)
    half, tied, turned = at(rows, 50), 2 / 6**0.5, 1 / 3
    expected = 0.75 * tied + 0.25 * turned
    deviation = (tied - turned) * (0.75 * 0.25) ** 0.5
    assert half.tau.value == pytest.approx(expected, abs=4 * deviation / SIMULATIONS**0.5)
    assert (half.low, half.high) == (pytest.approx(turned), pytest.approx(tied))
    assert half.units == pytest.approx(4 / 3)
    assert half.deviation.reason == ONE_PERSON
    whole = at(rows, 100)
    assert (whole.tau.value, whole.low, whole.high, whole.defined) == (1, 1, 1, SIMULATIONS)
    assert rows == simulated(tasks)
    assert rows != simulated(tasks, seed=1)


def test_each_person_has_a_sample_of_their_own():
    """Both judge one of two units: 100 or 0 each, so half of the time 50 apart (deviation), and never with all."""
    tasks = [FullTask(1, [YES, NO]), FullTask(1, [YES, NO])]
    rows = simulated(tasks)
    assert at(rows, 50).deviation.value == pytest.approx(25, abs=4 * 25 / SIMULATIONS**0.5)
    assert at(rows, 100).deviation.value == 0
    assert at(rows, 50).tau.reason == TOO_FEW


def test_repeated_units_are_drawn_once_and_count_each_time():
    """75 by all; the unit alone that stands three times has 100, so the order turns in the half of the samples."""
    tasks = [FullTask(1, [(True, 3), NO]), FullTask(2, [YES, NO]), FullTask(3, [NO])]
    whole = at(simulated(tasks), 100)
    assert whole.tau.value == 1
    # With one place less the first two tie at 50.
    tied = [FullTask(1, [(True, 3), (False, 3)]), FullTask(2, [YES, NO]), FullTask(3, [NO])]
    assert at(simulated(tied), 100).tau.value == 1
    assert simulated([FullTask(1, [(True, 2), NO, NO])])[-1].units == 3


def test_where_there_is_no_order():
    assert simulated([]) == []
    same = [FullTask(number, [YES, NO]) for number in range(3)]
    assert {row.tau.reason for row in simulated(same)} == {CONSTANT}
