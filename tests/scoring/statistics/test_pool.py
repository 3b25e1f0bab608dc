"""Several judges together. Expected values were worked out by hand; statsmodels is the oracle of the kappas."""

from collections import Counter

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from scoring.statistics.pool import (
    Vote,
    group_agreement,
    majority,
    majority_score,
    mean_of_judges,
    pair_agreement,
)


@pytest.mark.parametrize(
    ("labels", "vote"),
    [
        ([True, True, False], Vote.CONFUSED),
        ([False, False, True], Vote.CLEAN),
        ([True, False], Vote.TIE),
        ([True, True, None], Vote.CONFUSED),  # whatever the third says
        ([True, False, None], Vote.UNPARSED),
        ([False, None, None], Vote.UNPARSED),  # one of three is no majority, and unparsed is never clean
        ([False, False, None, None], Vote.UNPARSED),
        ([None, None], Vote.UNPARSED),
        ([True], Vote.CONFUSED),
        ([], Vote.UNPARSED),
    ],
)
def test_a_majority_is_more_than_half_of_all_judges(labels, vote):
    assert majority(labels) == vote


def test_the_majority_s_score_has_bounds_while_a_sentence_is_open():
    decided = majority_score(Counter({Vote.CLEAN: 3, Vote.CONFUSED: 1}))
    assert (decided.score.value, decided.low, decided.high) == (0.75, 0.75, 0.75)
    still = majority_score(Counter({Vote.CLEAN: 5, Vote.CONFUSED: 2, Vote.TIE: 1, Vote.UNPARSED: 2}))
    assert (still.score.value, still.low, still.high) == (None, 0.5, 0.8)
    assert "split" in still.score.reason
    assert majority_score(Counter()).score.reason == "The summary has no sentences."


def test_the_mean_is_that_of_the_judges_scores():
    """Four sentences: one judge marks 1 (0.75), the other 2 (0.5)."""
    mean = mean_of_judges([(1, 0), (2, 0)], 4)
    assert (mean.score.value, mean.low, mean.high) == (0.625, 0.625, 0.625)
    # The second could not be read on one more: it has 0.25 to 0.5.
    mean = mean_of_judges([(1, 0), (2, 1)], 4)
    assert (mean.score.value, mean.low, mean.high) == (None, 0.5, 0.625)


def test_a_pair_by_hand():
    """Failure case 63's ten items: both mark 5, each alone 1, neither 3: agreement 0.8, by chance 0.52, kappa 7/12."""
    pair = pair_agreement(both=5, first_only=1, second_only=1, neither=3)
    assert (pair.items, pair.percent.value) == (10, 0.8)
    assert pair.kappa.value == pytest.approx(7 / 12)
    assert (pair.first_prevalence.value, pair.second_prevalence.value) == (0.6, 0.6)


def test_a_pair_where_one_marks_nothing_and_where_both_do():
    constant = pair_agreement(both=0, first_only=1, second_only=0, neither=9)
    assert (constant.percent.value, constant.kappa.value) == (0.9, 0.0)
    same = pair_agreement(both=0, first_only=0, second_only=0, neither=5)
    assert (same.percent.value, same.kappa.value) == (1.0, None)
    assert "Only one label" in same.kappa.reason
    none = pair_agreement(both=0, first_only=0, second_only=0, neither=0)
    assert (none.items, none.percent.value, none.kappa.value) == (0, None, None)


def test_a_group_by_hand():
    """Rows (3, 0), (2, 1), (2, 0): agreement 7/9; 7 of 8 labels are of one kind, so by chance 50/64: -1/63.

    Randolph: (7/9 - 1/2) / (1/2) = 5/9.
    """
    group = group_agreement({(3, 0): 1, (2, 1): 1, (2, 0): 1, (1, 0): 4})
    assert group.items == 3
    assert group.percent.value == pytest.approx(7 / 9)
    assert group.fleiss.value == pytest.approx(-1 / 63)
    assert group.randolph.value == pytest.approx(5 / 9)


def test_a_group_of_one_kind_or_of_nothing():
    group = group_agreement({(0, 3): 7})
    assert (group.percent.value, group.fleiss.value, group.randolph.value) == (1.0, None, 1.0)
    assert "Only one label" in group.fleiss.reason
    assert group_agreement({}).percent.reason == "No item was rated by both."
    assert group_agreement({(1, 0): 3}).items == 0


LABELS = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=2, max_size=30)


@given(LABELS)
def test_as_statsmodels_has_it(rows):
    table = Counter((sum(row), 3 - sum(row)) for row in rows)
    full = numpy.array([[sum(row), 3 - sum(row)] for row in rows])
    group = group_agreement(table)
    assert group.randolph.value == pytest.approx(fleiss_kappa(full, method="randolph"))
    if group.fleiss.value is not None:
        assert group.fleiss.value == pytest.approx(fleiss_kappa(full))
    counts = Counter((a, b) for a, b, _ in rows)
    pair = pair_agreement(
        both=counts[True, True],
        first_only=counts[True, False],
        second_only=counts[False, True],
        neither=counts[False, False],
    )
    if pair.kappa.value is not None:
        square = numpy.array([[counts[a, b] for b in (True, False)] for a in (True, False)])
        assert pair.kappa.value == pytest.approx(cohens_kappa(square).kappa)
