"""The rule baseline on sentences whose verdict follows from its stated rules."""

import asyncio
import time

import pytest

from annotation.judge.parsing import parse_answer
from annotation.judge.rules import RuleProvider, answers
from annotation.judge.strategy import JudgedSummary, SentenceMaterial
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure
from summarizer.sentences import split_sentences


def types_of(text):
    summary = JudgedSummary(text, tuple(split_sentences(text)))
    return [list(parse_answer(answer).types) for answer in answers(summary)]


def test_a_near_repeat_is_duplication_and_its_first_telling_is_not():
    first = "The farmers march to the city to free their leader."
    second = "In the end the farmers march to the city to free him."
    assert types_of(f"{first} Nobody stops them on the road. {second}") == [[], [], ["duplication"]]


def test_the_same_words_again_are_duplication_however_short():
    assert types_of("She leaves. He stays. She leaves.") == [[], [], ["duplication"]]


def test_some_shared_words_are_no_duplication():
    assert types_of("The farmers march to the city at night. The farmers march to the sea and build boats there.") == [
        [],
        [],
    ]


INTRODUCED = [
    "She meets Petra, a painter from the coast.",
    "She meets her old friend Petra.",
    "She meets Doctor Lund.",
    "She meets a man called Petra.",
    "She meets Petra (a painter).",
    "She meets Petra, who paints boats.",
    "She meets her brothers, Otto and Petra.",
    "She spends a winter in Petra.",
    "On Monday she reads “Petra and the Wolf”.",
    "She learns English.",
    "One line remains: If only.",
]


@pytest.mark.parametrize("sentence", INTRODUCED)
def test_an_introduced_name_is_clean(sentence):
    assert types_of(f"A girl lives alone. {sentence}") == [[], []]


NOT_INTRODUCED = [
    "She finally forgives Petra.",
    "The house is burned by Petra.",
    "Meanwhile, Petra Lund leaves the house.",
    "Her friendship with Petra ends.",
]


@pytest.mark.parametrize("sentence", NOT_INTRODUCED)
def test_a_name_out_of_nowhere_is_an_entity_omission_once(sentence):
    assert types_of(f"A girl lives alone. {sentence} Then she marries Petra.") == [[], ["entity omission"], []]


def test_a_leading_character_counts_as_introduced():
    text = "They trust Petra. Everyone obeys Petra. All love Petra. Some fear Petra. Children follow Petra."
    assert types_of(text) == [[], [], [], [], []]


def test_a_word_that_begins_a_sentence_is_no_name():
    assert types_of("Determined, she leaves. Concerned about money, he stays. Nobody asks why.") == [[], [], []]


def test_the_provider_answers_from_the_material():
    summary = JudgedSummary("She forgives Petra.", ((0, 19),))
    request = CompletionRequest("", "", 100, 0.0, material=SentenceMaterial(summary, 0))
    reply = asyncio.run(RuleProvider().complete(request))
    assert reply.text == "Questions: Who or what is Petra?\nTypes: entity omission"


def test_the_provider_refuses_what_is_no_sentence():
    with pytest.raises(ProviderFailure) as failure:
        asyncio.run(RuleProvider().complete(CompletionRequest("Summarize.", "", 100, 0.0)))
    assert failure.value.kind is FailureKind.PERMANENT


DEGENERATE = [
    " ".join(f"On day {number} Captain Nemo{number} and Anna{number} count {number} ships." for number in range(2000)),
    "Rolf leaves the house at night again. " * 3000,
    "They meet " + ", ".join(f"Anna{number}" for number in range(4000)) + ".",
    "Rolf " * 10_000,
]


@pytest.mark.parametrize("text", DEGENERATE, ids=["long", "looping", "names", "one name"])
def test_whatever_a_model_wrote_takes_no_time(text):
    summary = JudgedSummary(text, tuple(split_sentences(text)))
    start = time.process_time()
    answers(summary)
    assert time.process_time() - start < 3


def test_it_marks_some_sentences_of_real_summaries_but_not_most(shared_data):
    """Between 8 and 40 % on every released system, which is what a control is good for."""
    import json

    files = sorted((shared_data / "booookscore/summaries").glob("*.json"))
    assert files
    for file in files:
        marked = [bool(types) for text in json.loads(file.read_text()).values() if text for types in types_of(text)]
        assert 0.08 < sum(marked) / len(marked) < 0.4, file.name
