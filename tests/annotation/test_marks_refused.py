"""The workspace's API: what is no mark is refused with a sentence, and nothing is stored."""

import uuid
from typing import Any

import pytest

from annotation.models import Annotation, ErrorType
from tests.annotation.marks_client import Task, mark, span

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return Task()


@pytest.mark.parametrize(
    "bad",
    [
        span(5, 5, ""),
        span(-1, 3, "Emm"),
        span(9, 5, "left"),
        span("5", 9),
        span("a", 2),
        span(5.0, 9),
        span(True, 4, "mma"),
        span(None, 9),
        span(5, 2**40),
        span(5, 9, 7),
        span(5, 9, None),
        span(5, 9, "le\u0000t"),
        span(5, 9, "\ud83d"),
        span(4, 5, " "),
        {"start": 5, "end": 9},
        "left",
    ],
    ids=repr,
)
def test_a_bad_span_is_refused_and_nothing_is_stored(task: Task, bad: Any) -> None:
    answer = task.put(mark(bad))
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert Annotation.objects.count() == 0


def test_a_span_beyond_the_text_is_refused_with_the_texts_length(task: Task) -> None:
    answer = task.put(mark(span(20, 99, "ed.")))
    assert answer.status_code == 400
    assert "23 characters" in answer.json()["detail"]


def test_a_wrong_quote_is_refused_with_both_texts() -> None:
    task = Task("Text: Berlin,  Germany.")
    answer = task.put(mark(span(6, 21, "Berlin, German")))
    assert answer.status_code == 400
    assert "'Berlin,  German'" in answer.json()["detail"]
    assert "'Berlin, German'" in answer.json()["detail"]
    assert task.put(mark(span(6, 21, "Berlin,  German"))).status_code == 201


@pytest.mark.parametrize(
    "change",
    [
        {"spans": []},
        {"spans": [span(), span(0, 4, "Emma"), span(10, 14, "Rolf")]},
        {"spans": "left"},
        {"questions": None},
        {"questions": 7},
        {"questions": "x" * 10_001},
        {"error_types": ["no such type"]},
        {"error_types": "salience"},
        {"error_types": [3]},
        {"base_version": "0"},
        {"base_version": -1},
        {"base_version": None},
    ],
    ids=lambda change: repr(change)[:40],
)
def test_a_bad_change_is_refused_and_nothing_is_stored(task: Task, change: dict[str, Any]) -> None:
    answer = task.put(mark() | change)
    assert answer.status_code == 400
    assert set(answer.json()) == {"detail", "code"}
    assert Annotation.objects.count() == 0


@pytest.mark.parametrize("body", ["", "[]", "{", '{"base_version": NaN}', '"x"'])
def test_a_body_that_is_no_change_is_refused(task: Task, body: str) -> None:
    answer = task.client.put(f"{task.url}{uuid.uuid4()}/", body, content_type="application/json")
    assert answer.status_code == 400
    assert set(answer.json()) == {"detail", "code"}


def test_a_retired_type_stays_where_it_is_but_is_not_given_anew(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    ErrorType.objects.filter(key="salience").update(retired=True)
    assert task.put(mark(base=1, questions="Still?"), key).status_code == 200
    assert task.put(mark()).status_code == 400


@pytest.mark.parametrize(
    ("text", "start", "end", "quote"),
    [
        ("Emma 😀 smiled.\nShe said “no.”\n\nIt was 👩‍🚀 early. Zoe\u0308 stayed.", 7, 13, "smiled"),
        ("💩This is an annotation.", 12, 22, "annotation"),
        ("👨🏻🚒 firemen drive firetrucks at work", 18, 28, "firetrucks"),
        ("De\u0301partement de Me\u0301decine, Universite\u0301", 27, 38, "Universite\u0301"),
        ("\n  Emma left.\nRolf. ", 14, 19, "Rolf."),
        ("<b>Emma</b> & &amp; left", 12, 19, "& &amp;"),
        ("שלום עולם. Emma.", 0, 4, "שלום"),
    ],
)
def test_offsets_are_code_points_of_the_untouched_text(text: str, start: int, end: int, quote: str) -> None:
    answer = Task(text).put(mark(span(start, end, quote)))
    assert answer.status_code == 201, answer.content
    assert answer.json()["spans"] == [{"start": start, "end": end, "quote": quote}]
