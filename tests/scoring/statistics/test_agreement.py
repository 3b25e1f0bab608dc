"""Agreement and correlation: values worked out by hand, and statsmodels, scikit-learn and numpy as second opinions."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score

from scoring.statistics.agreement import NO_SHARED_ITEM, ONE_LABEL, cohen_agreement, detected
from scoring.statistics.correlation import CONSTANT, TOO_FEW, kendall, pearson, spearman
from scoring.statistics.precision import Decisions, precision, strict_precision
from scoring.statistics.statistic import Statistic


def test_ten_items():
    # Observed 8/10; expected 6*6/100 + 4*4/100 = 0.52; (0.8 - 0.52) / 0.48 = 7/12.
    first = [1, 1, 0, 0, 1, 0, 1, 0, 1, 1]
    second = [1, 1, 0, 1, 1, 0, 0, 0, 1, 1]
    agreement = cohen_agreement(first, second)
    assert agreement.percent.value == pytest.approx(0.8)
    assert agreement.kappa.value == pytest.approx(7 / 12)


def test_a_constant_rater_agrees_by_chance_only():
    agreement = cohen_agreement([0] * 9 + [1], [0] * 10)
    assert agreement.percent.value == pytest.approx(0.9)
    assert agreement.kappa.value == 0.0


def test_rare_labels_can_agree_often_and_still_less_than_by_chance():
    # 119 items, 6 marked by each, none together: observed 107/119, expected (6*6 + 113*113)/119^2.
    first = [True] * 6 + [False] * 113
    second = [False] * 6 + [True] * 6 + [False] * 107
    agreement = cohen_agreement(first, second)
    expected = (36 + 113**2) / 119**2
    assert agreement.percent.value == pytest.approx(107 / 119)
    assert agreement.kappa.value == pytest.approx((107 / 119 - expected) / (1 - expected))
    assert agreement.kappa.value < 0


def test_one_label_only_is_undefined():
    agreement = cohen_agreement([1] * 5, [1] * 5)
    assert agreement.percent.value == 1.0
    assert agreement.kappa == Statistic(None, ONE_LABEL)


def test_two_constant_raters_that_differ_have_kappa_zero():
    assert cohen_agreement([0, 0], [1, 1]).kappa.value == 0.0


def test_no_shared_item_is_undefined():
    agreement = cohen_agreement([1, 2, None, None], [None, None, 1, 2])
    assert (agreement.percent, agreement.kappa) == (Statistic(None, NO_SHARED_ITEM), Statistic(None, NO_SHARED_ITEM))


def test_a_blank_is_not_a_category():
    agreement = cohen_agreement([1, 2, 1, None], [1, 2, 1, 2])
    assert agreement.items == 3
    assert agreement.kappa.value == pytest.approx(1.0)


def test_detection_by_hand():
    # Of five items the truth has three, two were predicted, one is in both.
    found = detected(both=1, in_truth=3, in_predicted=2, items=5)
    assert found.precision.value == pytest.approx(1 / 2)
    assert found.recall.value == pytest.approx(1 / 3)
    assert found.f1.value == pytest.approx(2 / 5)
    assert found.truth_prevalence.value == pytest.approx(3 / 5)
    assert found.predicted_prevalence.value == pytest.approx(2 / 5)


def test_detection_without_marks_is_undefined():
    found = detected(both=0, in_truth=0, in_predicted=0, items=2)
    assert (found.precision.value, found.recall.value, found.f1.value) == (None, None, None)
    assert found.truth_prevalence.value == 0.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_against_scikit_learn(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohen_agreement(first, second).kappa.value
    if len({*first, *second}) > 1:
        assert kappa == pytest.approx(cohen_kappa_score(first, second))
    else:
        assert kappa is None
    if any(first) or any(second):
        found = detected(
            both=pairs.count((True, True)), in_truth=sum(first), in_predicted=sum(second), items=len(pairs)
        )
        assert found.f1.value == pytest.approx(f1_score(first, second))


def test_correlations_by_hand():
    first, second = [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]
    # Means 2.5; sum of products 4, sums of squares 5 and 5: r = 0.8. Ranks equal the values. 5 pairs agree, 1 does not.
    assert pearson(first, second).value == pytest.approx(0.8)
    assert spearman(first, second).value == pytest.approx(0.8)
    assert kendall(first, second).value == pytest.approx(4 / 6)


def test_tau_b_corrects_for_ties():
    # Pairs: (1,2) tied in the second; (1,3) and (2,3) concordant: 2 / sqrt(3 * 2).
    assert kendall([1, 2, 3], [1, 1, 2]).value == pytest.approx(2 / math.sqrt(6))


@pytest.mark.parametrize("measure", [pearson, spearman, kendall])
def test_correlation_of_little_or_constant_data_is_undefined(measure):
    assert measure([], []) == Statistic(None, TOO_FEW)
    assert measure([0.1, 0.2], [0.3, 0.1]) == Statistic(None, TOO_FEW)
    assert measure([0.1, 0.2, 0.3], [0.5, 0.5, 0.5]) == Statistic(None, CONSTANT)


def test_precision_of_the_released_decisions():
    human, model = Decisions(499, 113, 156), Decisions(359, 164, 146)
    assert (human.total, model.total) == (768, 669)
    assert precision(human).value == pytest.approx(0.796875)
    assert precision(model).value == pytest.approx(0.781764, abs=1e-6)
    assert strict_precision(human).value == pytest.approx(0.649740, abs=1e-6)
    assert strict_precision(model).value == pytest.approx(0.536622, abs=1e-6)


def test_precision_of_nothing_is_undefined():
    assert precision(Decisions()).value is None
    assert strict_precision(Decisions()).value is None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_statistic_is_finite(value):
    with pytest.raises(ValueError, match="finite"):
        Statistic.of(value)
