"""Intervals: seeded, by book, defined on tiny and constant data."""

import numpy
import pytest
from statsmodels.stats.proportion import proportion_confint

from scoring.statistics.intervals import NO_DECISIONS, ONE_BOOK, bootstrap_mean, bootstrap_ratio, wilson


def test_the_same_values_give_the_same_interval():
    values = [0.2, 0.4, 0.9, 0.7]
    assert bootstrap_mean(values, seed=7) == bootstrap_mean(values, seed=7)
    assert bootstrap_mean(values, seed=7) != bootstrap_mean(values, seed=8)


def test_constant_values_have_an_interval_of_no_width():
    interval = bootstrap_mean([0.8] * 5)
    assert interval.pair() == [pytest.approx(0.8), pytest.approx(0.8)]
    assert interval.deviation == 0.0


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_books_have_none(values):
    interval = bootstrap_mean(values)
    assert interval.pair() is None
    assert interval.reason == ONE_BOOK


def test_two_books_resample_to_three_possible_means():
    # (0, 0), (0, 1), (1, 0), (1, 1) are equally likely: both ends are reached, the deviation is sqrt(1/8) = 0.354.
    interval = bootstrap_mean([0.0, 1.0])
    assert interval.pair() == [0.0, 1.0]
    assert interval.deviation == pytest.approx(0.3536, abs=0.02)


def test_the_deviation_is_the_standard_error_of_the_mean():
    # The bootstrap deviation of a mean tends to (population deviation) / sqrt(n).
    values = numpy.random.default_rng(3).normal(0.8, 0.15, 100)
    assert bootstrap_mean(list(values)).deviation == pytest.approx(values.std() / 10, rel=0.1)


def test_ratio_resamples_books_and_not_decisions():
    # Two books, all upheld in one and none in the other: resamples are 0/20, 10/20 or 20/20.
    interval = bootstrap_ratio([10, 0], [10, 10])
    assert interval.pair() == [0.0, 1.0]
    assert wilson(10, 20).low > 0.29  # as if the twenty were independent


def test_ratio_of_nothing_is_undefined():
    assert bootstrap_ratio([0, 0], [0, 0]).reason == NO_DECISIONS
    assert bootstrap_ratio([1], [2]).reason == ONE_BOOK


def test_ratio_leaves_out_resamples_without_a_decision():
    interval = bootstrap_ratio([1, 0], [2, 0])
    assert interval.pair() == [0.5, 0.5]


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (7, 9), (523, 669)])
def test_wilson_against_statsmodels(successes, trials):
    low, high = proportion_confint(successes, trials, method="wilson")
    assert wilson(successes, trials).pair() == [pytest.approx(low), pytest.approx(high)]


def test_wilson_of_the_released_decisions():
    assert wilson(523, 669).pair() == [pytest.approx(0.748904, abs=1e-6), pytest.approx(0.811407, abs=1e-6)]


def test_wilson_of_nothing_is_undefined():
    assert wilson(0, 0).pair() is None
