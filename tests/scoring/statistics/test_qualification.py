"""Groups of people in a qualification test, by hand."""

import pytest

from scoring.statistics.faithfulness import NO_SHARED_UNIT
from scoring.statistics.qualification import NOBODY, ONE_STATEMENT, ONE_TESTED, FirstAttempt, group_figures

#: Four statements, of which the second and the fourth are not supported.
EXPECTED = [True, False, True, False]


def answers(*said, passed=False):
    return FirstAttempt([(key, *pair) for key, pair in enumerate(zip(said, EXPECTED, strict=False))], passed)


def test_two_people_by_hand():
    """All right, and the second one wrong: (1 + 3/4) / 2 = 7/8.

    Pairs agree on three of four statements; 5 of 8 answers are "supported", so by chance (25 + 9) / 64: Fleiss
    (3/4 - 34/64) / (30/64) = 14/30. Randolph (3/4 - 1/2) / (1/2) = 1/2.
    """
    found = group_figures([answers(True, False, True, False, passed=True), answers(True, True, True, False)], seed=0)
    assert (found.people, found.passed, found.answers, found.agreement.units) == (2, 1, 8, 4)
    assert found.accuracy.figure.value == 7 / 8
    assert found.accuracy.interval.pair() == [0.75, 1]
    assert found.agreement.figures["fleiss"].figure.value == pytest.approx(14 / 30)
    assert found.agreement.figures["randolph"].figure.value == pytest.approx(1 / 2)


def test_one_person_has_no_interval_and_agrees_with_nobody():
    found = group_figures([answers(True, False, True, True)], seed=0)
    assert found.accuracy.figure.value == 3 / 4
    assert found.accuracy.interval.reason == ONE_TESTED
    assert {each.figure.reason for each in found.agreement.figures.values()} == {NO_SHARED_UNIT}


def test_one_statement_has_no_interval_over_statements():
    found = group_figures([answers(True), answers(True)], seed=0)
    assert found.agreement.figures["randolph"].figure.value == 1
    assert found.agreement.figures["randolph"].interval.reason == ONE_STATEMENT


def test_nobody():
    found = group_figures([], seed=0)
    assert (found.people, found.accuracy.figure.value, found.accuracy.figure.reason) == (0, None, NOBODY)
