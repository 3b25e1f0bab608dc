"""Choices between two systems, worked out by hand."""

import pytest

from scoring.statistics.preferences import NO_CHOICES, ONE_PERSON, ONE_SYSTEM, PersonChoices, preference_test


def people(*counts):
    return [PersonChoices(f"person {index}", *each) for index, each in enumerate(counts)]


def test_draws_are_left_out_of_the_exact_test():
    test = preference_test(people((2, 8, 90)), seed=0)
    assert (test.first, test.second, test.draws) == (2, 8, 90)
    assert test.share.value == 0.2
    # As far from 5 of 10 are 0, 1, 2, 8, 9, 10: 2 x (1 + 10 + 45) of 1024.
    assert test.p.value == pytest.approx(112 / 1024)


def test_two_people_are_compared_by_fisher_s_exact_test():
    # Fisher's tea tasting: (1 + 16 + 16 + 1) of 70 tables are as unlikely.
    test = preference_test(people((3, 1), (1, 3, 5)), seed=0)
    assert test.people_differ.value == pytest.approx(34 / 70)
    assert test.p.value == 1.0


def test_more_people_are_compared_on_drawn_tables():
    # Of C(12, 6) = 924 ways, a table's weight is C(4, a) C(4, b) C(4, c); (4, 0, 2) weighs 6, as do its six orders, and
    # nothing weighs less.
    counts = people((4, 0), (0, 4), (2, 2))
    test = preference_test(counts, seed=7)
    assert test.people_differ.value == pytest.approx(36 / 924, abs=0.008)
    assert preference_test(counts, seed=7) == test


@pytest.mark.parametrize(
    ("counts", "p", "differ"),
    [
        ([], NO_CHOICES, ONE_PERSON),
        ([(0, 0, 3)], NO_CHOICES, ONE_PERSON),
        ([(1, 0), (0, 0, 4)], "", ONE_PERSON),
        ([(2, 0), (3, 0)], "", ONE_SYSTEM),
    ],
)
def test_what_is_not_defined_says_why(counts, p, differ):
    test = preference_test(people(*counts), seed=0)
    assert (test.p.reason, test.people_differ.reason) == (p, differ)
    assert (test.share.value is None) == bool(p)
