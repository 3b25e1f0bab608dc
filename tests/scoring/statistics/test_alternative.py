"""The alternative annotator test, worked out by hand, with scipy and statsmodels as second opinions."""

from itertools import product

import numpy
import pytest
from scipy.stats import rankdata, t, wilcoxon
from statsmodels.stats.multitest import multipletests

from scoring.statistics.alternative import (
    NOBODY_TO_COMPARE,
    BookScores,
    alternative_test,
    signed_rank_below,
)


def books(*pairs):
    return [BookScores(book, judge, person) for book, (judge, person) in enumerate(pairs)]


def test_who_wins_a_book():
    better, worse, equal = books((0.5, 0.2), (0.2, 0.5), (0.3, 0.3))
    assert [each.difference for each in (better, worse, equal)] == [-1, 1, 0]


def test_no_agreement_beyond_chance_wins_nothing():
    # A judge that marks nothing, or everything, has kappa 0: the book is the person's, even one who disagrees.
    for person in (0.4, 0.0, -0.3):
        [each] = books((0.0, person))
        assert (each.judge_wins, each.person_wins) == (False, True)


def test_three_people_by_hand():
    # 40 books each. Against A the judge wins 30 alone and 10 are ties: mean -0.75. Against B it loses 20 and wins 20.
    # Against C it loses 10 and ties 30: mean 0.25, more than epsilon.
    scores = {
        "A": books(*[(0.5, 0.1)] * 30, *[(0.3, 0.3)] * 10),
        "B": books(*[(0.5, 0.1)] * 20, *[(0.1, 0.5)] * 20),
        "C": books(*[(0.3, 0.3)] * 30, *[(0.1, 0.5)] * 10),
    }
    found = alternative_test(scores, epsilon=0.1, seed=0)
    a, b, c = found.people
    assert [(each.judge, each.human) for each in (a, b, c)] == [(1.0, 0.25), (0.5, 0.5), (0.75, 1.0)]
    assert found.advantage.figure.value == pytest.approx((1.0 + 0.5 + 0.75) / 3)
    # t = (mean - epsilon) / (s / sqrt(n)); for A s^2 = (30 * 0.0625 + 10 * 0.5625) / 39.
    of_a = (-0.75 - 0.1) / ((30 * 0.0625 + 10 * 0.5625) / 39 / 40) ** 0.5
    of_b = (0 - 0.1) / (40 / 39 / 40) ** 0.5
    assert (a.test, a.p) == ("t", pytest.approx(t.cdf(of_a, 39)))
    assert b.p == pytest.approx(t.cdf(of_b, 39))
    assert c.p > 0.5
    expected = multipletests([a.p, b.p, c.p], method="fdr_by")[1]
    assert [each.p_adjusted for each in found.people] == [pytest.approx(p) for p in expected]
    assert [each.beaten for each in found.people] == [True, False, False]
    assert found.winning_rate.value == pytest.approx(1 / 3)
    assert found.passes is False


def test_epsilon_is_the_price_of_a_person():
    scores = {"A": books(*[(0.5, 0.1)] * 20, *[(0.1, 0.5)] * 22)}
    assert alternative_test(scores, epsilon=0.1, seed=0).people[0].beaten is False
    assert alternative_test(scores, epsilon=0.5, seed=0).people[0].beaten is True
    for epsilon in (-0.1, 1.0, float("nan")):
        with pytest.raises(ValueError, match="Epsilon"):
            alternative_test(scores, epsilon=epsilon, seed=0)


def test_few_books_have_the_signed_rank_test():
    found = alternative_test({"A": books(*[(0.5, 0.1)] * 8)}, epsilon=0.1, seed=0).people[0]
    assert (found.test, found.p) == ("signed-rank", pytest.approx(1 / 2**8))
    assert found.beaten is True
    assert alternative_test({"A": books(*[(0.5, 0.1)] * 4)}, epsilon=0.1, seed=0).people[0].beaten is False


def test_a_mean_above_epsilon_is_never_beaten_though_most_books_are_ties():
    # 20 ties and 3 losses: the ranks of the losses are few, but 3 / 23 = 0.13 is more than 0.1.
    found = alternative_test({"A": books(*[(0.3, 0.3)] * 20, *[(0.1, 0.5)] * 3)}, epsilon=0.1, seed=0).people[0]
    assert found.p < 0.05
    assert found.beaten is False


def test_nobody_to_compare_is_undefined():
    found = alternative_test({"A": []}, epsilon=0.1, seed=0)
    assert (found.winning_rate.value, found.winning_rate.reason) == (None, NOBODY_TO_COMPARE)
    assert found.advantage.figure.value is None
    assert found.passes is None


def test_signed_ranks_against_scipy():
    values = list(numpy.random.default_rng(1).normal(-0.2, 1, 17))
    assert signed_rank_below(values) == pytest.approx(wilcoxon(values, alternative="less", method="exact").pvalue)


def test_signed_ranks_with_ties_against_all_signs():
    values = [-1.1, -0.1, -0.1, 0.9, -0.1, -1.1, 0.9, -0.1]
    ranks = rankdata(numpy.abs(values))
    observed = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    sums = [sum(rank for rank, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=8)]
    assert signed_rank_below(values) == pytest.approx(sum(each <= observed + 1e-9 for each in sums) / 2**8)
    assert signed_rank_below([0.0, 0.0]) == 1.0
    assert signed_rank_below([]) == 1.0
