"""Resampling people within summaries: all resamples of a small table enumerated, scipy for the correlations."""

from itertools import product

import numpy
import pytest
from scipy.stats import kendalltau, pearsonr

from scoring.statistics.annotator_bootstrap import (
    NOBODY,
    ONE_ANNOTATOR,
    AnnotatorBootstrap,
    pearson_rows,
    resampled_means,
    tau_rows,
)
from scoring.statistics.correlation import CONSTANT, TOO_FEW
from scoring.statistics.intervals import RESAMPLES

#: Two people on three summaries. Each draws (first, first), (first, second), (second, first) or (second, second).
TABLE = [(80.0, 100.0), (40.0, 60.0), (0.0, 40.0)]
#: All 4 x 4 x 4 = 64 resamples, equally likely.
ALL = [
    tuple((first + second) / 2 for first, second in drawn)
    for drawn in product(*(list(product(own, repeat=2)) for own in TABLE))
]


def test_every_resample_is_one_of_the_sixty_four_and_as_frequent():
    assert len(ALL) == 64
    # A mean is low in 1 of 4, in the middle in 2, high in 1: 3 x 3 x 3 different resamples.
    expected = {each: ALL.count(each) / 64 for each in ALL}
    assert len(expected) == 27
    found = [tuple(row) for row in resampled_means(TABLE, seed=1).tolist()]
    assert set(found) <= set(expected)
    for row, probability in expected.items():
        # Four standard errors of a share.
        assert abs(found.count(row) / RESAMPLES - probability) < 4 * (probability / RESAMPLES) ** 0.5


def test_the_mean_of_a_system_against_all_resamples():
    """Means 90, 50, 20: 53.33. Variances of a mean of two draws: 100/2, 100/2, 400/2; of the mean 300/9: 5.774.

    1/64 of the resamples have 40, 4/64 have 43.33, so the 2.5th percentile is 43.33, and above it is the same.
    """
    found = AnnotatorBootstrap(TABLE, seed=1).mean([0, 1, 2])
    of_all = [sum(each) / 3 for each in ALL]
    assert sum(of_all) / 64 == pytest.approx(160 / 3)
    assert numpy.std(of_all) == pytest.approx(5.7735, abs=1e-4)
    assert found.figure.value == pytest.approx(160 / 3)
    assert found.interval.deviation == pytest.approx(5.7735, rel=0.1)
    assert found.interval.pair() == [pytest.approx(130 / 3), pytest.approx(190 / 3)]
    resampled = resampled_means(TABLE, seed=1).mean(axis=1)
    assert resampled.mean() == pytest.approx(160 / 3, abs=4 * 5.7735 / RESAMPLES**0.5)


def test_a_system_is_the_mean_of_its_own_summaries():
    """80 to 100 and 40 to 60: 60 in 1 of 16, 80 in 1 of 16, so both ends are in the interval."""
    found = AnnotatorBootstrap(TABLE, seed=1).mean([0, 1])
    assert (found.figure.value, found.interval.pair()) == (70, [60, 80])


def test_tau_against_all_resamples():
    """The metric has the same order. Only 40 and 40 tie the last two, in 1 of 16: then tau-b is 2 / sqrt(2 x 3)."""
    found = AnnotatorBootstrap(TABLE, seed=1).correlations({"rouge": [0.9, 0.5, 0.1]})["rouge"]
    tied = 2 / 6**0.5
    assert (found.n, found.kendall.figure.value) == (3, pytest.approx(1))
    assert found.kendall.interval.pair() == [pytest.approx(tied), pytest.approx(1)]
    of_all = [kendalltau(each, [0.9, 0.5, 0.1]).statistic for each in ALL]
    assert numpy.mean(of_all) == pytest.approx(15 / 16 + tied / 16)
    resampled = tau_rows(resampled_means(TABLE, seed=1), numpy.array([[0.9], [0.5], [0.1]]))
    assert resampled.mean() == pytest.approx(15 / 16 + tied / 16, abs=4 * numpy.std(of_all) / RESAMPLES**0.5)


def test_pearson_against_all_resamples():
    metric = [3.0, 2.0, 0.0]
    of_all = [pearsonr(each, metric).statistic for each in ALL]
    found = AnnotatorBootstrap(TABLE, seed=1).correlations({"length": metric})["length"]
    assert found.pearson.figure.value == pytest.approx(pearsonr([90, 50, 20], metric).statistic)
    assert found.pearson.interval.deviation == pytest.approx(numpy.std(of_all), rel=0.1)
    low, high = found.pearson.interval.pair()
    assert min(of_all) - 1e-9 <= low < numpy.mean(of_all) < high <= max(of_all) + 1e-9
    resampled = pearson_rows(resampled_means(TABLE, seed=1), numpy.array([metric]).T)
    assert resampled.mean() == pytest.approx(numpy.mean(of_all), abs=4 * numpy.std(of_all) / RESAMPLES**0.5)


@pytest.mark.parametrize("summaries", [12, 90])
def test_rows_against_scipy_with_ties_and_missing_values(summaries):
    generator = numpy.random.default_rng(4)
    scores = generator.integers(0, 5, (6, summaries)) * 20.0
    metrics = numpy.array([generator.normal(1e4, 1, summaries), generator.integers(0, 3, summaries).astype(float)]).T
    metrics[[2, 7], 0] = numpy.nan
    r, tau = pearson_rows(scores, metrics), tau_rows(scores, metrics)
    for row, column in product(range(6), range(2)):
        there = ~numpy.isnan(metrics[:, column])
        own, other = scores[row, there], metrics[there, column]
        assert r[row, column] == pytest.approx(pearsonr(own, other).statistic)
        assert tau[row, column] == pytest.approx(kendalltau(own, other).statistic)


def test_where_one_side_is_constant():
    scores, metrics = numpy.array([[50.0, 50.0, 50.0], [10.0, 20.0, 30.0]]), numpy.array([[1.0, 2.0, 3.0]]).T
    for found in (pearson_rows(scores, metrics), tau_rows(scores, metrics)):
        assert numpy.isnan(found[0, 0])
        assert found[1, 0] == pytest.approx(1)
    flat = AnnotatorBootstrap([(50.0, 60.0), (55.0,), (55.0,)], seed=0).correlations({"length": [1, 2, 3]})["length"]
    assert (flat.pearson.figure.reason, flat.kendall.figure.reason) == (CONSTANT, CONSTANT)


def test_what_is_not_defined():
    alone = AnnotatorBootstrap([(80.0,), (60.0,), (40.0,)], seed=0)
    assert (alone.mean([0, 1]).figure.value, alone.mean([0, 1]).interval.reason) == (70, ONE_ANNOTATOR)
    assert alone.mean([]).figure.reason == NOBODY
    found = alone.correlations({"all": [1, 2, 4], "two": [1, None, 2], "none": [None, None, None]})
    assert found["all"].kendall.figure.value == pytest.approx(-1)
    assert found["all"].kendall.interval.reason == ONE_ANNOTATOR
    assert (found["two"].n, found["two"].pearson.figure.reason) == (2, TOO_FEW)
    assert (found["none"].n, found["none"].kendall.figure.reason) == (0, TOO_FEW)
    assert AnnotatorBootstrap([], seed=0).correlations({"length": []}) == {}
    # One summary with two people is enough for an interval of its own, and not for the others.
    mixed = AnnotatorBootstrap([(80.0, 100.0), (60.0,)], seed=0)
    assert mixed.mean([0]).interval.pair() == [80, 100]
    assert mixed.mean([1]).interval.reason == ONE_ANNOTATOR


def test_the_seed_decides():
    first, same, other = (AnnotatorBootstrap(TABLE, seed=seed).mean([0, 1, 2]).interval for seed in (5, 5, 6))
    assert first == same != other
