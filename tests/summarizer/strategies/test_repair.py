"""Mending weak models' answers: cut at the last sentence end, and without what was copied from the prompt."""

import pytest

from summarizer.prompts import ANSWERS, PromptError, PromptFiles, answer_rules
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure
from summarizer.strategies.hierarchical import hierarchical
from summarizer.strategies.repair import Repaired, repair
from summarizer.tokens import count_tokens
from tests.summarizer.strategies.playing import PROMPTS, chunks, play, settings

INSTRUCTIONS = "Here is a part of a story:\n---\n\n---\nTell what happens in this part in at most 50 words.\nSummary:"


def mend(answer: str, limit: int = 100) -> Repaired:
    return repair(answer, instructions=INSTRUCTIONS, limit=limit, cut=True, drop_copied=True)


@pytest.mark.parametrize(
    ("answer", "kept", "removed"),
    [
        ("Emma left. Rolf stayed.", "Emma left. Rolf stayed.", ""),
        ("Emma left. Rolf was about to", "Emma left.", "Rolf was about to"),
        ("He said “go.” She", "He said “go.”", "She"),
        ("No end at all", "", "No end at all"),
        ("", "", ""),
        ("Summary: Emma left.", "Emma left.", "Summary:"),
        ("Summary:\nEmma left.", "Emma left.", "Summary:"),
        # Another number of words is the same sentence.
        (
            "Tell what happens in this part in at most 45 words. Emma left.",
            "Emma left.",
            "Tell what happens in this part in at most 45 words.",
        ),
        ("Here is a part of a story:\n\nEmma left.", "Emma left.", "Here is a part of a story:"),
        # Words of the prompt inside a sentence of its own are no copy, nor are two or three words.
        ("Emma asks what happens in this part of town.", "Emma asks what happens in this part of town.", ""),
        ("A story.", "A story.", ""),
        ("Emma left.\n\nRolf stayed.", "Emma left.\n\nRolf stayed.", ""),
    ],
)
def test_what_is_taken_out_is_kept_apart(answer: str, kept: str, removed: str) -> None:
    assert mend(answer) == Repaired(kept, removed)


def test_an_answer_over_the_limit_is_cut_at_a_sentence_end_within_it() -> None:
    limit = count_tokens("Emma left. Rolf stayed.") + 1
    assert mend("Emma left. Rolf stayed. Mia slept.", limit) == Repaired("Emma left. Rolf stayed.", "Mia slept.")


def weak() -> PromptFiles:
    rules = "cut at the last sentence end\nremove sentences copied from the prompt\n"
    return PromptFiles({**PROMPTS.files, ANSWERS: rules}, "named")


def test_a_cut_off_answer_is_mended_instead_of_asked_for_again() -> None:
    cut_off = Failure(FailureKind.TRUNCATED, "cut off", partial_text="Emma left. Rolf was about to", call_id=7)
    result, batches = play(hierarchical(chunks(1), settings(prompts=weak())), lambda step: cut_off)
    assert (result.text, result.nodes[0].removed, result.nodes[0].call_id) == ("Emma left.", "Rolf was about to", 7)
    assert len(batches) == 1


def test_an_answer_of_copies_alone_is_asked_for_again() -> None:
    answers = ["Read this:", "Emma left."]
    result, batches = play(hierarchical(chunks(1), settings(prompts=weak())), lambda step: answers.pop(0))
    assert result.text == "Emma left."
    assert len(batches) == 2


def test_the_text_to_summarize_is_no_instruction() -> None:
    """A sentence taken from the book stands; only what the prompt says itself is a copy."""
    source = chunks(1)
    sentence = "Emma rowed the old boat home."
    source = [type(source[0])(sentence, 0, len(sentence), 8)]
    result, _ = play(hierarchical(source, settings(prompts=weak())), lambda step: sentence)
    assert result.text == sentence


def test_without_the_rules_nothing_is_touched() -> None:
    result, _ = play(hierarchical(chunks(1), settings()), lambda step: "Summary: Emma was about to")
    assert result.text == "Summary: Emma was about to"
    assert result.nodes[0].removed == ""


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(PromptError, match="it says 'be nice'"):
        answer_rules("cut at the last sentence end\nbe nice\n")
