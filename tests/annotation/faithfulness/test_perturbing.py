"""Rules that propose changes of statements: each kind by hand, and what they leave alone."""

import pytest

from annotation.faithfulness.change_words import OPPOSITES
from annotation.faithfulness.perturbing import (
    Change,
    changes_of,
    choose_changes,
    names_of,
    says_the_same,
    with_changes,
)
from annotation.faithfulness.sampling import draw_test

NAMES = ["Emma Hill", "Rolf", "Emma"]


def change(statement, kind, names=()):
    return next((each.text for each in changes_of(statement, names) if each.kind == kind), None)


def test_names_are_words_with_a_capital_inside_a_sentence():
    text = "Emma Hill met Rolf’s aunt. Then Mrs. Stone and I saw Emma. “Nobody came,” on Monday."
    ends = [text.index(mark) + 1 for mark in (". Then", ". “Nobody")] + [len(text)]
    sentences = [(0, ends[0]), (ends[0] + 1, ends[1]), (ends[1] + 1, ends[2])]
    # "Emma" begins the first sentence and is a name all the same, as the second one shows; "Then" is none.
    assert names_of(text, sentences) == ["Emma Hill", "Rolf", "Stone", "Emma"]


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("Emma Hill left with Rolf.", "Rolf left with Emma Hill."),
        ("Rolf left, and Rolf wept.", "Emma left, and Emma wept."),
        # The next name of the text that is no other name of the same person.
        ("Emma left.", "Rolf left."),
        ("Emmanuel left.", None),
        ("She left.", None),
    ],
)
def test_names_change_places_or_give_way_to_another(statement, changed):
    assert change(statement, "names", NAMES) == changed


def test_a_single_name_of_the_text_stays():
    assert change("Rolf left.", "names", ["Rolf"]) is None


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("He owned 3 boats.", "He owned 6 boats."),
        ("He was born in 1987.", "He was born in 1997."),
        ("It cost 1,200 crowns.", "It cost 2,400 crowns."),
        ("It had 0 sails.", "It had 1 sails."),
        ("Two sailors came.", "Five sailors came."),
        ("It weighed 3.5 tons.", None),
        ("She lived at 12b.", None),
        ("One came.", None),
    ],
)
def test_numbers_change(statement, changed):
    assert change(statement, "numbers") == changed


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("The ferry was late.", "The ferry was not late."),
        ("She was not happy.", "She was happy."),
        ("He never came.", "He came."),
        ("He can swim.", "He cannot swim."),
        ("He cannot swim.", "He can swim."),
        ("He can’t swim.", "He can swim."),
        ("He won't go.", "He will go."),
        ("They didn’t sing.", "They did sing."),
        ("She sang not only once.", None),
        ("She sang.", None),
    ],
)
def test_negations_come_and_go(statement, changed):
    assert change(statement, "negation") == changed


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("Everybody sang.", "Nobody sang."),
        ("He came before noon.", "He came after noon."),
        ("He sang.", None),
        ("The foundling came.", None),
    ],
)
def test_words_give_way_to_opposites(statement, changed):
    assert change(statement, "antonym") == changed


def test_no_word_is_its_own_opposite():
    assert all(word != other for word, other in OPPOSITES.items())


def test_statements_are_drawn_by_lot_and_their_kinds_are_even():
    both = [Change("names", "a"), Change("numbers", "b")]
    options = {1: both, 2: both, 3: [], 4: both, 5: both}
    chosen = choose_changes(options, 4, used=[], seed="s")
    assert sorted(chosen) == [1, 2, 4, 5]
    assert sorted(each.kind for each in chosen.values()) == ["names", "names", "numbers", "numbers"]
    assert choose_changes(options, 4, used=[], seed="s") == chosen
    # Two names are there already, so the next two are numbers.
    later = choose_changes(options, 2, used=["names", "names"], seed="s")
    assert [each.kind for each in later.values()] == ["numbers", "numbers"]
    assert choose_changes(options, 0, used=[], seed="s") == {}


def test_a_text_with_changes_keeps_what_lies_between():
    text, places = with_changes("Ab cd.\n\nEf.", [((0, 2), "Abc"), ((3, 6), "x."), ((8, 11), "Ef.")])
    assert text == "Abc x.\n\nEf."
    assert [text[start:end] for start, end in places] == ["Abc", "x.", "Ef."]
    assert with_changes("Ab.", []) == ("Ab.", [])


def test_the_same_words_say_the_same():
    assert says_the_same("He left.", "he left")
    assert not says_the_same("He left.", "He left us.")


# --- what an attempt asks -------------------------------------------------------------------------------------------

UNITS = [(1, True), (2, False), (3, True), (4, True), (5, False), (6, True)]


def test_a_first_attempt_asks_in_the_order_of_the_text():
    assert draw_test(UNITS, None, seed="a", in_text_order=True) == [1, 2, 3, 4, 5, 6]
    assert draw_test(UNITS, 99, seed="a", in_text_order=True) == [1, 2, 3, 4, 5, 6]


def test_later_ones_ask_the_same_in_another_order():
    orders = [draw_test(UNITS, None, seed=f"attempt {number}", in_text_order=False) for number in range(2, 12)]
    assert all(sorted(order) == [1, 2, 3, 4, 5, 6] for order in orders)
    assert len({tuple(order) for order in orders}) > 1


@pytest.mark.parametrize(("number", "false"), [(2, 1), (3, 2), (4, 2), (5, 2)])
def test_half_of_a_draw_is_not_supported_as_far_as_there_are_so_many(number, false):
    for seed in "abcdef":
        drawn = draw_test(UNITS, number, seed=seed, in_text_order=True)
        assert len(drawn) == number == len(set(drawn))
        assert drawn == sorted(drawn)
        assert len({2, 5} & set(drawn)) == false
