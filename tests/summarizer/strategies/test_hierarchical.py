"""Hierarchical merging: limits, grouping and prior context worked out by hand, and what must always hold."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer.providers.base import FailureKind
from summarizer.strategies.asking import words_for
from summarizer.strategies.base import Ahead, Answer, Failure, Outcome, Step, StrategyFailed
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.hierarchical import hierarchical, prior_context
from summarizer.strategies.levels import Frame, check_fit, planned_limits, summary_limits
from summarizer.strategies.plan import expected_text
from summarizer.strategies.records import Node, SummaryResult
from summarizer.tokens import count_tokens
from tests.summarizer.strategies.playing import chunks, play, settings


def window_for(room: int, *, longest: int = 100) -> int:
    """The window in which a top merge has `room` tokens for the summaries beside prompt and answer."""
    return room + WINDOW_MARGIN + longest + Frame(settings(max_summary_tokens=longest)).merge_prompt


def full_length(step: Step) -> str:
    return expected_text(step.max_tokens)


def node(level: int, index: int, text: str) -> Node:
    return Node("merge", level, index, text, count_tokens(text))


# --- limits -----------------------------------------------------------------------------------------------------------


def test_limits_are_0_65_of_the_level_above() -> None:
    assert summary_limits(0, 900) == (900,)
    assert summary_limits(2, 900) == (380, 585, 900)
    assert summary_limits(3, 900) == (247, 380, 585, 900)


def test_a_book_of_one_chunk_is_summarized_at_full_length() -> None:
    result, batches = play(hierarchical(chunks(1), settings()), full_length)
    assert result.limits == (100,)
    assert [[step.name for step in batch] for batch in batches] == [["level 0, chunk 1 of 1"]]
    assert count_tokens(result.text) == 100


def test_one_merge_takes_all_that_just_fits() -> None:
    """Four summaries of 65 tokens, each with 2 for the separator: 268."""
    assert planned_limits(4, settings(window=window_for(268))) == (65, 100)


def test_levels_that_are_not_needed_are_left_out() -> None:
    """One token less, and 65 each is too much for one merge. With three levels' limits, 42 each, one is enough."""
    assert planned_limits(4, settings(window=window_for(267))) == (42, 100)


def test_true_depth_of_two() -> None:
    """Twelve summaries of 42 (+ 2) tokens. Level 1 has room for 268 + 35 = 303: six summaries (264).

    The next merge gives up to a fifth of its room to what came before, and takes five; the last summary goes up alone.
    65 + 65 + 42 fit the top.
    """
    parameters = settings(window=window_for(268))
    assert planned_limits(12, parameters) == (42, 65, 100)
    result, _ = play(hierarchical(chunks(12), parameters), full_length)
    merges = [node for node in result.nodes if node.level > 0]
    assert [(node.level, node.index, len(node.sources)) for node in merges] == [(1, 0, 6), (1, 1, 5), (2, 0, 3)]
    assert merges[2].sources == ((1, 0), (1, 1), (0, 11))
    assert [node.context for node in merges] == [(), ((1, 0),), ()]


# --- order and batches ------------------------------------------------------------------------------------------------


def test_all_chunks_go_out_at_once_and_the_merges_of_a_level_one_by_one_beside_them() -> None:
    """A merge takes six. The first needs no more than seven chunk summaries to know that it can take no more."""
    first = next(hierarchical(chunks(12), settings(window=window_for(268))))
    assert isinstance(first, Ahead)
    assert [step.name for step in first] == [f"level 0, chunk {number} of 12" for number in range(1, 13)]
    _, batches = play(hierarchical(chunks(12), settings(window=window_for(268))), full_length)
    # Seven have come with the second part of four.
    assert [len(batch) for batch in batches] == [4, 4, 1, 4, 1, 1]
    assert [batch[0].name for batch in batches] == [
        "level 0, chunk 1 of 12",
        "level 0, chunk 5 of 12",
        "level 1, merge 1",
        "level 0, chunk 9 of 12",
        "level 1, merge 2",
        "level 2, merge 1",
    ]


def test_once_an_answer_is_asked_for_again_all_others_are_waited_for_together() -> None:
    """Part by part, the further tries of a weak model would wait for each other."""

    def answer(step: Step) -> Outcome | str:
        if step.name == "level 0, chunk 2 of 30":
            return Failure(FailureKind.TRUNCATED, "cut")
        return full_length(step)

    _, batches = play(hierarchical(chunks(30), settings(window=window_for(268))), answer)
    names = [batch[0].name for batch in batches]
    assert names[1:3] == ["level 0, chunk 2 of 30, try 2", f"level 0, chunk {len(batches[0]) + 1} of 30"]
    assert len(batches[0]) + len(batches[2]) == 30
    assert names[3] == "level 1, merge 1"


def test_shorter_answers_need_fewer_merges_and_the_top_keeps_its_limit() -> None:
    _, batches = play(hierarchical(chunks(12), settings(window=window_for(268))), lambda step: "He left.")
    names = [batch[0].name for batch in batches]
    assert names == [*(f"level 0, chunk {first} of 12" for first in (1, 5, 9)), "level 1, merge 1"]
    assert batches[-1][0].max_tokens == 100


def test_one_failed_chunk_of_many_stops_the_merge() -> None:
    """Failure case 34: chunk 3 of 4 is refused always."""
    asked: list[str] = []

    def answer(step: Step) -> Outcome:
        asked.append(step.name)
        refused = step.name == "level 0, chunk 3 of 4"
        return Failure(FailureKind.REFUSED, "I can't help with that.") if refused else Answer("He left.")

    with pytest.raises(StrategyFailed, match="level 0, chunk 3 of 4: I can't help with that"):
        play(hierarchical(chunks(4), settings()), answer)
    assert asked == [f"level 0, chunk {number} of 4" for number in (1, 2, 3, 4)]


# --- what does not fit ------------------------------------------------------------------------------------------------


def test_a_chunk_that_does_not_fit_names_the_largest_size_that_does() -> None:
    parameters = settings(window=500)
    prompt = Frame(parameters).chunk_prompt
    largest = 500 - WINDOW_MARGIN - prompt - 65
    assert check_fit(4, largest, parameters) == (65, 100)
    with pytest.raises(DoesNotFit, match=f"The largest chunk size that fits is {largest}") as refused:
        check_fit(4, largest + 1, parameters)
    assert refused.value.largest_chunk_size == largest


def test_summaries_too_long_to_merge_name_the_longest_that_works() -> None:
    frame = Frame(settings(window=400))
    room = 400 - WINDOW_MARGIN - max(frame.merge_prompt, frame.merge_context_prompt)
    longest = max(G for G in range(1, room) if 0.8 * (room - G) >= 2 * (0.65 * G + 2))
    check_fit(9, 20, settings(window=400, max_summary_tokens=longest))
    with pytest.raises(DoesNotFit, match=f"The longest summary that works is {longest} tokens"):
        check_fit(9, 20, settings(window=400, max_summary_tokens=longest + 1))


def test_nothing_is_asked_for_a_book_that_does_not_fit() -> None:
    with pytest.raises(DoesNotFit):
        next(hierarchical(chunks(2, tokens=600), settings(window=500)))


# --- prior context ----------------------------------------------------------------------------------------------------


def test_context_is_the_newest_summaries_in_the_order_of_the_story() -> None:
    # Each has 3 tokens, the separator between them at most 2.
    before = [node(1, 0, "One left."), node(1, 1, "Two left."), node(1, 2, "Three left.")]
    text, nodes = prior_context(before, 8)
    assert text == "Two left.\n\nThree left."
    assert [each.place for each in nodes] == [(1, 1), (1, 2)]


def test_the_oldest_shown_summary_is_cut_at_the_start_of_a_sentence() -> None:
    before = [node(1, 0, "Never shown."), node(1, 1, "Emma left. Rolf stayed. Mia slept.")]
    room = count_tokens("Rolf stayed. Mia slept.") + 1
    text, nodes = prior_context(before, room)
    assert text == "Rolf stayed. Mia slept."
    assert [each.place for each in nodes] == [(1, 1)]


def test_context_without_room_is_empty() -> None:
    assert prior_context([node(1, 0, "Emma left the house.")], 2) == ("", [])
    assert prior_context([], 100) == ("", [])


# --- what must always hold --------------------------------------------------------------------------------------------


@st.composite
def runs(draw: st.DrawFn) -> tuple[int, int, int, list[int]]:
    """Chunks, window, longest summary, and what per cent of its limit each answer has; over 100 is too long."""
    longest = draw(st.integers(50, 300))
    least = window_for(0, longest=longest) + int(2.2 * longest)
    return (
        draw(st.integers(1, 40)),
        draw(st.integers(least, least + 2000)),
        longest,
        draw(st.lists(st.sampled_from([5, 40, 80, 100, 130]), min_size=1, max_size=12)),
    )


@hypothesis_settings(max_examples=40, deadline=None)
@given(runs())
def test_every_chunk_is_used_once_in_order_within_window_and_limits(run: tuple[int, int, int, list[int]]) -> None:
    count, window, longest, shares = run
    parameters = settings(window=window, max_summary_tokens=longest)
    source = chunks(count)
    try:
        limits = check_fit(count, max(chunk.tokens for chunk in source), parameters)
    except DoesNotFit:
        return
    number = 0

    def answer(step: Step) -> str:
        nonlocal number
        number += 1
        share = 90 if step.name.endswith("try 2") else shares[number % len(shares)]
        return expected_text(max(1, step.max_tokens * share // 100))

    result, batches = play(hierarchical(source, parameters), answer)
    assert result.limits == limits
    assert_tree(result, count)
    steps = [step for batch in batches for step in batch]
    assert max(Counter(step.name for step in steps).values()) == 1
    for step in steps:
        assert count_tokens(step.prompt) + step.max_tokens <= window
        assert step.material.words <= words_for(step.max_tokens)
    assert all(count_tokens(node.text) <= longest for node in result.nodes)


def assert_tree(result: SummaryResult, count: int) -> None:
    """One node a chunk, in order; every node but the last is the source of exactly one other, and order is kept."""
    nodes = {node.place: node for node in result.nodes}
    assert len(nodes) == len(result.nodes)
    leaves = [node for node in result.nodes if node.kind == "chunk"]
    assert [node.index for node in leaves] == list(range(count))
    used = Counter(place for node in result.nodes for place in node.sources)
    top = result.nodes[-1]
    assert set(used) == nodes.keys() - {top.place}
    assert set(used.values()) <= {1}
    assert leaves_under(top.place, nodes) == list(range(count))
    for node in result.nodes:
        assert len(node.sources) != 1
        assert all(level == node.level and index < node.index for level, index in node.context)


def leaves_under(place: tuple[int, int], nodes: dict[tuple[int, int], Node]) -> list[int]:
    node = nodes[place]
    if node.kind == "chunk":
        return [node.index]
    return [leaf for source in node.sources for leaf in leaves_under(source, nodes)]


@hypothesis_settings(max_examples=25, deadline=None)
@given(runs())
def test_a_merge_takes_as_many_as_fit(run: tuple[int, int, int, list[int]]) -> None:
    """The next summary, had it been put in too, would not have fitted (counting 2 tokens for each separator)."""
    count, window, longest, _ = run
    parameters = settings(window=window, max_summary_tokens=longest)
    try:
        result, batches = play(hierarchical(chunks(count), parameters), full_length)
    except DoesNotFit:
        return
    prompts = {step.name: step for batch in batches for step in batch}
    nodes = {node.place: node for node in result.nodes}
    level_order: dict[int, list[Node]] = {}
    for node in result.nodes:
        level_order.setdefault(node.level, []).append(node)
    for merges in level_order.values():
        for node, following in pairwise(merges):
            if node.kind == "chunk":
                continue
            step = prompts[f"level {node.level}, merge {node.index + 1}"]
            next_source = nodes[following.sources[0]]
            slack = 2 * (len(node.sources) + 1) + 2
            assert count_tokens(step.prompt) + next_source.tokens + slack + step.max_tokens > window - WINDOW_MARGIN
