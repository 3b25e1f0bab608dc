"""Time by position in a task, by hand."""

import pytest

from scoring.statistics.learning import NO_TASK, NO_TIMES, ONE_PERSON, learning_effect


def test_fifths_and_rho_by_hand():
    """One person's task falls from 50 to 10 (rho -1); another's go up and down (1 and -1, mean 0): together -0.5.

    Three units are in fifths 1, 2 and 4 (0, 5 and 10 thirds).
    """
    found = learning_effect({1: [[50, 40, 30, 20, 10]], 2: [[10, 20, 30], [30, 20, 10]]}, seed=0)
    assert (found.tasks, found.people) == (3, 2)
    assert [(each.number, each.judgements, each.mean.value, each.median.value) for each in found.fifths] == [
        (1, 3, 30, 30),
        (2, 3, pytest.approx(80 / 3), 20),
        (3, 1, 30, 30),
        (4, 3, 20, 20),
        (5, 1, 10, 10),
    ]
    assert found.rho.figure.value == pytest.approx(-0.5)
    assert found.rho.interval.pair() == [pytest.approx(-1), pytest.approx(0)]


def test_what_has_no_time_is_left_out_and_keeps_its_place():
    found = learning_effect({1: [[9, None, None, 5, 1], [None, None]]}, seed=0)
    assert found.tasks == 1
    assert [each.judgements for each in found.fifths] == [1, 0, 0, 1, 1]
    assert found.fifths[1].mean.reason == NO_TIMES
    assert found.rho.figure.value == pytest.approx(-1)
    assert found.rho.interval.reason == ONE_PERSON


@pytest.mark.parametrize("tasks", [{}, {1: []}, {1: [[5, 3]]}, {1: [[4, 4, 4]]}])
def test_too_little_for_a_correlation(tasks):
    found = learning_effect(tasks, seed=0)
    assert found.rho.figure.reason == NO_TASK
    assert found.people == 0
    assert len(found.fifths) == 5
