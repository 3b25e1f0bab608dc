"""Scores of judges of units, and their agreement with people. Expected values by hand."""

import pytest

from scoring.statistics.agreement import NO_SHARED_ITEM
from scoring.statistics.intervals import ONE_BOOK
from scoring.statistics.unit_judge import (
    NO_UNITS,
    NOT_ALL_JUDGED,
    NOT_BY_BOTH,
    SharedUnit,
    beside_people,
    paired_scores,
    people_beside_people,
    unit_score,
)

ADA, BEN, CY = 1, 2, 3
#: Two books; what Ada and Ben say of each unit, and the judge.
SHARED = [
    SharedUnit(7, 1, {ADA: True, BEN: True}),
    SharedUnit(7, 2, {ADA: False, BEN: False}),
    SharedUnit(7, 3, {ADA: True, BEN: False}),
    SharedUnit(7, 4, {ADA: True, BEN: True}),
    SharedUnit(8, 5, {ADA: False, BEN: False}),
    SharedUnit(8, 6, {ADA: True, BEN: True}),
]
JUDGED = {1: True, 2: False, 3: False, 4: False, 5: True, 6: True}


def values(found):
    return {name: estimate.figure.value for name, estimate in found.figures.items()}


def test_the_score_is_the_share_of_supported_units():
    assert unit_score(units=4, supported=3, unsupported=1).score.value == 75
    assert unit_score(units=4, supported=0, unsupported=4).score.value == 0
    whole = unit_score(units=4, supported=3, unsupported=1)
    assert (whole.low, whole.high, whole.coverage) == (75, 75, 1)


def test_with_a_unit_that_counts_as_neither_there_are_bounds_and_no_score():
    """3 of 8 are supported, 1 is not, 4 are unread: from 3 of 8 to 7 of 8."""
    found = unit_score(units=8, supported=3, unsupported=1)
    assert (found.score.value, found.score.reason) == (None, NOT_ALL_JUDGED)
    assert (found.low, found.high, found.coverage) == (37.5, 87.5, 0.5)


def test_without_units_nothing_is_said():
    assert unit_score(units=0, supported=0, unsupported=0).score.reason == NO_UNITS
    with pytest.raises(ValueError, match="More judgements than units"):
        unit_score(units=1, supported=1, unsupported=1)


def test_people_minus_judge_over_summaries_with_an_interval_over_books():
    """Book 7 has people 80 and 60 beside 100 and 50, book 8 has 40 beside 70: means 60 and 220 / 3. Alone, book 7 gives
    -5 and book 8 -30: the ends of the resamples."""
    found = paired_scores([(7, 80, 100), (7, 60, 50), (8, 40, 70)], seed=1)
    assert found.n == 3
    assert found.people.figure.value == pytest.approx(60)
    assert found.judge.figure.value == pytest.approx(220 / 3)
    assert found.difference.figure.value == pytest.approx(-40 / 3)
    assert found.difference.interval.pair() == pytest.approx([-30, -5])
    assert paired_scores([], seed=1).difference.figure.reason == NOT_BY_BOTH


def test_a_judge_beside_people_by_hand():
    """Both call it unsupported 3 times (unit 2 twice, Ben on 3), people alone 2 (unit 5), the judge alone 3 (Ada on 3,
    unit 4), nobody 4, of 12 judgements."""
    found = beside_people(SHARED, JUDGED, seed=1)
    assert (found.units, found.judgements) == (6, 12)
    assert values(found) == pytest.approx(
        {
            "kappa": 1 / 6,  # (7/12 - 1/2) / (1 - 1/2)
            "ac1": 5 / 29,  # p = 11/24, chance 2 p (1 - p) = 143/288
            "percent": 7 / 12,
            "precision": 3 / 6,
            "recall": 3 / 5,
            "f1": 6 / 11,
            "prevalence_people": 5 / 12,
            "prevalence_other": 6 / 12,
        }
    )
    # One book alone: 5 of 8 (units 1 to 4), or 2 of 4; the interval's ends are resamples of one of them.
    assert found.figures["percent"].interval.pair() == [0.5, 0.625]


def test_people_beside_each_other_by_hand():
    """They differ on unit 3 alone. Both ways: both 4, one 1, other 1, neither 6."""
    found = people_beside_people(SHARED, seed=1)
    assert (found.units, found.judgements) == (6, 12)
    figures = values(found)
    assert figures["percent"] == pytest.approx(10 / 12)
    assert figures["kappa"] == pytest.approx(23 / 35)  # (10/12 - 74/144) / (1 - 74/144)
    assert figures["precision"] == figures["recall"] == figures["f1"] == 0.8


def test_three_people_on_a_unit_are_six_pairs_and_one_is_none():
    three = [SharedUnit(1, 1, {ADA: True, BEN: True, CY: False}), SharedUnit(1, 2, {ADA: True})]
    found = people_beside_people(three, seed=1)
    assert (found.units, found.judgements) == (1, 6)
    assert values(found)["percent"] == pytest.approx(2 / 6)
    assert found.figures["percent"].interval.reason == ONE_BOOK


def test_units_that_only_one_side_judged_are_left_out():
    assert beside_people(SHARED, {1: True, 99: False}, seed=1).judgements == 2
    nothing = beside_people(SHARED, {99: False}, seed=1)
    assert (nothing.units, nothing.judgements) == (0, 0)
    assert {each.figure.reason for each in nothing.figures.values()} == {NO_SHARED_ITEM}


def test_a_judge_that_supports_everything_has_kappa_0_and_no_precision():
    found = beside_people(SHARED, dict.fromkeys(range(1, 7), True), seed=1)
    assert values(found)["kappa"] == 0
    assert found.figures["precision"].figure.reason == "It called nothing unsupported."
    assert values(found)["recall"] == 0
