"""Rating summaries over the API: drafts, the scale, and the second look at all ratings of a book."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Rating
from tests.factories import make_coarse_task
from tests.sources import another_summary, checked_summary

pytestmark = pytest.mark.django_db

THESE = "Choose a whole number from 1 to 5."
ANY = "value: Choose a whole number on the scale of this task."


@pytest.fixture
def tasks(client: Client) -> tuple[Assignment, Assignment]:
    """One person's tasks on the two summaries of a book."""
    summary = checked_summary("Emma left.")
    first = make_coarse_task(summary, another_summary("Nobody left.", summary), scale="1-5")
    summary = first.study.summaries.exclude(pk=first.summary_id).get()
    second = Assignment.objects.create(
        key=uuid.uuid4(), study=first.study, annotator=first.annotator, task="coarse", summary=summary, order=1
    )
    client.force_login(first.annotator.user)
    return first, second


def put(client: Client, task: Assignment, value: int | None, base: int = 0, comment: str = "") -> Any:
    body = {"base_version": base, "value": value, "comment": comment}
    return client.put(reverse("annotation-api:coarse-rating", args=[task.key]), body, content_type="application/json")


def change(client: Client, task: Assignment, rated: uuid.UUID, value: int, base: int) -> Any:
    body = {"base_version": base, "value": value, "comment": ""}
    address = reverse("annotation-api:coarse-recalibration", args=[task.key, rated])
    return client.put(address, body, content_type="application/json")


def act(client: Client, task: Assignment, name: str, **body: Any) -> Any:
    address = reverse(f"annotation-api:coarse-{name}", args=[task.key])
    return client.post(address, body, content_type="application/json")


def test_a_rating_is_a_draft_until_it_is_submitted(client: Client, tasks: tuple[Assignment, Assignment]) -> None:
    task, _ = tasks
    assert act(client, task, "submit").json()["code"] == "incomplete"
    assert put(client, task, None, comment="hm").json()["version"] == 1
    assert act(client, task, "submit").status_code == 400
    assert put(client, task, 4, base=1, comment="hm").json()["value"] == 4
    assert put(client, task, 4, base=1, comment="hm").json()["version"] == 2
    answer = put(client, task, 2, base=1)
    assert (answer.status_code, answer.json()["current"]["value"]) == (409, 4)
    submitted = act(client, task, "submit").json()
    assert (submitted["state"], submitted["together"]) == ("submitted", False)
    assert put(client, task, 2, base=2).json()["code"] == "submitted"
    assert act(client, task, "reopen").json()["editable"] is True


@pytest.mark.parametrize(
    ("value", "why"),
    [*((value, THESE) for value in (0, 6)), *((value, ANY) for value in (101, -1, 2.5, 4.0, "4", True))],
)
def test_only_what_is_on_the_scale_is_taken(
    client: Client, tasks: tuple[Assignment, Assignment], value: Any, why: str
) -> None:
    answer = put(client, tasks[0], value)
    assert (answer.status_code, answer.json()["detail"]) == (400, why)
    assert not Rating.objects.exists()


def test_after_the_last_summary_of_a_book_its_ratings_can_be_changed_together(
    client: Client, tasks: tuple[Assignment, Assignment]
) -> None:
    first, second = tasks
    page = reverse("annotation:coarse-together", args=[first.key])
    put(client, first, 4)
    act(client, first, "submit")
    assert client.get(page).status_code == 302
    assert change(client, first, first.key, 2, 1).json()["code"] == "closed"
    put(client, second, 3)
    assert act(client, second, "submit").json()["together"] is True

    shown = client.get(page).content.decode()
    assert "Emma left." in shown
    assert "Nobody left." in shown
    assert not any(task.summary.system.name in shown for task in tasks)
    assert change(client, second, first.key, 2, 1).json() | {"active_seconds": 0} == {
        "key": str(first.key),
        "value": 2,
        "comment": "",
        "first_value": 4,
        "active_seconds": 0,
        "version": 2,
    }
    assert change(client, second, first.key, 5, 2).json()["first_value"] == 4
    assert change(client, second, first.key, 1, 2).status_code == 409
    assert change(client, second, uuid.uuid4(), 1, 0).status_code == 404
    ratings = {rating.assignment_id: rating for rating in Rating.objects.all()}
    assert ratings[first.pk].recalibrated_at is not None
    assert (ratings[second.pk].first_value, ratings[second.pk].recalibrated_at) == (None, None)


def test_time_is_added_once(client: Client, tasks: tuple[Assignment, Assignment]) -> None:
    for _ in range(2):
        answer = act(client, tasks[0], "active-time", known_seconds=0, total_seconds=30)
        assert answer.json() == {"active_seconds": 30}
    assert Rating.objects.get().value is None


def test_the_page_shows_the_scale_in_words_and_nothing_of_the_system(
    client: Client, tasks: tuple[Assignment, Assignment]
) -> None:
    task, _ = tasks
    page = client.get(reverse("annotation:coarse", args=[task.key])).content.decode()
    assert page.count('type="radio"') == 5
    assert "Almost all" in page
    assert "supported by the source" in page
    assert task.summary.system.name not in page
    assert task.annotator.pseudonym not in page


def test_a_scale_to_a_hundred_is_a_number(client: Client) -> None:
    task = make_coarse_task(checked_summary("Emma left."), scale="0-100")
    client.force_login(task.annotator.user)
    page = client.get(reverse("annotation:coarse", args=[task.key])).content.decode()
    assert 'type="radio"' not in page
    assert 'max="100"' in page
    assert put(client, task, 73).json()["value"] == 73
