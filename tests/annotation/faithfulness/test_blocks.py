"""Blocks of a long source tile it and end with lines."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.faithfulness.blocks import LONGEST, SHORTEST, blocks


def test_a_short_text_is_one_block() -> None:
    assert list(blocks("Emma left.\n\nRolf stayed.\n", 5, 24)) == [(5, 24)]
    assert list(blocks("Emma", 4, 4)) == []


def test_a_block_ends_with_the_line_and_its_line_ends() -> None:
    text = "a" * 1500 + "\n" + "b" * 600 + "\n\n" + "c" * 10
    assert list(blocks(text, 0, len(text))) == [(0, 2103), (2103, 2113)]


def test_a_line_without_end_is_cut_at_a_space() -> None:
    text = "word " * 5000
    assert list(blocks(text, 0, len(text))) == [(0, 20_000), (20_000, 25_000)]
    unbroken = "x" * 30_000
    assert list(blocks(unbroken, 0, 30_000)) == [(0, 20_000), (20_000, 30_000)]


@given(st.lists(st.sampled_from(["\n", " ", "x" * 700, "é" * 2500, "\n\n"]), max_size=60), st.integers(0, 500))
def test_blocks_tile_the_stretch(parts: list[str], start: int) -> None:
    text = "".join(parts)
    found = list(blocks(text, min(start, len(text)), len(text)))
    assert "".join(text[first:last] for first, last in found) == text[start:]
    assert all(last - first > SHORTEST for first, last in found[:-1])
    assert all(last - first <= LONGEST or set(text[first + LONGEST : last]) == {"\n"} for first, last in found)
