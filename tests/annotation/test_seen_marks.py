"""Whoever was shown who marked what on a summary marks and reviews that book no more."""

import json

import pytest
from django.test import Client

from annotation.access import annotator_of
from annotation.models import AnnotationSet, Assignment, MarksSeen
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
)
from booookweb.models import Role, User
from tests.factories import make_annotate_task, make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_of(task: Assignment) -> str:
    return f"/studies/{task.study.name}/summaries/{task.summary_id}/"


@pytest.fixture
def task() -> Assignment:
    """A researcher's own task on a summary that a judge has marked already."""
    task = make_annotate_task(annotator=make_annotator(make_user(Role.RESEARCHER)))
    judge = make_judge()
    task.study.judges.add(judge)
    make_marks(task.summary, judge)
    return task


def post(client: Client, task: Assignment, action: str, **body: object) -> tuple[int, str]:
    address = f"/api/v1/tasks/{task.key}/marks/{action}/"
    response = client.post(address, json.dumps(body), content_type="application/json")
    return response.status_code, response.json().get("code", "")


@pytest.mark.parametrize("ending", ["submit", "skip"])
def test_a_task_can_not_be_reopened_after_a_look_at_the_marks(task: Assignment, ending: str) -> None:
    client = logged_in(task.annotator.user)
    assert client.get(page_of(task)).status_code == 403
    assert not MarksSeen.objects.exists()
    body = {"nothing_found": True} if ending == "submit" else {}
    assert post(client, task, ending, **body)[0] == 200
    assert post(client, task, "reopen")[0] == 200
    assert post(client, task, ending, **body)[0] == 200
    assert client.get(page_of(task)).status_code == 200
    assert client.get(page_of(task)).status_code == 200
    assert post(client, task, "reopen") == (409, "seen")
    assert AnnotationSet.objects.get(annotator=task.annotator).state != AnnotationSet.State.DRAFT
    assert MarksSeen.objects.count() == 1


def test_whoever_saw_marks_gets_no_task_on_that_book_in_any_study(task: Assignment) -> None:
    curious, others = make_user(Role.ADMIN), [make_annotator() for _ in range(2)]
    assert logged_in(curious).get(page_of(task)).status_code == 200
    study = create_study(name="pilot", annotation_overlap=1, review_overlap=1)
    add_summaries(study=study, summaries=[task.summary])
    add_judge(study=study, judge=task.study.judges.get())
    for annotator in (annotator_of(curious), others[0]):
        add_member(study=study, annotator=annotator)
    with pytest.raises(StudyError, match=r"no eligible reviewer.*or have seen marks"):
        open_annotating(study=study)
    add_member(study=study, annotator=others[1])
    open_annotating(study=study)
    open_review(study=study, accept_incomplete=True)
    tasks = Assignment.objects.filter(study=study)
    assert {(each.task, each.annotator in others) for each in tasks} == {("annotate", True), ("review", True)}


def test_marks_on_one_book_say_nothing_about_another(task: Assignment) -> None:
    curious = make_user(Role.RESEARCHER)
    logged_in(curious).get(page_of(task))
    study = create_study(name="pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    add_member(study=study, annotator=annotator_of(curious))
    open_annotating(study=study)
    assert Assignment.objects.filter(study=study, annotator__user=curious).count() == 1
