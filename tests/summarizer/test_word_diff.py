"""Differences of two texts word by word."""

from hypothesis import given
from hypothesis import strategies as st

from summarizer.word_diff import word_diff


def shown(before: str, after: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in word_diff(before, after)]


def test_what_was_taken_out_and_put_in() -> None:
    assert shown("In this part Emma leaves her old home.", "Emma leaves her new home.") == [
        ("removed", "In this part "),
        ("same", "Emma leaves her "),
        ("removed", "old "),
        ("added", "new "),
        ("same", "home."),
    ]


def test_the_same_text_is_one_piece() -> None:
    assert shown("Emma left.\n\nRolf stayed.", "Emma left.\n\nRolf stayed.") == [("same", "Emma left.\n\nRolf stayed.")]


def test_islands_of_one_or_two_words_are_part_of_the_change() -> None:
    assert shown("one two the three four", "five six the seven eight") == [
        ("removed", "one two the three four"),
        ("added", "five six the seven eight"),
    ]


@given(st.text(alphabet="ab \n", max_size=40), st.text(alphabet="ab \n", max_size=40))
def test_both_texts_can_be_read_off(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "removed").split() == after.split()
    assert "".join(piece.text for piece in pieces if piece.kind != "added").split() == before.split()
    assert all(piece.text for piece in pieces)
