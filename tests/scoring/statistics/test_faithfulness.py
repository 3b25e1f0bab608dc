"""Faithfulness scores, spreads and agreement. Expected values by hand, and kappas as Fleiss published them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.agreement import ONE_LABEL
from scoring.statistics.faithfulness import (
    NO_SHARED_UNIT,
    NOT_IN_BOTH,
    NOTHING_JUDGED,
    ONE_PERSON,
    Spread,
    fine_score,
    mean_spread,
    spread,
    spread_difference,
    unit_agreement,
    units_of,
)
from scoring.statistics.intervals import ONE_BOOK
from scoring.statistics.pool import group_agreement

#: Fleiss 1971: 30 patients, for each the diagnoses (1 to 5) of six psychiatrists.
DIAGNOSES = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 "
    "333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)


def test_the_score_is_the_share_of_supported_units_and_repeats_count_each_time():
    assert fine_score([(True, 1), (False, 1)]).value == 50
    assert fine_score([(True, 1), (False, 1), (True, 2)]).value == 75
    assert fine_score([(False, 1)]).value == 0
    assert fine_score([]).reason == NOTHING_JUDGED


def test_the_spread_by_hand():
    """60, 80, 100: mean 80, squares 400, 0, 400, a third of 800 is 266.67, its root 16.33."""
    found = spread([60, 80, 100])
    assert (found.deviation, found.extent) == (pytest.approx(16.3299, abs=1e-4), 40)
    assert spread([70, 90]) == Spread(10, 20)
    assert spread([90]) is None
    assert spread([]) is None


def test_the_mean_spread_is_over_summaries_and_its_interval_over_books():
    """Book 1 has deviations 10 and 0, book 2 has 20. Resampled: book 1 twice (5), each once (10), book 2 twice (20)."""
    found = mean_spread([(1, Spread(10, 20)), (1, Spread(0, 0)), (2, Spread(20, 40))], seed=0)
    assert (found.summaries, found.deviation.figure.value, found.extent.figure.value) == (3, 10, 20)
    assert found.deviation.interval.pair() == [5, 20]
    assert found.extent.interval.pair() == [10, 40]
    assert mean_spread([(1, Spread(10, 20))], seed=0).deviation.interval.reason == ONE_BOOK
    assert mean_spread([], seed=0).deviation.figure.reason == ONE_PERSON


def test_the_difference_of_spreads_is_paired():
    found = spread_difference([(1, Spread(12, 30), Spread(4, 10)), (2, Spread(8, 16), Spread(10, 24))], seed=0)
    # (12 - 4 + 8 - 10) / 2 and (20 - 8) / 2
    assert (found.summaries, found.deviation.figure.value, found.extent.figure.value) == (2, 3, 6)
    assert found.deviation.interval.pair() == [-2, 8]
    assert spread_difference([], seed=0).extent.figure.reason == NOT_IN_BOTH


def test_agreement_by_hand():
    """Units judged (3 yes, 0 no), (2, 1), (2, 0), and two by one person: pairs agree 1, 1/3, 1, so 7/9.

    7 of 8 judgements say yes, so by chance 50/64: Fleiss -1/63. Randolph (7/9 - 1/2) / (1/2) = 5/9. Unanimous: 2 of 3.
    """
    found = unit_agreement([(1, 3, 0), (1, 2, 1), (2, 2, 0), (2, 1, 0), (3, 0, 1)], seed=0)
    assert (found.units, found.judgements, found.sizes) == (3, 8, {2: 1, 3: 2})
    assert {name: each.figure.value for name, each in found.figures.items()} == {
        "percent": pytest.approx(7 / 9),
        "unanimous": pytest.approx(2 / 3),
        "fleiss": pytest.approx(-1 / 63),
        "randolph": pytest.approx(5 / 9),
    }
    # Both from book 1: (1 + 1/3) / 2; both from book 2: 1.
    assert found.figures["percent"].interval.pair() == [pytest.approx(2 / 3), 1]


def test_agreement_that_is_not_defined():
    found = unit_agreement([(1, 1, 0)], seed=0)
    assert found.units == 0
    assert {each.figure.reason for each in found.figures.values()} == {NO_SHARED_UNIT}
    same = unit_agreement([(1, 3, 0), (1, 2, 0)], seed=0)
    assert (same.figures["fleiss"].figure.reason, same.figures["fleiss"].figure.value) == (ONE_LABEL, None)
    assert (same.figures["unanimous"].figure.value, same.figures["randolph"].figure.value) == (1, 1)
    assert same.figures["randolph"].interval.reason == ONE_BOOK


def test_judgements_become_units():
    judged = [(1, 5, True), (1, 5, False), (1, 5, True), (1, 6, False), (2, 5, True)]
    assert units_of(judged) == [(1, 2, 1), (1, 0, 1), (2, 1, 0)]


def test_fleiss_own_table():
    """Fleiss 1971: kappa 0.430 over all five diagnoses."""
    table = Counter(tuple(patient.count(each) for each in "12345") for patient in DIAGNOSES.split())
    assert table.total() == 30
    assert round(group_agreement(table).fleiss.value, 3) == 0.430


@pytest.mark.parametrize(("diagnosis", "kappa"), [("1", 0.245), ("2", 0.245), ("3", 0.520), ("4", 0.471), ("5", 0.566)])
def test_fleiss_kappas_of_one_diagnosis(diagnosis, kappa):
    """A diagnosis against all others has two labels, like a unit that is supported or not."""
    units = [(1, count, 6 - count) for patient in DIAGNOSES.split() for count in [patient.count(diagnosis)]]
    assert round(unit_agreement(units, seed=0).figures["fleiss"].figure.value, 3) == kappa


def test_the_printed_example_of_fourteen_raters():
    """Ten subjects, fourteen raters, five categories: observed 0.378, by chance 0.213, kappa 0.210."""
    rows = "0 0 0 0 14,0 2 6 4 2,0 0 3 5 6,0 3 9 2 0,2 2 8 1 1,7 7 0 0 0,3 2 6 3 0,2 5 3 2 2,6 5 2 1 0,0 2 2 3 7"
    found = group_agreement(Counter(tuple(map(int, row.split())) for row in rows.split(",")))
    assert round(found.percent.value, 3) == 0.378
    assert round(found.fleiss.value, 5) == 0.20993


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(0, 4)), max_size=20))
def test_units_agree_as_judges_of_a_pool_do(units):
    """`group_agreement`, which statsmodels checks, from a table in place of books."""
    found = unit_agreement(units, seed=0)
    expected = group_agreement(Counter((yes, no) for _, yes, no in units))
    assert found.units == expected.items
    for name in ("percent", "fleiss", "randolph"):
        value = getattr(expected, name).value
        assert found.figures[name].figure.value == (None if value is None else pytest.approx(value))
