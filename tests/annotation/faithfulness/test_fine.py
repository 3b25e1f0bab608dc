"""Judging units over the API: drafts with versions, evidence that is really in the source, submit and take back."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.faithfulness.plans import close_plan
from annotation.models import Assignment, Evidence, Study, UnitHints, UnitJudgement
from tests.factories import make_coarse_task, make_fine_task, make_user
from tests.sources import CONTENTS_END, SOURCE, another_summary, checked_summary

pytestmark = pytest.mark.django_db

TEXT = "Emma left the mill at dawn. Rolf stayed behind in the boathouse."
LEFT = SOURCE.index("She left it")
PLACE = {"start": LEFT, "end": LEFT + 11, "quote": "She left it", "hint_rank": None}


@pytest.fixture
def task(client: Client) -> Assignment:
    task = make_fine_task(checked_summary(TEXT))
    client.force_login(task.annotator.user)
    return task


def api(task: Assignment, name: str, *position: int) -> str:
    return reverse(f"annotation-api:{name}", args=[task.key, *position])


def put(client: Client, task: Assignment, position: int = 0, base: int = 0, **content: Any) -> Any:
    body = {"base_version": base, "supported": True, "comment": "", "evidence": [], **content}
    return client.put(api(task, "fine-judgement", position), body, content_type="application/json")


def post(client: Client, task: Assignment, name: str, *position: int, **body: Any) -> Any:
    return client.post(api(task, name, *position), body, content_type="application/json")


def test_a_judgement_is_kept_and_a_repeated_send_changes_nothing(client: Client, task: Assignment) -> None:
    for _ in range(2):
        answer = put(client, task, evidence=[PLACE], comment=" at dawn ")
        assert answer.status_code == 200
        assert answer.json() == {
            "key": "0",
            "supported": True,
            "comment": " at dawn ",
            "evidence": [PLACE],
            "active_seconds": 0,
            "hints_viewed": 0,
            "version": 1,
        }
    judgement = UnitJudgement.objects.get()
    assert judgement.judged_at is not None
    state = client.get(api(task, "fine")).json()
    assert [each["version"] for each in state["judgements"]] == [1, 0]
    assert (state["state"], state["editable"], state["reopenable"]) == ("open", True, False)


def test_a_change_of_what_was_changed_elsewhere_gets_what_is_stored(client: Client, task: Assignment) -> None:
    put(client, task, evidence=[PLACE])
    answer = put(client, task, supported=False)
    assert answer.status_code == 409
    assert answer.json()["code"] == "conflict"
    assert answer.json()["current"]["evidence"] == [PLACE]
    assert put(client, task, base=1, supported=False).json()["version"] == 2
    assert not Evidence.objects.exists()
    assert put(client, task, base=2, supported=None).json()["supported"] is None
    assert UnitJudgement.objects.get().judged_at is None


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ({"quote": "She left at"}, "She left it"),
        ({"start": 0, "end": 8, "quote": "Contents"}, "its section is left out"),
        ({"start": CONTENTS_END - 4, "end": CONTENTS_END + 4, "quote": "wo.\nEmma"}, "its section is left out"),
        ({"start": 500, "end": 505, "quote": "x"}, "its section is left out"),
        ({"start": LEFT - 1, "end": LEFT, "quote": "\n"}, "only white space"),
        ({"end": LEFT}, "must end after its start"),
    ],
)
def test_evidence_has_to_be_in_the_source(client: Client, task: Assignment, place: dict, why: str) -> None:
    answer = put(client, task, evidence=[PLACE | place])
    assert answer.status_code == 400
    assert why in answer.json()["detail"]
    assert not UnitJudgement.objects.exists()


def test_evidence_belongs_to_what_is_supported(client: Client, task: Assignment) -> None:
    assert put(client, task, supported=False, evidence=[PLACE]).status_code == 400
    assert put(client, task, evidence=[PLACE, PLACE]).status_code == 400
    assert put(client, task, position=9).status_code == 400


@pytest.mark.parametrize("answer", ["yes", "true", "null", 1, 0, [True]])
def test_an_answer_is_true_or_false_and_nothing_like_it(client: Client, task: Assignment, answer: Any) -> None:
    refused = put(client, task, supported=answer, evidence=[PLACE])
    assert (refused.status_code, refused.json()["detail"]) == (400, "supported: Must be a valid boolean.")
    assert not UnitJudgement.objects.exists()


def test_submitting_says_what_is_missing_and_can_be_taken_back(client: Client, task: Assignment) -> None:
    put(client, task)
    answer = post(client, task, "fine-submit")
    assert (answer.status_code, answer.json()["missing"]) == (400, ["0", "1"])
    put(client, task, base=1, evidence=[PLACE])
    put(client, task, position=1, supported=False)
    Study.objects.update(pay_per_unit="0.15")
    tasks = client.get(reverse("annotation:tasks")).content.decode()
    assert "$0.15 for each statement." in tasks
    assert "All of these are done" not in tasks
    assert post(client, task, "fine-submit").json()["state"] == "submitted"
    assert "All of these are done" in client.get(reverse("annotation:tasks")).content.decode()
    assert post(client, task, "fine-submit").status_code == 200
    assert put(client, task, base=2, supported=False).json()["code"] == "submitted"
    assert post(client, task, "fine-reopen").json()["editable"] is True
    assert put(client, task, base=2, supported=False).status_code == 200


def test_evidence_can_be_optional(client: Client) -> None:
    task = make_fine_task(checked_summary("Emma left."), evidence_required=False)
    client.force_login(task.annotator.user)
    put(client, task)
    assert post(client, task, "fine-submit").status_code == 200


def test_a_closed_plan_takes_nothing(client: Client, task: Assignment) -> None:
    put(client, task, evidence=[PLACE])
    close_plan(plan=task.study.faithfulness)
    refused = put(client, task, base=1, supported=False)
    assert (refused.status_code, refused.json()["code"]) == (409, "closed")
    assert refused.json()["detail"].startswith("The study has stopped taking answers. What was saved before is kept")
    for name in ("fine-submit", "fine-reopen"):
        assert post(client, task, name).json()["code"] == "closed"
    assert UnitJudgement.objects.get().supported is True
    state = client.get(api(task, "fine")).json()
    assert (state["state"], state["editable"], state["reopenable"]) == ("skipped", False, False)
    assert state["judgements"][0]["supported"] is True


def test_what_a_closed_plan_asked_stays_among_the_tasks_as_ended(client: Client, task: Assignment) -> None:
    put(client, task, evidence=[PLACE])
    other = make_coarse_task(another_summary("Nobody left.", task.only_summary))
    Assignment.objects.filter(pk=other.pk).update(annotator=task.annotator)
    close_plan(plan=task.study.faithfulness)
    shown = " ".join(client.get(reverse("annotation:tasks")).content.decode().split())
    assert shown.index("Rate summaries against the book") < shown.index("Check statements against the book")
    assert "The study has stopped taking answers here. You submitted 0 of 1; what you saved in the others" in shown
    assert '<span class="badge muted">Ended</span> <span class="number">1 of 2</span>' in shown
    assert client.get(reverse("annotation:fine", args=[task.key])).status_code == 200
    client.force_login(make_user())
    assert client.get(reverse("annotation:fine", args=[task.key])).status_code == 404


def test_a_task_that_was_taken_from_a_person_is_not_shown_while_the_plan_is_open(
    client: Client, task: Assignment
) -> None:
    Assignment.objects.update(state="skipped", ended_at=task.created_at)
    assert client.get(reverse("annotation:fine", args=[task.key])).status_code == 404
    assert "Check statements" not in client.get(reverse("annotation:tasks")).content.decode()


def test_time_of_a_unit_is_added_once_and_hints_only_grow(client: Client, task: Assignment) -> None:
    sent = {"known_seconds": 0, "total_seconds": 12, "hints_viewed": 3}
    for _ in range(2):
        answer = post(client, task, "fine-active-time", 1, **sent).json()
        assert answer == {"active_seconds": 12, "hints_viewed": 3}
    later = post(client, task, "fine-active-time", 1, known_seconds=12, total_seconds=20, hints_viewed=1)
    assert later.json() == {"active_seconds": 20, "hints_viewed": 3}
    judgement = UnitJudgement.objects.get()
    assert (judgement.version, judgement.supported, judgement.sampled.position) == (0, None, 1)


def test_hints_are_made_once_for_all_and_only_where_they_are_shown(client: Client, task: Assignment) -> None:
    hints = client.get(api(task, "fine-hints")).json()["hints"]
    assert hints.keys() == {"0", "1"}
    texts = {key: [SOURCE[start:end] for start, end in places] for key, places in hints.items()}
    assert {text.split()[0] for text in texts["0"][:2]} == {"Emma", "She"}
    assert texts["1"][0] == "Rolf stayed in the boathouse."
    assert not any("Contents" in text for text in [*texts["0"], *texts["1"]])
    UnitHints.objects.update(places=[[LEFT, LEFT + 3]])
    assert client.get(api(task, "fine-hints")).json()["hints"]["1"] == [[LEFT, LEFT + 3]]
    UnitHints.objects.update(asked="another unit")
    assert client.get(api(task, "fine-hints")).json()["hints"] == hints

    task.unit_sample.hints_shown = False
    task.unit_sample.save()
    assert client.get(api(task, "fine-hints")).status_code == 400


def test_the_page_shows_texts_and_nothing_of_where_they_are_from(client: Client, task: Assignment) -> None:
    other = another_summary("Nobody left.", task.summary)
    page = client.get(reverse("annotation:fine", args=[task.key])).content.decode()
    assert "She left it at dawn, \N{DROPLET} and café Zoe\u0308 was closed." in page
    assert "&lt;b&gt;Nobody&lt;/b&gt; called." in page
    assert "One. Two." not in page
    assert "Left out here: Contents" in page
    for summary in (task.summary, other):
        assert summary.system.name not in page
    assert task.annotator.pseudonym not in page
    assert task.study.name not in page


def test_nobody_else_reaches_the_task(client: Client, task: Assignment) -> None:
    client.force_login(make_user())
    assert client.get(reverse("annotation:fine", args=[task.key])).status_code == 404
    assert put(client, task).status_code == 404
    assert client.get(api(task, "fine-hints")).status_code == 404


def test_a_place_is_of_a_hint_only_if_it_is_that_hint(client: Client, task: Assignment) -> None:
    first, second = client.get(api(task, "fine-hints")).json()["hints"]["0"][:2]

    def place(hint: list[int], rank: int) -> dict[str, Any]:
        return {"start": hint[0], "end": hint[1], "quote": SOURCE[hint[0] : hint[1]], "hint_rank": rank}

    for wrong in (place(first, 2), place(first, 10), PLACE | {"hint_rank": 1}):
        answer = put(client, task, evidence=[wrong])
        assert (answer.status_code, "not the hint" in answer.json()["detail"]) == (400, True)
    assert put(client, task, evidence=[place(second, 2), PLACE]).status_code == 200


def test_a_task_without_hints_takes_none(client: Client) -> None:
    task = make_fine_task(checked_summary(TEXT), hints_shown=False)
    client.force_login(task.annotator.user)
    answer = put(client, task, evidence=[PLACE | {"hint_rank": 1}])
    assert (answer.status_code, answer.json()["detail"]) == (400, "This task is done without hints.")


@pytest.mark.parametrize(("make", "how"), [(make_fine_task, "How to check"), (make_coarse_task, "How to rate")])
def test_the_guidelines_of_a_check_say_how_and_nothing_about_marking(client: Client, make: Any, how: str) -> None:
    task = make(checked_summary(TEXT))
    client.force_login(task.annotator.user)
    shown = client.get(reverse("annotation:guidelines", args=[task.key])).content.decode()
    assert how in shown
    assert "look it up" not in shown
    Study.objects.update(guidelines="Numbers in **words** count too.")
    shown = client.get(reverse("annotation:guidelines", args=[task.key])).content.decode()
    assert how in shown
    assert "Guidelines of the study</h2><p>Numbers in <strong>words</strong>" in shown
