import pytest

from scoring.statistics.trigrams import NO_BOOK, TOO_SHORT, novel_share, repeated_share, trigrams


def test_trigrams_are_lower_case_words_in_order():
    assert trigrams("Emma's boat LEFT.") == [("emma", "s", "boat"), ("s", "boat", "left")]


def test_repeated_share():
    # a b c a b c: abc bca cab abc, three distinct of four.
    assert repeated_share("a b c a b c").value == pytest.approx(1 / 4)
    assert repeated_share("a b c d").value == 0.0


def test_novel_share_counts_distinct_trigrams():
    # Summary: abc bcd abc again (abc bcd cda dab abc); the book has abc and bcd only.
    assert novel_share("a b c d a b c", set(trigrams("a b c d"))).value == pytest.approx(2 / 4)


def test_undefined_without_words_or_book():
    assert repeated_share("too short").reason == TOO_SHORT
    assert novel_share("two words", {("a", "b", "c")}).reason == TOO_SHORT
    assert novel_share("a b c", set()).reason == NO_BOOK
