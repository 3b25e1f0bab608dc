"""The data of the demo: stories long enough, and sample marks whose quotes stand in the demo's summaries."""

import json
import re
from pathlib import Path

import pytest

from annotation.error_types import ERROR_TYPES
from booookweb import demo
from summarizer.models import Book

STORIES = sorted(demo.DATA.glob("stories/*.txt"))
MARKS = json.loads((demo.DATA / "sample_marks.json").read_text())


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_a_story_is_long_enough_and_has_scenes(path: Path):
    text = path.read_text()
    assert len(text.split()) >= 3000
    assert len(re.findall(r"^\* \* \*$", text, re.MULTILINE)) >= 4
    assert f"`{path.name}`" in (path.parent / "LICENSE.md").read_text()


def test_there_are_three_stories():
    assert len(STORIES) == 3


def test_sample_marks_have_a_question_and_known_types():
    known = {each.key for each in ERROR_TYPES}
    for mark in MARKS:
        assert mark.keys() == {"quotes", "questions", "types"}
        assert len(mark["quotes"]) in (1, 2)
        assert mark["questions"].strip().endswith((".", "?"))
        assert mark["types"]
        assert set(mark["types"]) <= known
    assert {type_key for mark in MARKS for type_key in mark["types"]} == known


@pytest.mark.django_db(transaction=True)  # the ledger writes through a connection of its own
def test_every_sample_mark_stands_in_a_summary_and_every_summary_has_some():
    books = [demo._add_story(path) for path in STORIES]
    assert set(Book.objects.values_list("title", flat=True)) == {
        "The Tide Clerk",
        "Nineteen Minutes",
        "A Quorum for Lower Hatch",
    }
    texts = [summary.text for size in demo.CHUNK_SIZES for summary in demo._summarize(books, size)]
    counts = [0] * len(texts)
    for mark in MARKS:
        holding = [number for number, text in enumerate(texts) if all(quote in text for quote in mark["quotes"])]
        assert holding, mark["quotes"]
        for number in holding:
            counts[number] += 1
    assert min(counts) >= 4
