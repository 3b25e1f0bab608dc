"""ROUGE-L, worked out by hand."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.rouge import NO_WORDS, longest_common, rouge_l, words


def test_the_example_of_the_paper():
    """Lin (2004), section 2.1: police killed the gunman / police kill the gunman / the gunman kill police."""
    reference = "police killed the gunman"
    assert rouge_l("police kill the gunman", reference).value == 3 / 4
    assert rouge_l("the gunman kill police", reference).value == 2 / 4


def test_lengths_that_differ():
    # Common: emma, leaves, mill. Precision 3/4, recall 3/6, F1 6/10.
    assert rouge_l("Emma leaves a mill!", "At dawn, Emma leaves the mill.").value == pytest.approx(0.6)


def test_case_marks_and_other_alphabets():
    assert words("Élise's MILL—again_1") == ["élise", "s", "mill", "again_1"]
    assert rouge_l("ÉLISE", "élise").value == 1


def test_nothing_in_common_and_nothing_at_all():
    assert rouge_l("Emma", "Rolf").value == 0
    assert rouge_l("...", "Rolf").reason == NO_WORDS


def slowly(first, second):
    """All subsequences of the first, from long to short."""
    return next(
        size
        for size in range(len(first), -1, -1)
        if any(is_within(chosen, second) for chosen in combinations(first, size))
    )


def is_within(chosen, words):
    left = iter(words)
    return all(word in left for word in chosen)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_like_trying_all_subsequences(first, second):
    assert longest_common(first, second) == longest_common(second, first) == slowly(first, second)


def test_long_texts_are_quick_enough_for_a_page():
    """A thousand words each way are one number of 1,000 bits: no table of a million cells."""
    first = [f"w{number * 7 % 97}" for number in range(1000)]
    assert longest_common(first, first) == 1000
    assert longest_common(first, [*first[500:], *first[:500]]) >= 500
