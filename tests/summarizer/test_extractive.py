"""The extractive baseline: deterministic, in the text's order, within its limits, ranked as sumy ranks."""

import asyncio
import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sumy.models.dom import ObjectDocumentModel, Paragraph
from sumy.models.dom import Sentence as SumySentence
from sumy.summarizers.lex_rank import LexRankSummarizer

from summarizer.providers import extractive
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure
from summarizer.providers.extractive import (
    BLOCK,
    ExtractiveProvider,
    drop_artifacts,
    extend_summary,
    extract_summary,
    lexrank,
)
from summarizer.strategies.records import CleaningMaterial, SummaryMaterial, UpdateMaterial
from summarizer.tokens import count_tokens

WORDS = ["boat", "storm", "Emma", "Rolf", "harbour", "letter", "winter", "house", "sister", "money"]


def prose(sentences: int, seed: int = 1) -> str:
    chance = random.Random(seed)
    return " ".join(
        f"{' '.join(chance.choices(WORDS, k=chance.randint(6, 9))).capitalize()}." for _ in range(sentences)
    )


def summarize(texts: tuple[str, ...], words: int = 60, max_tokens: int = 500) -> str:
    request = CompletionRequest("not read", "", max_tokens, 0.5, material=SummaryMaterial(texts, words))
    return asyncio.run(ExtractiveProvider().complete(request)).text


def test_sentences_stay_whole_and_in_order() -> None:
    text = prose(40)
    summary = summarize((text,))
    taken = summary.split(". ")
    places = [text.index(sentence.rstrip(".")) for sentence in taken]
    assert places == sorted(places)
    assert len(taken) > 3


def test_the_same_text_gives_the_same_summary() -> None:
    assert summarize((prose(60),)) == summarize((prose(60),))


def test_ranking_leaves_the_event_loop_free(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> str:
        asked.set()
        return "A summary." if answered.wait(10) else ""

    async def main() -> str:
        request = CompletionRequest("not read", "", 100, 0.5, material=SummaryMaterial(("A text.",), 10))
        answer = asyncio.create_task(ExtractiveProvider().complete(request))
        while not asked.is_set():
            await asyncio.sleep(0.01)
        answered.set()  # the loop gets here only while the provider works elsewhere
        return (await answer).text

    monkeypatch.setattr(extractive, "extract_summary", slow)
    assert asyncio.run(main()) == "A summary."


def test_several_texts_give_a_paragraph_each() -> None:
    summary = summarize((prose(3, seed=1), prose(3, seed=2)), words=500)
    assert summary == prose(3, seed=1) + "\n\n" + prose(3, seed=2)


def test_a_sentence_that_others_repeat_is_taken_before_one_that_stands_alone() -> None:
    repeated = "The storm broke the boat. A storm broke the old boat. The boat broke in a storm."
    text = f"{repeated} Quinces ripen late. Cats doze."
    assert "Quinces" not in extract_summary([text], max_words=12, max_tokens=100)


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=300), min_size=1, max_size=4), st.integers(1, 60), st.integers(4, 90))
def test_limits_hold_for_any_text(texts: list[str], words: int, tokens: int) -> None:
    summary = extract_summary(texts, max_words=words, max_tokens=tokens)
    assert len(summary.split()) <= words
    assert count_tokens(summary) <= tokens
    assert bool(summary) == any(text.split() for text in texts)


def test_a_text_that_is_one_long_sentence_gives_its_start() -> None:
    summary = extract_summary(["walked and " * 700], max_words=50, max_tokens=100)
    assert summary.startswith("walked and walked")
    assert 1 <= len(summary.split()) <= 50


def test_ranks_are_those_of_sumy() -> None:
    sentences = [sentence.lower().rstrip(".").split() for sentence in prose(25).split(". ")]

    class Tokenizer:
        def to_words(self, text: str) -> list[str]:
            return text.split()

    document = ObjectDocumentModel([Paragraph([SumySentence(" ".join(words), Tokenizer()) for words in sentences])])
    oracle = LexRankSummarizer()
    words = [oracle._to_words_set(sentence) for sentence in document.sentences]
    tf, idf = oracle._compute_tf(words), oracle._compute_idf(words)
    expected = oracle.power_method(oracle._create_matrix(words, oracle.threshold, tf, idf), oracle.epsilon)
    assert lexrank(sentences) == pytest.approx(expected)


def test_sentences_without_a_word_in_common_rank_equal() -> None:
    assert np.ptp(lexrank([["a"], ["b"], ["c"], ["d"]])) == pytest.approx(0)
    assert list(lexrank([[], []])) == [0.5, 0.5]


def test_a_long_text_is_ranked_in_blocks_and_every_block_can_be_taken() -> None:
    text = prose(3 * BLOCK)
    summary = summarize((text,), words=400, max_tokens=4000)
    places = [text.index(sentence.rstrip(".")) / len(text) for sentence in summary.split(". ")]
    assert min(places) < 0.34
    assert max(places) > 0.66


def test_it_judges_nothing_and_says_so() -> None:
    request = CompletionRequest("Is this sentence confusing?", "", 100, 0.5)
    with pytest.raises(ProviderFailure, match="can only make summaries") as failure:
        asyncio.run(ExtractiveProvider().complete(request))
    assert failure.value.kind is FailureKind.PERMANENT


def test_a_text_without_sentences_is_an_empty_answer() -> None:
    with pytest.raises(ProviderFailure) as failure:
        summarize((" \n",))
    assert failure.value.kind is FailureKind.EMPTY


def test_shouts_headings_and_scene_breaks_are_left_out() -> None:
    first = "Emma sold the old boat to Rolf. Rolf took it to the harbour."
    second = "Rolf sold it to Emma again. Emma took it out of the harbour."
    story = f"I. The Boat\n\n“Today.” {first} Said Rolf.\n\n* * *\n\n{second}"
    expected = f"{first} {second}"
    assert summarize((story,), words=500) == expected


def test_a_text_of_shouts_only_still_has_a_summary() -> None:
    assert summarize(("Today. No.",), words=500) == "Today. No."


def test_an_update_adds_sentences_of_the_chunk_to_the_summary_as_it_is() -> None:
    summary = "Emma sold the old boat to Rolf."
    updated = extend_summary(summary, prose(40), max_words=60, max_tokens=300)
    kept, added = updated.split("\n\n")
    assert kept == summary
    assert 0 < len(added.split()) <= 53
    assert extend_summary(summary, " \n", max_words=60, max_tokens=300) == summary


def test_a_full_summary_still_gets_a_sentence_unless_the_answer_would_be_cut_off() -> None:
    summary = prose(20)
    updated = extend_summary(summary, prose(40, seed=2), max_words=10, max_tokens=1000)
    assert 0 < len(updated.split()) - len(summary.split()) <= 40
    limit = count_tokens(summary) + 30
    assert count_tokens(extend_summary(summary, prose(40, seed=2), max_words=10, max_tokens=limit)) <= limit


def test_cleaning_drops_sentences_about_the_making_and_around_the_story() -> None:
    summary = "In this part Emma waits. Emma left.\n\nAll rights reserved by the press.\n\nRolf stayed a part of it."
    assert drop_artifacts(summary) == "Emma left.\n\nRolf stayed a part of it."
    assert drop_artifacts("In this part Emma waits.") == "In this part Emma waits."


@pytest.mark.parametrize("material", [UpdateMaterial("Emma left.", prose(9), 30), CleaningMaterial("Emma left.")])
def test_updates_and_cleanings_are_answered_from_their_material(material: object) -> None:
    reply = asyncio.run(ExtractiveProvider().complete(CompletionRequest("", "", 200, 0.5, material)))
    assert reply.text.startswith("Emma left.")
