"""A task that was taken from a person takes no marks from them, begun or not."""

import json
import uuid

import pytest
from django.test import Client

from annotation.models import AnnotationSet, Assignment
from annotation.services.studies import add_member, add_summaries, create_study, open_annotating, remove_member
from tests.factories import make_annotator, make_summary

pytestmark = pytest.mark.django_db

MARK = {
    "base_version": 0,
    "questions": "Why?",
    "error_types": ["salience"],
    "spans": [{"start": 5, "end": 9, "quote": "left"}],
}


def send(client: Client, task: Assignment, method: str, path: str, body: object) -> tuple[int, str]:
    address = f"/api/v1/tasks/{task.key}/marks/{path}"
    response = getattr(client, method)(address, json.dumps(body), content_type="application/json")
    return response.status_code, response.json().get("code", "")


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("another", [False, True], ids=["nobody else", "taken over"])
@pytest.mark.parametrize("leaving", ["removed", "reviews only"])
def test_who_left_can_neither_mark_nor_submit_nor_reopen(begun: bool, another: bool, leaving: str) -> None:
    study = create_study(name="pilot", annotation_overlap=1, review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person = make_annotator()
    member = add_member(study=study, annotator=person)
    open_annotating(study=study)
    task = Assignment.objects.get(annotator=person)
    client = Client()
    client.force_login(person.user)
    if begun:
        assert send(client, task, "put", f"{uuid.uuid4()}/", MARK)[0] == 201
    if another:
        add_member(study=study, annotator=make_annotator())
    if leaving == "removed":
        remove_member(study=study, member=member)
    else:
        add_member(study=study, annotator=person, annotates=False)

    assert send(client, task, "put", f"{uuid.uuid4()}/", MARK) == (409, "skipped")
    assert send(client, task, "post", "submit/", {"nothing_found": True}) == (409, "skipped")
    assert send(client, task, "post", "reopen/", {}) == (409, "left")
    state = client.get(f"/api/v1/tasks/{task.key}/marks/").json()
    assert (state["state"], state["editable"]) == ("skipped", False)
    assert not AnnotationSet.objects.exclude(state=AnnotationSet.State.SKIPPED).exists()
    held = Assignment.objects.exclude(state=Assignment.State.SKIPPED)
    assert held.count() == (1 if another else 0)


def test_a_save_that_crosses_the_end_of_its_task_is_refused() -> None:
    """The set was made just before the task ended, so it is still a draft."""
    study = create_study(name="pilot", annotation_overlap=1, review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person = make_annotator()
    add_member(study=study, annotator=person)
    open_annotating(study=study)
    task = Assignment.objects.get(annotator=person)
    Assignment.objects.update(state=Assignment.State.SKIPPED, ended_at=task.created_at)
    AnnotationSet.objects.create(study=study, annotator=person, summary=task.summary)
    client = Client()
    client.force_login(person.user)
    for method, path, body in (("put", f"{uuid.uuid4()}/", MARK), ("post", "submit/", {"nothing_found": True})):
        assert send(client, task, method, path, body) == (409, "closed")
