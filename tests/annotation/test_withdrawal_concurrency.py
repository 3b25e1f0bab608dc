"""A person saves while they withdraw: nothing of them is left, and every call gets an answer."""

import json
import threading
import time
import uuid

import pytest
from django.db import connection

from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    GoldDecision,
    GoldEvent,
    GoldSet,
    ReviewDecision,
    ReviewItem,
)
from annotation.services import gold
from annotation.services import withdrawals as service
from annotation.services.gold import GoldContent
from annotation.services.marks import annotation_set_of
from annotation.services.spans import SpanInput
from tests.annotation.test_marks_concurrency import put
from tests.annotation.test_marks_concurrency import sent as from_browsers
from tests.factories import make_annotate_task, make_annotator, make_marks, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db(transaction=True)


def withdraw(task):
    return lambda client: client.post(f"/tasks/{task.key}/withdraw/", {"sure": "on"})


@pytest.mark.parametrize("begun", [False, True])
def test_saves_that_meet_a_withdrawal_leave_nothing(begun):
    task = make_annotate_task()
    if begun:
        annotation_set_of(task)
    submit = f"/api/v1/tasks/{task.key}/marks/submit/"
    calls = [put(task, uuid.uuid4()) for _ in range(5)]
    calls.insert(2, withdraw(task))
    calls.append(lambda client: client.post(submit, '{"nothing_found": true}', content_type="application/json"))
    answers = [answer.status_code for answer in from_browsers(calls, task.annotator.user)]
    assert answers.pop(2) == 302
    assert set(answers) <= {200, 201, 404, 409}
    assert not Assignment.objects.exists()
    assert not AnnotationSet.objects.exists()
    assert not Annotation.objects.exists()


def test_a_decision_on_a_mark_that_is_withdrawn_is_removed_or_refused():
    study = make_study(make_summary())
    person, reviewer = make_annotator(), make_annotator()
    own = make_task(person.user, "annotate", study)
    task = make_task(reviewer.user, "review", study)
    made = make_marks(task.summary, person, study=study).annotations.get()
    item = ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=made, order=0)
    address = f"/api/v1/tasks/{task.key}/review/marks/{item.key}/"
    decision = json.dumps({"agreement": "agree", "reasons": [], "comment": ""})

    def decide(client):
        client.force_login(reviewer.user)
        return client.put(address, decision, content_type="application/json")

    answers = [answer.status_code for answer in from_browsers([decide, decide, withdraw(own), decide], person.user)]
    assert answers.pop(2) == 302
    assert set(answers) <= {200, 404}
    assert not ReviewDecision.objects.exists()
    assert not ReviewItem.objects.exists()


def test_a_gold_decision_that_meets_the_withdrawal_of_its_mark_leaves_nothing(monkeypatch):
    study = make_study(make_summary(), phase="closed")
    person, researcher = make_annotator(), make_user("researcher")
    own = make_task(person.user, "annotate", study)
    made = make_marks(own.summary, person, study=study).annotations.get()
    GoldSet.objects.create(study=study, summary=own.summary)
    checked = threading.Event()
    content = GoldContent("mark", "Who is Emma?", spans=[SpanInput(0, 4, "Emma")], sources=[made.pk])
    replace = gold._replace_details

    def slowly(*arguments):
        """The mark is found to be there; the withdrawal comes before the decision is stored."""
        checked.set()
        time.sleep(0.5)
        replace(*arguments)

    monkeypatch.setattr(gold, "_replace_details", slowly)

    def decide():
        arguments = {"study": study, "summary": own.summary, "user": researcher, "content": content}
        gold.decide(client_key=uuid.uuid4(), base_version=0, **arguments)
        connection.close()

    deciding = threading.Thread(target=decide)
    deciding.start()
    assert checked.wait(10)
    service.withdraw(study=study, annotator=person, by=researcher)
    deciding.join()
    assert not Annotation.objects.exists()
    assert not GoldDecision.objects.exists()
    assert [event.content for event in GoldEvent.objects.all()] == [{}]
