"""The workspace's API, as the browser uses it."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, AnnotationSet, Assignment, ErrorType, Study
from tests.factories import make_annotate_task, make_annotator, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed."


class Task:
    """One person's task, spoken to over HTTP."""

    def __init__(self, text: str = TEXT) -> None:
        self.assignment = make_annotate_task(text)
        self.client = Client()
        self.client.force_login(self.assignment.annotator.user)
        self.url = f"/api/v1/tasks/{self.assignment.key}/marks/"

    def state(self) -> dict[str, Any]:
        return self.client.get(self.url).json()

    def put(self, body: Any, key: Any = None) -> Any:
        key = key or uuid.uuid4()
        return self.client.put(f"{self.url}{key}/", json.dumps(body), content_type="application/json")

    def post(self, action: str, body: Any = None) -> Any:
        return self.client.post(f"{self.url}{action}/", json.dumps(body or {}), content_type="application/json")

    def delete(self, key: Any, base_version: Any) -> Any:
        return self.client.delete(f"{self.url}{key}/?base_version={base_version}")

    def set_phase(self, phase: str) -> None:
        Study.objects.update(phase=phase)


@pytest.fixture
def task() -> Task:
    return Task()


def span(start: Any = 5, end: Any = 9, quote: Any = "left") -> dict[str, Any]:
    return {"start": start, "end": end, "quote": quote}


def mark(*spans: dict[str, Any], base: int = 0, questions: str = "Why?", types: Any = ("salience",)) -> dict[str, Any]:
    return {"base_version": base, "questions": questions, "error_types": list(types), "spans": list(spans) or [span()]}


# --- reading --------------------------------------------------------------------------------------------------------


def test_a_task_that_was_not_started_reads_as_an_empty_draft(task: Task) -> None:
    assert task.state() == {
        "state": "draft",
        "version": 0,
        "active_seconds": 0,
        "submitted_at": None,
        "editable": True,
        "reopenable": False,
        "annotations": [],
    }
    assert AnnotationSet.objects.count() == 0


def test_somebody_elses_task_does_not_exist(task: Task) -> None:
    for role in ("annotator", "researcher", "admin"):
        other = Client()
        other.force_login(make_user(role))
        answer = other.put(f"{task.url}{uuid.uuid4()}/", json.dumps(mark()), content_type="application/json")
        assert answer.status_code == 404
        assert set(answer.json()) == {"detail", "code"}
        assert other.get(task.url).status_code == 404
    assert Annotation.objects.count() == 0


def test_a_logged_out_page_is_told_so_and_nothing_is_stored(task: Task) -> None:
    task.client.logout()
    answer = task.put(mark())
    assert answer.status_code == 401
    assert answer["Content-Type"].startswith("application/json")
    assert Annotation.objects.count() == 0


def test_a_send_without_csrf_token_is_refused() -> None:
    task = Task()
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(task.assignment.annotator.user)
    answer = strict.put(f"{task.url}{uuid.uuid4()}/", json.dumps(mark()), content_type="application/json")
    assert answer.status_code == 403
    assert set(answer.json()) == {"detail", "code"}
    assert Annotation.objects.count() == 0


# --- saving ---------------------------------------------------------------------------------------------------------


def test_a_mark_is_stored_exactly_as_sent(task: Task) -> None:
    key = uuid.uuid4()
    answer = task.put(mark(span(0, 23, TEXT), questions="  Who is Emma?\n", types=["salience", "language"]), key)
    assert answer.status_code == 201
    assert answer.json() == {
        "key": str(key),
        "version": 1,
        "set_version": 1,
        "questions": "  Who is Emma?\n",
        "error_types": ["salience", "language"],
        "spans": [{"start": 0, "end": 23, "quote": TEXT}],
    }
    assert task.state()["annotations"][0]["questions"] == "  Who is Emma?\n"


def test_a_repeated_send_changes_nothing(task: Task) -> None:
    key = uuid.uuid4()
    first = task.put(mark(), key)
    before = task.state()
    second = task.put(mark(), key)
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == first.json()
    assert task.state() == before
    assert Annotation.objects.count() == 1


def test_a_draft_may_lack_question_and_types(task: Task) -> None:
    assert task.put(mark(questions="", types=[])).status_code == 201


def test_marks_may_overlap_and_equal_each_other(task: Task) -> None:
    for each in (span(0, 9, "Emma left"), span(5, 15, "left. Rolf"), span(5, 15, "left. Rolf")):
        assert task.put(mark(each)).status_code == 201
    assert len(task.state()["annotations"]) == 3


def test_an_edit_needs_the_version_it_was_based_on(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    edited = task.put(mark(base=1, questions="Why did she?"), key)
    assert (edited.status_code, edited.json()["version"]) == (200, 2)
    late = task.put(mark(base=1, questions="Something else?"), key)
    assert late.status_code == 409
    assert late.json()["code"] == "conflict"
    assert late.json()["current"]["questions"] == "Why did she?"
    assert late.json()["current"]["version"] == 2
    assert task.state()["annotations"][0]["questions"] == "Why did she?"


def test_a_version_is_never_used_twice_for_a_mark_that_was_deleted_and_brought_back(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    task.delete(key, 1)
    assert task.put(mark(questions="Other?"), key).json()["version"] == 3
    assert task.put(mark(base=1, questions="Mine?"), key).status_code == 409


def test_an_edit_of_a_deleted_mark_is_a_conflict_without_a_current_one(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    task.delete(key, 1)
    answer = task.put(mark(base=1, questions="Late?"), key)
    assert (answer.status_code, answer.json()["current"]) == (409, None)
    assert Annotation.objects.count() == 0


def test_spans_types_and_questions_can_all_be_changed(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    task.put(mark(span(0, 4, "Emma"), base=1, questions="Who?", types=["language"]), key)
    (stored,) = task.state()["annotations"]
    assert stored["spans"] == [{"start": 0, "end": 4, "quote": "Emma"}]
    assert (stored["questions"], stored["error_types"]) == ("Who?", ["language"])


# --- relations ------------------------------------------------------------------------------------------------------


def test_a_relation_is_one_mark_with_two_spans(task: Task) -> None:
    key = uuid.uuid4()
    answer = task.put(mark(span(5, 9, "left"), span(16, 22, "stayed")), key)
    assert answer.status_code == 201
    assert [each["quote"] for each in answer.json()["spans"]] == ["left", "stayed"]
    resized = task.put(mark(span(0, 9, "Emma left"), span(16, 22, "stayed"), base=1), key)
    assert [each["quote"] for each in resized.json()["spans"]] == ["Emma left", "stayed"]
    assert task.delete(key, 2).status_code == 204
    assert task.state()["annotations"] == []


def test_a_relation_of_a_span_with_itself_is_refused(task: Task) -> None:
    answer = task.put(mark(span(), span()))
    assert answer.status_code == 400
    assert "two different spans" in answer.json()["detail"]


# --- what is refused ------------------------------------------------------------------------------------------------


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


# --- deleting -------------------------------------------------------------------------------------------------------


def test_deleting_twice_is_deleting_once(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    assert task.delete(key, 1).status_code == 204
    before = task.state()
    assert task.delete(key, 1).status_code == 204
    assert task.state() == before


def test_a_mark_that_changed_meanwhile_is_not_deleted(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    task.put(mark(base=1, questions="New?"), key)
    answer = task.delete(key, 1)
    assert (answer.status_code, answer.json()["current"]["questions"]) == (409, "New?")
    assert len(task.state()["annotations"]) == 1


@pytest.mark.parametrize("version", ["", "x", "-1", "²"])
def test_deleting_needs_a_version(task: Task, version: str) -> None:
    assert task.delete(uuid.uuid4(), version).status_code == 400


# --- ending ---------------------------------------------------------------------------------------------------------


def test_submit_says_which_marks_lack_what(task: Task) -> None:
    lacking = uuid.uuid4()
    task.put(mark(questions=" ", types=[]), lacking)
    task.put(mark())
    answer = task.post("submit")
    assert answer.status_code == 400
    assert answer.json()["code"] == "incomplete"
    assert answer.json()["missing"] == [{"key": str(lacking), "fields": ["questions", "error_types"]}]
    assert task.state()["state"] == "draft"
    assert task.state()["version"] == 2


def test_an_empty_set_is_submitted_only_when_confirmed(task: Task) -> None:
    assert task.post("submit").json()["code"] == "empty"
    assert task.post("submit", {"nothing_found": True}).json()["state"] == "submitted"
    assert AnnotationSet.objects.get().submitted_at is not None


def test_submit_ends_the_task_once_and_a_late_save_changes_nothing(task: Task) -> None:
    key = uuid.uuid4()
    task.put(mark(), key)
    first = task.post("submit").json()
    assert (first["state"], first["editable"], first["reopenable"]) == ("submitted", False, True)
    task.assignment.refresh_from_db()
    ended = task.assignment.ended_at
    assert task.assignment.state == Assignment.State.SUBMITTED
    assert task.post("submit").json() == first
    task.assignment.refresh_from_db()
    assert task.assignment.ended_at == ended
    late = task.put(mark(base=1, questions="Late?"), key)
    assert (late.status_code, late.json()["code"]) == (409, "submitted")
    assert (task.delete(key, 1).status_code, task.put(mark()).status_code) == (409, 409)
    assert task.state() == first


def test_a_submitted_task_can_be_reopened_until_the_study_moves_on(task: Task) -> None:
    task.put(mark())
    task.post("submit")
    reopened = task.post("reopen").json()
    assert (reopened["state"], reopened["editable"], reopened["submitted_at"]) == ("draft", True, None)
    task.assignment.refresh_from_db()
    assert (task.assignment.state, task.assignment.ended_at) == (Assignment.State.OPEN, None)
    assert task.post("reopen").json() == reopened
    task.post("submit")
    task.set_phase(Study.Phase.REVIEWING)
    assert task.post("reopen").status_code in (404, 409)
    assert AnnotationSet.objects.get().state == AnnotationSet.State.SUBMITTED


def test_a_summary_can_be_left_out_with_a_reason(task: Task) -> None:
    task.put(mark())
    assert task.post("skip", {"reason": " I wrote it. "}).json()["state"] == "skipped"
    assert AnnotationSet.objects.get().skip_reason == " I wrote it. "
    assert (task.put(mark()).json()["code"], task.post("submit").status_code) == ("skipped", 409)
    assert task.post("reopen").json()["state"] == "draft"


@pytest.mark.parametrize("phase", [Study.Phase.SETUP, Study.Phase.REVIEWING, Study.Phase.CLOSED])
def test_a_study_that_is_not_annotating_takes_nothing(task: Task, phase: str) -> None:
    task.put(mark())
    task.set_phase(phase)
    for answer in (task.put(mark()), task.post("submit"), task.post("skip")):
        assert answer.status_code in (404, 409)
        assert set(answer.json()) == {"detail", "code"}
    assert Annotation.objects.count() == 1
    assert AnnotationSet.objects.get().state == AnnotationSet.State.DRAFT


def test_two_people_have_two_sets_on_one_summary() -> None:
    task = Task()
    task.put(mark())
    second = Assignment.objects.create(
        key=uuid.uuid4(),
        study=task.assignment.study,
        annotator=make_annotator(),
        task=Assignment.Task.ANNOTATE,
        summary=task.assignment.summary,
    )
    client = Client()
    client.force_login(second.annotator.user)
    assert client.get(f"/api/v1/tasks/{second.key}/marks/").json()["annotations"] == []


# --- active time ----------------------------------------------------------------------------------------------------


def test_active_time_adds_nothing_twice(task: Task) -> None:
    assert task.post("active-time", {"known_seconds": 0, "total_seconds": 30}).json() == {"active_seconds": 30}
    assert task.post("active-time", {"known_seconds": 0, "total_seconds": 30}).json() == {"active_seconds": 30}
    assert task.post("active-time", {"known_seconds": 30, "total_seconds": 45}).json() == {"active_seconds": 45}
    assert task.post("active-time", {"known_seconds": 45, "total_seconds": 40}).status_code == 400
    assert task.post("active-time", {"known_seconds": "45", "total_seconds": 60}).status_code == 400
    assert task.state()["active_seconds"] == 45


def test_the_page_leads_to_the_next_task_that_is_open(task: Task) -> None:
    address = reverse("annotation:annotate", args=[task.assignment.key])
    assert "Next summary" not in task.client.get(address).text
    other = Assignment.objects.create(
        key=uuid.uuid4(),
        study=task.assignment.study,
        annotator=task.assignment.annotator,
        task=Assignment.Task.ANNOTATE,
        summary=make_summary("Mia waited.", "The Ferry"),
        order=1,
    )
    assert reverse("annotation:annotate", args=[other.key]) in task.client.get(address).text
    Assignment.objects.filter(pk=other.pk).update(state="submitted", ended_at=timezone.now())
    assert "Next summary" not in task.client.get(address).text
