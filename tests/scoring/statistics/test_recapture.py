"""Capture-recapture, worked out by hand."""

import numpy
import pytest

from scoring.statistics.recapture import (
    BOTH,
    FIRST,
    SECOND,
    chao_estimate,
    chapman,
    chapman_estimate,
    chapman_interval,
    chapman_share,
    unseen,
)


def of_books(*rows):
    return numpy.array(rows, dtype=float)


def test_chapman_by_hand():
    # 24 and 19 found, 9 of them by both: 25 * 20 / 10 - 1 = 49, of which 34 were found.
    counts = of_books([10, 9, 4], [14, 10, 5])
    total = chapman_estimate(counts, seed=1)
    assert total.figure.value == pytest.approx(49)
    assert unseen(total, 34).value == pytest.approx(15)
    shares = [
        chapman_estimate(counts, formula=chapman_share(columns), seed=1) for columns in ([FIRST], [SECOND], [0, 1])
    ]
    assert [each.figure.value for each in shares] == [pytest.approx(each / 49) for each in (24, 19, 34)]
    assert total.interval.low <= 49 <= total.interval.high


def test_chapman_of_a_textbook():
    # 10 marked, 15 caught, 5 of them marked: 11 * 16 / 6 - 1 = 28.3.
    assert float(chapman(numpy.array([10.0, 15, 5]))) == pytest.approx(28.333, abs=1e-3)


def test_interval_by_hand():
    # Variance 25 * 20 * 15 * 10 / (100 * 11) = 68.18; exp(1.96 sqrt(log(1 + 68.18 / 15^2))) = 2.741.
    assert chapman_interval(24, 19, 9).pair() == [pytest.approx(39.47, abs=0.01), pytest.approx(75.12, abs=0.02)]


def test_whoever_finds_all_of_the_others_leaves_nothing():
    assert chapman_interval(9, 9, 9).pair() == [9.0, 9.0]
    assert chapman_estimate(of_books([9, 9, 9]), seed=0).figure.value == pytest.approx(9)


def test_fewer_than_seven_recaptures_are_no_estimate():
    few = chapman_estimate(of_books([24, 19, 6]), seed=0)
    assert few.figure.value is None
    assert "6 sentences were found by more than one" in few.figure.reason
    assert "1 sentence was found" in chapman_estimate(of_books([3, 3, 1]), seed=0).figure.reason
    assert "no sentences were found" in chapman_estimate(of_books([3, 3, 0]), seed=0).figure.reason.lower()
    assert chapman_estimate(numpy.zeros((0, 3)), seed=0).figure.value is None
    assert BOTH == 2


def test_chao_by_hand():
    # Three sources: 20 found, 10 once, 6 twice: 20 + 2/3 * 10 * 9 / (2 * 7) = 24.29.
    # Four sources: 8 found, 3 once, 2 twice: 8 + 3/4 * 3 * 2 / (2 * 3) = 8.75.
    counts = of_books([12, 6, 4, 0, 0, 0], [8, 4, 2, 8, 3, 2])
    total = chao_estimate(counts, [3, 4], seed=0)
    assert total.figure.value == pytest.approx(20 + 60 / 14 + 8.75)
    share = chao_estimate(counts, [3, 4], share=True, seed=0)
    assert share.figure.value == pytest.approx(28 / (20 + 60 / 14 + 8.75))


def test_chao_needs_seven_that_were_found_again():
    assert chao_estimate(of_books([12, 6, 4]), [3], seed=0).figure.value is None
    assert chao_estimate(of_books([13, 6, 4]), [3], seed=0).figure.value is not None


def test_chapman_is_nearly_unbiased_on_made_up_readers():
    # 200 confusing sentences; two readers who find each with 0.4 and 0.3, independently.
    generator = numpy.random.default_rng(4)
    totals = []
    for _ in range(400):
        first, second = generator.random(200) < 0.4, generator.random(200) < 0.3
        totals.append(float(chapman(numpy.array([first.sum(), second.sum(), (first & second).sum()], dtype=float))))
    assert numpy.mean(totals) == pytest.approx(200, rel=0.03)
