"""Tables of two labels: published and hand-worked values, with scikit-learn and krippendorff as second opinions."""

import krippendorff
import numpy
import pytest
from sklearn.metrics import cohen_kappa_score, f1_score, precision_score, recall_score

from scoring.statistics.estimate import estimate, estimates, ratio
from scoring.statistics.intervals import ONE_BOOK, bootstrap_ratio
from scoring.statistics.overlap import characters, covered, overlap_counts
from scoring.statistics.two_labels import (
    FIGURES,
    always_clean,
    always_confused,
    coincidences,
    krippendorff_alpha,
)


def figures(table, seed=0):
    return {name: each.figure.value for name, each in estimates([table], FIGURES, seed=seed).items()}


def test_kappa_and_ac1_of_the_paradox():
    # Gwet 2008 (and Feinstein and Cicchetti 1990): 118 yes by both, 5 and 2 by one: kappa -0.0234, AC1 0.9408.
    found = figures([118, 5, 2, 0])
    assert found["percent"] == pytest.approx(118 / 125)
    assert found["kappa"] == pytest.approx(-0.0234, abs=5e-5)
    assert found["ac1"] == pytest.approx(0.9408, abs=5e-5)


def test_ten_sentences_by_hand():
    # Both mark 3 of 10, two together: observed 0.8; expected 0.58 for kappa, 0.42 for AC1.
    found = figures([2, 1, 1, 6])
    assert found["kappa"] == pytest.approx(0.22 / 0.42)
    assert found["ac1"] == pytest.approx(0.38 / 0.58)
    assert (found["precision"], found["recall"], found["f1"]) == tuple([pytest.approx(2 / 3)] * 3)
    assert (found["prevalence_people"], found["prevalence_other"]) == (0.3, 0.3)


def test_against_scikit_learn():
    generator = numpy.random.default_rng(5)
    first, second = generator.random(300) < 0.2, generator.random(300) < 0.3
    found = figures(
        [(first & second).sum(), (first & ~second).sum(), (~first & second).sum(), (~first & ~second).sum()]
    )
    assert found["kappa"] == pytest.approx(cohen_kappa_score(first, second))
    for name, oracle in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
        assert found[name] == pytest.approx(oracle(first, second))


def test_what_is_not_defined_has_a_reason():
    found = estimates([[0, 0, 0, 5]], FIGURES, seed=0)
    assert found["percent"].figure.value == 1.0
    for name in ("kappa", "precision", "recall", "f1"):
        assert found[name].figure.value is None
        assert found[name].figure.reason
    assert all(each.figure.value is None for each in estimates([], FIGURES, seed=0).values())


def test_controls_mark_nothing_or_everything():
    clean = figures(always_clean(numpy.array([2.0, 1, 1, 6])))
    assert (clean["kappa"], clean["recall"], clean["precision"], clean["percent"]) == (0.0, 0.0, None, 0.7)
    confused = figures(always_confused(numpy.array([2.0, 1, 1, 6])))
    assert (confused["kappa"], confused["recall"], confused["precision"]) == (0.0, 1.0, pytest.approx(0.3))
    assert confused["f1"] == pytest.approx(2 * 3 / 13)


def test_the_interval_resamples_books_and_is_seeded():
    upheld, decided = [4, 1, 0, 7, 3], [5, 3, 2, 9, 3]
    counts = list(zip(upheld, decided, strict=True))
    found = estimate(counts, ratio(0, 1), reason="", seed=3)
    assert found.figure.value == pytest.approx(15 / 22)
    assert found.interval == bootstrap_ratio(upheld, decided, seed=3)
    assert found.interval != estimate(counts, ratio(0, 1), reason="", seed=4).interval
    alone = estimate(counts[:1], ratio(0, 1), reason="", seed=3)
    assert (alone.figure.value, alone.interval.low, alone.interval.reason) == (0.8, None, ONE_BOOK)


def test_alpha_against_krippendorff_with_uneven_people():
    generator = numpy.random.default_rng(2)
    sums, labels = numpy.zeros(3), []
    for people in (2, 3, 5):
        marked = generator.random((people, 40)) < 0.3
        sums += coincidences(marked.sum(axis=0).astype(float), people)
        labels.append(numpy.vstack([marked, numpy.full((5 - people, 40), numpy.nan)]))
    expected = krippendorff.alpha(numpy.hstack(labels), level_of_measurement="nominal")
    assert float(krippendorff_alpha(sums)) == pytest.approx(expected)


def test_alpha_by_hand():
    # Two people, four sentences: both, one, neither, neither. Of 8 values 3 are marked and 5 clean; one pair is mixed.
    assert float(krippendorff_alpha(coincidences(numpy.array([2.0, 1, 0, 0]), 2))) == pytest.approx(1 - 7 / 15)


def test_overlap_of_spans_by_hand():
    # One has [0, 10) and the relation [20, 25) + [30, 35); the other [0, 10) and [22, 32).
    first, second = [[(0, 10)], [(20, 25), (30, 35)]], [[(0, 10)], [(22, 32)]]
    # One of two marks has a partner; 10 + 3 + 2 characters shared of 20 + 20.
    assert overlap_counts(first, second) == (2, 4, 30, 40)
    # A mark has one partner, and characters under two marks of one person count once.
    assert overlap_counts([[(0, 4)], [(0, 4)]], [[(0, 4)]]) == (2, 3, 8, 8)
    assert overlap_counts([], []) == (0, 0, 0, 0)


def test_covered_characters_agree_with_the_drawn_stretches():
    generator = numpy.random.default_rng(9)
    for _ in range(50):
        spans = [(int(start), int(start + length)) for start, length in generator.integers(1, 20, (6, 2))]
        assert covered(spans) == characters([[span] for span in spans])
