"""A person saves while they withdraw: nothing of them is left, and every call gets an answer."""

import json
import uuid

import pytest

from annotation.models import Annotation, AnnotationSet, Assignment, ReviewDecision, ReviewItem
from annotation.services.marks import annotation_set_of
from tests.annotation.test_marks_concurrency import at_once, put
from tests.factories import make_annotate_task, make_annotator, make_marks, make_summary
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
    answers = [answer.status_code for answer in at_once(calls, task.annotator.user)]
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

    answers = [answer.status_code for answer in at_once([decide, decide, withdraw(own), decide], person.user)]
    assert answers.pop(2) == 302
    assert set(answers) <= {200, 404}
    assert not ReviewDecision.objects.exists()
    assert not ReviewItem.objects.exists()
