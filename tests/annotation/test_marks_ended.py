"""The workspace's API: submitting, leaving out and reopening a task, and the time spent on it."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, AnnotationSet, Assignment, Study
from tests.annotation.marks_client import Task, mark
from tests.factories import make_annotator, make_summary

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return Task()


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
