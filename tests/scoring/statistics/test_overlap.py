"""Marks of several people on each other: places, heat, character F1, exact pairs, sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.agreement import gwet_ac1
from scoring.statistics.booookscore import SentenceGrid
from scoring.statistics.overlap import Stretch, characters, grouped_by_place, pair_agreement, stretches

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))
MARKS = st.lists(st.lists(SPANS, min_size=1, max_size=2), max_size=8)


def test_marks_that_share_a_character_are_one_place_and_those_that_touch_are_two():
    marks = [[(10, 20)], [(0, 5)], [(15, 30)], [(5, 10)], [(28, 29)]]
    assert grouped_by_place(marks) == [[1], [3], [0, 2, 4]]


def test_a_relation_joins_its_two_places():
    assert grouped_by_place([[(0, 5)], [(50, 60)], [(2, 4), (55, 58)], [(20, 30)]]) == [[0, 2, 1], [3]]


def test_a_long_mark_holds_together_what_lies_within_it():
    assert grouped_by_place([[(0, 100)], [(10, 12)], [(50, 52)]]) == [[0, 1, 2]]


@given(MARKS)
def test_places_are_the_connected_parts_of_the_overlap(marks):
    def together(one, other):
        return any(a < d and c < b for a, b in marks[one] for c, d in marks[other])

    place_of = {mark: at for at, place in enumerate(grouped_by_place(marks)) for mark in place}
    assert sorted(place_of) == list(range(len(marks)))
    reached = {mark: {mark} for mark in range(len(marks))}
    for _ in marks:
        for mark, found in reached.items():
            reached[mark] = found | {other for each in found for other in reached if together(each, other)}
    for one in reached:
        for other in reached:
            assert (other in reached[one]) == (place_of[one] == place_of[other])


def test_heat_is_cut_where_the_set_of_people_changes():
    marks = [(0, [(0, 10)]), (1, [(5, 15)]), (0, [(12, 15)])]
    assert stretches(marks) == [
        Stretch(0, 5, frozenset({0})),
        Stretch(5, 10, frozenset({0, 1})),
        Stretch(10, 12, frozenset({1})),
        Stretch(12, 15, frozenset({0, 1})),
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(SPANS, min_size=1, max_size=2)), max_size=8))
def test_heat_says_of_every_character_who_touched_it(marks):
    expected = {}
    for source, spans in marks:
        for start, end in spans:
            for at in range(start, end):
                expected.setdefault(at, set()).add(source)
    found = {at: set(each.sources) for each in stretches(marks) for at in range(each.start, each.end)}
    assert found == expected


def test_two_people_on_one_summary():
    """40 characters in four sentences of ten; they share one exact span and 5 of 15 + 15 characters besides."""
    grid = SentenceGrid([(0, 10), (10, 20), (20, 30), (30, 40)])
    first = [[(0, 5)], [(10, 20)]]  # 15 characters, sentences 1 and 2
    second = [[(0, 5)], [(15, 25)]]  # 15 characters, sentences 1, 2 and 3
    found = pair_agreement(first, second, grid)
    assert (found.exact, found.first_marks, found.second_marks) == (1, 2, 2)
    assert found.character_f1.value == pytest.approx(2 * 10 / 30)
    assert found.sentences.percent.value == 0.75
    # By chance 1/2 x 3/4 + 1/2 x 1/4 = 1/2, so (3/4 - 1/2) / (1 - 1/2).
    assert found.sentences.kappa.value == pytest.approx(0.5)
    # p = (2 + 3) / 8, by chance 2 x 5/8 x 3/8 = 15/32, so (24/32 - 15/32) / (17/32).
    assert found.ac1.value == pytest.approx(9 / 17)


def test_a_mark_has_one_partner_and_a_relation_is_the_same_in_either_order():
    grid = SentenceGrid([(0, 10)])
    assert pair_agreement([[(0, 5)], [(0, 5)]], [[(0, 5)]], grid).exact == 1
    assert pair_agreement([[(0, 2), (5, 7)]], [[(5, 7), (0, 2)]], grid).exact == 1
    assert pair_agreement([[(0, 2), (5, 7)]], [[(0, 2)]], grid).exact == 0


def test_nobody_marked_anything():
    found = pair_agreement([], [], SentenceGrid([(0, 10), (10, 20)]))
    assert found.character_f1.value is None
    assert found.sentences.kappa.value is None
    assert found.ac1.value == 1.0
    assert characters([]) == 0


def test_ac1_of_gwets_example():
    """Gwet 2008, table 1: both mark 118, one alone 5 and 2, neither 0, of 125: AC1 = 0.9408 while kappa = -0.0234."""
    first = [True] * 118 + [True] * 5 + [False] * 2
    second = [True] * 118 + [False] * 5 + [True] * 2
    assert gwet_ac1(first, second).value == pytest.approx(0.9408, abs=5e-5)
    assert gwet_ac1([], []).value is None
