"""Many sends at the same moment: nothing is stored twice, nothing is lost, nothing crosses a submission."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, AnnotationSet
from tests.at_once import at_once
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)

MARK = {
    "base_version": 0,
    "questions": "Why?",
    "error_types": ["salience"],
    "spans": [{"start": 5, "end": 9, "quote": "left"}],
}


def sent(calls: list[Callable[[Client], Any]], user: Any) -> list[Any]:
    """The answers to one person's calls from browsers that send at the same moment."""

    def from_browser(call: Callable[[Client], Any]) -> Callable[[], Any]:
        client = Client()
        client.force_login(user)
        return lambda: call(client)

    return at_once([from_browser(call) for call in calls])


@pytest.fixture
def task() -> Any:
    return make_annotate_task()


def put(task: Any, key: uuid.UUID, **changes: Any) -> Callable[[Client], Any]:
    url = f"/api/v1/tasks/{task.key}/marks/{key}/"
    return lambda client: client.put(url, json.dumps(MARK | changes), content_type="application/json")


def test_the_same_send_eight_times_at_once_makes_one_mark(task: Any) -> None:
    answers = sent([put(task, uuid.uuid4())] * 8, task.annotator.user)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.content for answer in answers}) == 1
    assert Annotation.objects.count() == 1
    assert AnnotationSet.objects.get().version == 1


def test_eight_marks_at_once_are_all_stored_with_versions_of_their_own(task: Any) -> None:
    answers = sent([put(task, uuid.uuid4()) for _ in range(8)], task.annotator.user)
    assert [answer.status_code for answer in answers] == [201] * 8
    assert sorted(answer.json()["version"] for answer in answers) == list(range(1, 9))
    assert Annotation.objects.count() == 8


def test_of_eight_edits_of_one_version_one_wins_and_the_others_hear_of_it(task: Any) -> None:
    key = uuid.uuid4()
    sent([put(task, key)], task.annotator.user)
    edits = [put(task, key, base_version=1, questions=f"Question {number}?") for number in range(8)]
    answers = sent(edits, task.annotator.user)
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    (winner,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert Annotation.objects.get().questions == winner["questions"]
    losers = [answer.json() for answer in answers if answer.status_code == 409]
    assert {loser["current"]["questions"] for loser in losers} == {winner["questions"]}


def test_a_save_that_meets_a_submission_is_in_it_or_refused(task: Any) -> None:
    sent([put(task, uuid.uuid4())], task.annotator.user)
    submit = f"/api/v1/tasks/{task.key}/marks/submit/"
    calls: list[Callable[[Client], Any]] = [put(task, uuid.uuid4()) for _ in range(4)]
    calls.insert(2, lambda client: client.post(submit, "{}", content_type="application/json"))
    answers = sent(calls, task.annotator.user)
    stored = sum(answer.status_code == 201 for answer in answers)
    assert {answer.status_code for answer in answers} <= {200, 201, 409}
    assert AnnotationSet.objects.get().state == AnnotationSet.State.SUBMITTED
    assert Annotation.objects.count() == 1 + stored
    assert len(answers[2].json()["annotations"]) == 1 + stored
