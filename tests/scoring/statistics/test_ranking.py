"""Order and differences of systems; scipy and statsmodels as second opinions."""

import math

import numpy
import pytest
from scipy.stats import kendalltau, ttest_rel
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from scoring.statistics.ranking import (
    ALL_TIED,
    NO_SPREAD,
    TOO_FEW_BOOKS,
    TOO_FEW_SYSTEMS,
    books_needed,
    detectable_effect,
    holm,
    power_of_paired_t,
    rank_agreement,
    system_pairs,
    tau_b,
)


def test_tau_b_against_scipy_with_ties():
    generator = numpy.random.default_rng(8)
    first, second = (generator.integers(0, 4, (30, 6)).astype(float) for _ in range(2))
    expected = [kendalltau(one, other).statistic for one, other in zip(first, second, strict=True)]
    assert list(tau_b(first, second)) == [pytest.approx(each) for each in expected]


def test_rank_agreement_by_hand():
    # Means of people 0.9, 0.7, 0.5, 0.3; of the judge 0.8, 0.85, 0.5, 0.4: one of six pairs is turned round.
    people = numpy.array([[0.8, 0.7, 0.6, 0.3], [1.0, 0.7, 0.4, 0.3]])
    judge = numpy.array([[0.8, 0.8, 0.5, 0.4], [0.8, 0.9, 0.5, 0.4]])
    found = rank_agreement(people, judge, seed=0)
    assert found.figure.value == pytest.approx(4 / 6)
    assert found.interval.low <= 4 / 6 <= found.interval.high
    assert found == rank_agreement(people, judge, seed=0)


def test_a_system_that_lacks_a_book_is_taken_by_its_other_books():
    people = numpy.array([[0.9, math.nan, 0.5], [0.9, 0.7, 0.5], [0.9, 0.7, 0.5]])
    judge = numpy.array([[0.8, math.nan, 0.6], [0.8, 0.7, 0.6], [0.8, 0.7, 0.6]])
    found = rank_agreement(people, judge, seed=0)
    assert (found.figure.value, found.interval.pair()) == (1.0, [1.0, 1.0])


def test_an_order_that_is_not_defined():
    two = numpy.array([[0.9, 0.7], [0.9, 0.7]])
    assert rank_agreement(two, two, seed=0).figure.reason == TOO_FEW_SYSTEMS
    tied = numpy.full((2, 3), 0.5)
    assert rank_agreement(tied, tied, seed=0).figure.reason == ALL_TIED


def test_pairs_of_systems_against_scipy():
    generator = numpy.random.default_rng(3)
    scores = {
        name: dict(enumerate(generator.normal(mean, 0.1, 40))) for name, mean in (("A", 0.9), ("B", 0.8), ("C", 0.8))
    }
    found = system_pairs(scores, seed=0)
    assert [(each.first, each.second, each.books) for each in found] == [("A", "B", 40), ("A", "C", 40), ("B", "C", 40)]
    expected = [
        ttest_rel(list(scores[each.first].values()), list(scores[each.second].values())).pvalue for each in found
    ]
    assert [each.p.value for each in found] == [pytest.approx(p) for p in expected]
    adjusted = multipletests(expected, method="holm")[1]
    assert [each.p_adjusted.value for each in found] == [pytest.approx(p) for p in adjusted]
    assert [each.differs for each in found] == [True, True, False]


def test_pairs_are_compared_on_shared_books_alone():
    [pair] = system_pairs({"A": {1: 0.9, 2: 0.8, 3: 0.1}, "B": {1: 0.7, 2: 0.5, 4: 0.9}}, seed=0)
    assert (pair.books, pair.difference.figure.value) == (2, pytest.approx(0.25))


def test_pairs_that_can_not_be_compared():
    [few] = system_pairs({"A": {1: 0.9}, "B": {1: 0.7, 2: 0.1}}, seed=0)
    assert (few.p.reason, few.detectable.reason, few.differs) == (TOO_FEW_BOOKS, TOO_FEW_BOOKS, None)
    [even] = system_pairs({"A": {1: 0.9, 2: 0.8}, "B": {1: 0.8, 2: 0.7}}, seed=0)
    assert (even.p.reason, even.difference.figure.value) == (NO_SPREAD, pytest.approx(0.1))
    assert system_pairs({"A": {1: 0.9}}, seed=0) == []


def test_holm_against_statsmodels():
    values = [0.01, 0.04, 0.03, 0.005, 0.9]
    assert holm(values) == [pytest.approx(p) for p in multipletests(values, method="holm")[1]]
    assert holm([]) == []


def test_power_against_statsmodels():
    for effect, books, level in ((0.5, 20, 0.05), (0.3, 100, 0.05 / 6), (1.2, 5, 0.05)):
        assert power_of_paired_t(effect, books, level) == pytest.approx(TTestPower().power(effect, books, level))
        needed = TTestPower().solve_power(effect_size=effect, alpha=level, power=0.8)
        assert books_needed(effect, level) == math.ceil(needed)
    # The usual tables: 34 pairs for half a standard deviation, 199 for a fifth.
    assert (books_needed(0.5, 0.05), books_needed(0.2, 0.05)) == (34, 199)
    assert detectable_effect(34, 0.05) == pytest.approx(
        TTestPower().solve_power(nobs=34, alpha=0.05, power=0.8), abs=1e-4
    )


def test_what_a_study_could_have_found_and_what_it_would_need():
    scores = {"A": {1: 0.9, 2: 0.7, 3: 0.8, 4: 0.6}, "B": {1: 0.8, 2: 0.7, 3: 0.6, 4: 0.5}}
    [pair] = system_pairs(scores, seed=0, difference=0.05)
    deviation = numpy.std([0.1, 0.0, 0.2, 0.1], ddof=1)
    assert pair.detectable.value == pytest.approx(detectable_effect(4, 0.05) * deviation)
    assert pair.books_needed.value == books_needed(0.05 / deviation, 0.05)
    [unstated] = system_pairs(scores, seed=0)
    assert unstated.books_needed.value is None
    assert books_needed(1e-6, 0.05) is None
    assert detectable_effect(1, 0.05) is None
