import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer.chunking import Chunk, chunk, chunk_sections, join_touching
from summarizer.tokens import count_tokens

WORDS = st.one_of(
    st.sampled_from(["Emma", "Mr.", "U.S.", "e.g.", "1955", "don’t", "他走了", "😀", "e\u0301", "<|endoftext|>"]),
    st.sampled_from([" ", "  ", "\n", "\n\n", "\n \n", "\t", "\u00a0", "\u2028", "\x1c", "\r"]),
    st.sampled_from([". ", "! ", "… ", "” ", "“", "”", '"', "'s", "’", ", ", "; ", "—", "(", ") ", "...", "。", "，"]),
)
TEXTS = st.one_of(st.lists(WORDS, max_size=300).map("".join), st.text(st.characters(codec="utf-8"), max_size=400))


def pieces(text: str, size: int) -> list[str]:
    return [text[piece.start : piece.end] for piece in chunk(text, size)]


def check(text: str, size: int, chunks: list[Chunk]) -> None:
    assert "".join(text[piece.start : piece.end] for piece in chunks) == text
    for piece in chunks:
        assert piece.start < piece.end
        assert piece.tokens == count_tokens(text[piece.start : piece.end])
        assert piece.tokens <= size


@given(TEXTS, st.integers(4, 60))
@settings(max_examples=300, deadline=None)
def test_chunks_are_the_text_within_the_limit_with_exact_counts(text: str, size: int) -> None:
    check(text, size, chunk(text, size))


@given(
    st.lists(st.sampled_from(["“Run.” ", "“Run!” said he. ", "‘No.’ ", "(So it is.) ", "他说：“走。”", "Emma left. "]))
)
@settings(deadline=None)
def test_no_chunk_begins_with_what_closes_the_sentence_before(parts: list[str]) -> None:
    text = "".join(parts)
    for piece in pieces(text, 9):
        assert piece[0] not in "”’)"


def test_ends_at_a_paragraph_if_one_ends_in_the_second_half() -> None:
    paragraph = "Emma left the mill. Rolf stayed.\n\n"
    assert count_tokens(paragraph) == 9
    assert pieces(paragraph * 5, 22) == [paragraph * 2, paragraph * 2, paragraph]


def test_ends_at_a_sentence_where_no_paragraph_ends() -> None:
    text = "Emma left the mill. Rolf stayed there. " * 4
    for piece in pieces(text, 11):
        assert piece.endswith(". ")


def test_an_abbreviation_or_an_initial_ends_no_sentence() -> None:
    text = (
        "It rained all that day on the roof. Then Mr. Rob came by with Dr. J. Smith of the U.S. army, and all went in."
    )
    assert pieces(text, 17)[0] == "It rained all that day on the roof. "


def test_a_small_letter_begins_no_sentence() -> None:
    text = "“We go now,” said Rolf to her then. “Never in my whole life!” said Emma and closed the door of the mill."
    assert pieces(text, 20)[0] == "“We go now,” said Rolf to her then. "


def test_ends_at_a_clause_where_no_sentence_ends() -> None:
    text = "walked and walked, " * 40
    for piece in pieces(text, 21):
        assert piece.endswith(", ")


def test_ends_at_a_word_where_no_clause_ends() -> None:
    text = "One. Two. " + "walked and " * 700
    chunks = chunk(text, 512)
    check(text, 512, chunks)
    assert len(chunks) == 3
    for piece in chunks[:-1]:
        assert text[piece.end - 1] == " "


def test_chinese_ends_at_its_own_full_stop() -> None:
    text = "他走了。她哭了。" * 400
    chunks = chunk(text, 512)
    check(text, 512, chunks)
    assert len(chunks) > 5
    for piece in chunks:
        assert text[piece.end - 1] == "。"


def test_closing_quotes_stay_with_their_sentence() -> None:
    text = "“Run.” " * 300
    chunks = chunk(text, 256)
    check(text, 256, chunks)
    for piece in chunks:
        assert text[piece.start] == "“"
    text = "“Run.”" * 300
    for piece in chunk(text, 256):
        assert text[piece.start] == "“"


def test_one_word_is_cut_between_code_points() -> None:
    text = "a" * 100_000
    chunks = chunk(text, 512)
    check(text, 512, chunks)
    assert len(chunks) <= 12_500 // 512 + 2


def test_the_indent_goes_with_the_paragraph_it_belongs_to() -> None:
    text = "Emma left the mill that day.\n\n    “A verse,\n    two lines.”\n\nRolf stayed at the mill."
    assert pieces(text, 10)[0] == "Emma left the mill that day.\n\n"


def test_nothing_gives_nothing() -> None:
    assert chunk("", 10) == []


@pytest.mark.parametrize("size", [0, -3])
def test_a_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        chunk("Emma left.", size)


def test_a_character_larger_than_the_chunk_is_refused() -> None:
    assert count_tokens("🧿") == 3
    with pytest.raises(ValueError, match="too small"):
        chunk("Emma 🧿", 2)


def test_sections_that_touch_are_one_stretch_and_excluded_ones_are_never_crossed() -> None:
    text = "Emma left.\n\nCopyright 2024.\n\nRolf stayed.\n\nMia came."
    excluded = text.index("Copyright"), text.index("Rolf")
    mia = text.index("Mia")
    included = [(0, excluded[0]), (excluded[1], mia), (mia, len(text))]
    chunks = chunk_sections(text, included, 100)
    assert [(piece.start, piece.end) for piece in chunks] == [(0, excluded[0]), (excluded[1], len(text))]
    for piece in chunks:
        assert piece.tokens == count_tokens(text[piece.start : piece.end])


def test_blank_sections_give_no_chunk() -> None:
    assert chunk_sections("Emma.\n\n\n\n", [(5, 9)], 10) == []


def test_join_touching() -> None:
    assert join_touching([(5, 9), (0, 5), (9, 9), (12, 14)]) == [(0, 9), (12, 14)]


@pytest.mark.parametrize(
    "text",
    ["x" + " " * 200_000 + "y", "x" + "\n" * 200_000 + "y", "." * 200_000, ". " * 50_000, "”" * 20_000, "—" * 200_000],
    ids=["spaces", "line ends", "full stops", "short sentences", "closing quotes", "dashes"],
)
def test_monotonous_texts_take_no_longer_than_others(text: str) -> None:
    started = time.process_time()
    chunks = chunk(text, 512)
    assert time.process_time() - started < 5
    check(text, 512, chunks)
