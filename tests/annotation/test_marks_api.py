"""The workspace's API, as the browser uses it: reading, saving, relating and deleting marks."""

import json
import uuid

import pytest
from django.test import Client

from annotation.models import Annotation, AnnotationSet
from tests.annotation.marks_client import TEXT, Task, mark, span
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return Task()


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
