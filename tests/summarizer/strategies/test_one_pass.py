"""One pass: what of the book is read, and that the cut is where it is said to be."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.one_pass import WHOLE, cut_to, one_pass, source_room
from summarizer.strategies.records import SourceChunk
from summarizer.tokens import count_tokens
from tests.summarizer.strategies.playing import PROMPTS, play, settings


def pieces(*texts: str, gap: int = 0) -> list[SourceChunk]:
    made, start = [], 0
    for text in texts:
        made.append(SourceChunk(text, start, start + len(text), count_tokens(text)))
        start += len(text) + gap
    return made


def test_a_book_that_fits_is_read_whole_in_one_call() -> None:
    source = pieces("Emma left. ", "Rolf stayed.")
    result, batches = play(one_pass(source, settings()), lambda step: "They part.")
    ((step,),) = batches
    assert step.name == "the whole text"
    assert step.prompt == "All of it:\nEmma left. Rolf stayed.\nSummarize it in 65 words."
    assert not result.source_cut
    assert result.source_tokens == result.source_tokens_read == count_tokens("Emma left. Rolf stayed.")
    (node,) = result.nodes
    assert (node.kind, node.chunk_start, node.chunk_end) == ("chunk", 0, 23)


def test_sections_that_do_not_touch_are_read_with_a_break_between_them() -> None:
    source = cut_to(100, pieces("Emma left.", "Rolf stayed.", gap=40))
    assert source.text == "Emma left.\n\nRolf stayed."
    assert not source.is_cut


def test_what_does_not_fit_is_cut_at_a_sentence_end() -> None:
    text = "Emma left. Rolf stayed. Mia slept."
    room = count_tokens("Emma left. Rolf stayed. Mia")
    source = cut_to(room, pieces(text))
    assert source.text == "Emma left. Rolf stayed."
    assert source.end == len(source.text)
    assert (source.tokens, source.all_tokens) == (count_tokens(source.text), count_tokens(text))
    assert source.is_cut


def test_a_cut_at_the_end_of_a_piece_stays_there_where_no_sentence_of_the_next_fits() -> None:
    source = cut_to(count_tokens("Emma left. Rolf stayed") + 1, pieces("Emma left.", " Rolf stayed away for long."))
    assert source.text == "Emma left."


def test_text_without_sentence_ends_is_cut_at_a_word() -> None:
    source = cut_to(50, pieces("walked and " * 200))
    assert source.text.split() == (["walked", "and"] * 100)[: len(source.text.split())]
    assert 40 <= source.tokens <= 50


def test_the_step_and_the_result_say_what_was_left_out() -> None:
    room = source_room(settings())
    source = pieces("Emma rowed the boat. " * 400)
    result, batches = play(one_pass(source, settings()), lambda step: "She rows.")
    assert result.source_cut
    assert batches[0][0].name == f"the first {result.source_tokens_read} of {result.source_tokens} tokens"
    assert room - 10 <= result.source_tokens_read <= room
    assert count_tokens(batches[0][0].prompt) + 100 <= 1000


def test_a_window_without_room_for_a_book_is_refused() -> None:
    prompt = count_tokens(PROMPTS.render(WHOLE, text="", words="500"))
    longest = 1000 - WINDOW_MARGIN - prompt - 64
    with pytest.raises(DoesNotFit, match=f"The longest summary that works is {longest} tokens"):
        next(one_pass(pieces("Emma left."), settings(max_summary_tokens=longest + 1)))


@hypothesis_settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(alphabet="ab. \n”é日", min_size=1, max_size=120), min_size=1, max_size=6),
    st.integers(64, 200),
)
def test_what_is_read_is_the_start_of_the_book_within_the_room(texts: list[str], room: int) -> None:
    source = pieces(*texts)
    cut = cut_to(room, source)
    assert "".join(texts).startswith(cut.text)
    assert cut.end == len(cut.text)
    assert cut.tokens == count_tokens(cut.text) <= room
    assert cut.is_cut == (len(cut.text) < len("".join(texts)))
