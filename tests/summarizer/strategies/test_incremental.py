"""Incremental updating: targets worked out by hand, answers that do not serve, and what must always hold."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer.providers.base import FailureKind
from summarizer.strategies import incremental as module
from summarizer.strategies.base import Answer, Failure, Outcome, Step, StrategyFailed
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.incremental import (
    check_fit,
    compression_words,
    incremental,
    longest_answer,
    update_words,
    word_count,
)
from summarizer.strategies.plan import expected_text
from summarizer.tokens import count_tokens
from tests.summarizer.strategies.playing import PROMPTS, chunks, play, settings

TRUNCATED = Failure(FailureKind.TRUNCATED, "cut off", partial_text="Emma leaves and Rolf")
REFUSED = Failure(FailureKind.REFUSED, "I can't help with that.")


def words(count: int) -> str:
    """A text of `count` words and as many tokens, with the full stop one more."""
    return " ".join(["story"] * count) + "."


def names(batches: list[list[Step]]) -> list[str]:
    return [step.name for batch in batches for step in batch]


# --- targets ----------------------------------------------------------------------------------------------------------


def test_updates_ask_for_their_share_of_the_words_and_never_less_than_a_quarter() -> None:
    # 0.65 x 900 x i / 4; a quarter of 585 is 146.
    assert [update_words(number, 4, 900) for number in (1, 2, 3, 4)] == [146, 292, 438, 585]
    # 0.65 x 900 x i / 79 = 7 i 32/79: 146 is passed at i = 20.
    assert [update_words(number, 79, 900) for number in (1, 19, 20, 40, 79)] == [146, 146, 148, 296, 585]


def test_compressions_ask_for_one_update_less_and_never_less_than_three_quarters_of_its_update() -> None:
    # 0, 146, 292, 438 by the rule; three quarters of the updates are 109, 219, 328, 438.
    assert [compression_words(number, 4, 900) for number in (1, 2, 3, 4)] == [109, 219, 328, 438]
    # 0.65 x 900 x (i - 1) / 79 from i = 20 on: 140, 288, 577.
    assert [compression_words(number, 79, 900) for number in (1, 20, 40, 79)] == [109, 140, 288, 577]


def test_words_are_counted_by_white_space_or_by_tokens_where_there_is_none() -> None:
    assert word_count("Emma left.") == 2
    chinese = "他走了。" * 40
    assert word_count(chinese) == count_tokens(chinese) * 65 // 100


# --- the way through a book -------------------------------------------------------------------------------------------


def test_each_chunk_updates_the_summary_before_it() -> None:
    answers = [words(20), words(35), words(60)]
    result, batches = play(incremental(chunks(3), settings()), lambda step: answers.pop(0))
    assert names(batches) == ["first summary, chunk 1 of 3", "update 2 of 3", "update 3 of 3"]
    assert [step.temperature for batch in batches for step in batch] == [0.5, 0.5, 0.5]
    assert f"So far:\n{words(20)}\n" in batches[1][0].prompt
    # 65 words for 100 tokens, of which 1/3, 2/3 and all.
    assert [step.prompt.split(" in ")[-1] for batch in batches for step in batch] == [
        "21 words.",
        "43 words.",
        "65 words.",
    ]
    assert [(node.kind, node.place, node.sources, node.asked_words) for node in result.nodes] == [
        ("update", (0, 0), (), 21),
        ("update", (1, 0), ((0, 0),), 43),
        ("update", (2, 0), ((1, 0),), 65),
    ]
    assert result.text == words(60)


def test_a_summary_over_the_limit_is_compressed_before_the_next_chunk() -> None:
    """120 words are 121 tokens, over 100. Compression after update 2 of 3: 65 x 1/3 = 21, but 3/4 of 43 is 32."""
    answers = [words(50), words(120), words(30), words(60)]
    result, batches = play(incremental(chunks(3), settings()), lambda step: answers.pop(0))
    assert names(batches)[2] == "compression after update 2 of 3"
    compression = batches[2][0]
    assert compression.prompt.startswith("Shorten this from 120 to 32 words:")
    assert (compression.temperature, compression.max_tokens) == (1.0, 100)
    assert [(node.kind, node.place, node.sources) for node in result.nodes] == [
        ("update", (0, 0), ()),
        ("update", (1, 0), ((0, 0),)),
        ("compression", (1, 1), ((1, 0),)),
        ("update", (2, 0), ((1, 1),)),
    ]
    assert words(30) in batches[3][0].prompt


def test_a_book_of_one_chunk_has_the_full_length() -> None:
    result, batches = play(incremental(chunks(1), settings()), lambda step: words(65))
    assert batches[0][0].prompt.endswith("in 65 words.")
    assert result.text == words(65)


# --- answers that do not serve ----------------------------------------------------------------------------------------


def test_a_cut_off_update_never_replaces_the_summary_before_it() -> None:
    """Failure case 20: the cut-off answer is asked for again, with a tenth less of 43 words, on the same summary."""
    answers: list[Outcome] = [Answer(words(20)), TRUNCATED, Answer(words(35))]
    result, batches = play(incremental(chunks(2), settings(max_summary_tokens=100)), lambda step: answers.pop(0))
    assert names(batches) == ["first summary, chunk 1 of 2", "update 2 of 2", "update 2 of 2, try 2"]
    assert words(20) in batches[2][0].prompt
    assert batches[1][0].prompt.endswith("65 words.")
    assert batches[2][0].prompt.endswith("58 words.")
    assert result.text == words(35)


def test_an_update_that_lost_most_of_the_summary_is_asked_for_again_in_the_same_length() -> None:
    """Of 40 words (65 asked for), fewer than 20 are left: "I have updated the summary." is no update."""
    answers = [words(40), "I have updated the summary.", words(19), words(20)]
    result, batches = play(incremental(chunks(2), settings()), lambda step: answers.pop(0))
    assert [step.prompt.split(" in ")[-1] for batch in batches[1:] for step in batch] == ["65 words."] * 3
    assert result.text == words(20)


def test_an_update_that_always_loses_the_summary_fails_visibly() -> None:
    answers = [words(40)]
    with pytest.raises(
        StrategyFailed, match=r"update 2 of 2: .* in 6 tries\. .* has 1 words, fewer than half"
    ) as failed:
        play(incremental(chunks(2), settings()), lambda step: answers.pop() if answers else "Done.")
    assert failed.value.failure.kind is FailureKind.UNUSABLE


def compress(*answers: Outcome | str) -> tuple[str, list[str]]:
    """The outcome of one compression to 48 words (3/4 of 65), and the words that each try asked for."""
    given: list[Outcome | str] = [words(120), *answers]
    result, batches = play(incremental(chunks(1), settings()), lambda step: given.pop(0))
    return result.text, [step.prompt.split(" to ")[1].split(" ")[0] for batch in batches[1:] for step in batch]


def test_a_compression_within_20_per_cent_is_taken() -> None:
    # 80 % of 48 is 38.4, 120 % is 57.6.
    assert compress(words(39)) == (words(39), ["48"])
    assert compress(words(57)) == (words(57), ["48"])


def test_one_that_is_too_short_or_too_long_is_asked_for_again_with_a_tenth_more_or_less() -> None:
    assert compress(words(38), words(58), words(48)) == (words(48), ["48", "52", "48"])
    assert compress(TRUNCATED, words(150), "", words(40)) == (words(40), ["48", "43", "38", "38"])


def test_after_six_tries_the_closest_within_the_limit_is_taken() -> None:
    tries = [words(30), words(70), words(34), TRUNCATED, words(25), words(20)]
    text, asked = compress(*tries)
    assert text == words(34)
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (TRUNCATED, "cut off"),
        (words(100), "101 tokens, 1 more than the limit of 100"),
        ("", "only white space"),
        # Less than half of 48 words: that would be losing the story, not compressing it.
        (words(23), "It has 23 words where 48 were wanted"),
    ],
)
def test_a_compression_that_never_serves_fails_visibly(bad: Outcome | str, message: str) -> None:
    with pytest.raises(StrategyFailed, match=rf"compression after update 1 of 1: .* in 6 tries\. .*{message}"):
        compress(*[bad] * 6)


def test_a_refused_compression_is_not_asked_for_again() -> None:
    with pytest.raises(StrategyFailed, match="compression after update 1 of 1: I can't help with that"):
        compress(REFUSED)
    assert compress(words(30), REFUSED)[0] == words(30)


# --- what fits --------------------------------------------------------------------------------------------------------


def prompt_tokens(path: str, **values: str) -> int:
    return count_tokens(PROMPTS.render(path, **values))


def test_the_largest_chunk_leaves_room_for_two_summaries() -> None:
    """W - margin - prompt - the summary so far - the updated one."""
    parameters = settings(window=500)
    prompt = prompt_tokens(module.UPDATE, text="", summary="", words="130")
    largest = 500 - WINDOW_MARGIN - prompt - 100 - 100
    assert check_fit(4, largest, parameters) == 100
    with pytest.raises(DoesNotFit, match=f"The largest chunk size that fits is {largest}") as refused:
        check_fit(4, largest + 1, parameters)
    assert refused.value.largest_chunk_size == largest


def test_an_answer_may_run_over_by_half_where_the_window_has_room() -> None:
    assert check_fit(4, 100, settings(window=1000)) == 150
    assert check_fit(1, 100, settings(window=1000)) == 150


def test_summaries_too_long_to_compress_name_the_longest_that_works() -> None:
    prompt = prompt_tokens(module.COMPRESS, summary="", summary_words="400", words="400")
    longest = (500 - WINDOW_MARGIN - prompt) // 2
    with pytest.raises(DoesNotFit, match=f"The longest summary that works is {longest} tokens"):
        check_fit(1, 20, settings(window=500, max_summary_tokens=longest + 1))


def test_nothing_is_asked_for_a_book_that_does_not_fit() -> None:
    with pytest.raises(DoesNotFit):
        next(incremental(chunks(2, tokens=600), settings(window=500)))


# --- what must always hold --------------------------------------------------------------------------------------------


@hypothesis_settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 12),
    window=st.integers(300, 1500),
    longest=st.integers(50, 300),
    shares=st.lists(st.sampled_from([2, 30, 60, 90, 100, 130, 0]), min_size=1, max_size=9),
)
def test_every_chunk_is_taken_in_once_and_nothing_over_the_limit_goes_on(
    count: int, window: int, longest: int, shares: list[int]
) -> None:
    parameters = settings(window=window, max_summary_tokens=longest)
    source = chunks(count)
    number = 0

    def answer(step: Step) -> Outcome | str:
        nonlocal number
        number += 1
        share = shares[number % len(shares)] or 90
        return TRUNCATED if share == 2 else expected_text(max(1, step.max_tokens * share // 100))

    seen: list[Step] = []
    try:
        result, _ = play(incremental(source, parameters), lambda step: seen.append(step) or answer(step))
    except DoesNotFit:
        assert not seen
        return
    except StrategyFailed:
        result = None
    assert max(Counter(step.name for step in seen).values()) == 1
    for step in seen:
        assert count_tokens(step.prompt) + step.max_tokens <= window
    if result is None:
        return
    updates = [node for node in result.nodes if node.kind == "update"]
    assert [(node.chunk_start, node.chunk_end) for node in updates] == [(chunk.start, chunk.end) for chunk in source]
    running = None
    for node in result.nodes:
        assert node.sources == ((running.place,) if running else ())
        if node.kind == "update":
            # What goes on to a chunk is within the limit; only an update may be over it, until its compression.
            assert running is None or running.tokens <= longest
        else:
            assert running is not None
            assert running.tokens > longest >= node.tokens
        running = node
    assert running is not None
    assert result.text == running.text
    assert running.tokens <= longest


def test_the_plan_of_the_most_has_a_compression_after_every_update() -> None:
    _, batches = play(incremental(chunks(5), settings()), longest_answer)
    assert len(names(batches)) == 10
