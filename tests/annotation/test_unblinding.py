"""Opening the sources of a study under review: who may, what it ends, and what nobody sees before."""

import io
import json
import uuid

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Annotator, ReviewDecision, Study, Unblinding
from annotation.services.studies import add_member, fill_free_tasks
from booookweb.models import Role
from scoring.report import build_report
from scoring.report.writing import report_json, report_text
from tests.factories import make_user
from tests.world import make_task, make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """A study under review."""
    world = make_world()
    world.study.unblinding.delete()
    return world


@pytest.fixture
def researcher(client):
    client.force_login(make_user(Role.RESEARCHER, name="grace"))
    return client


def unblind(client, world, **fields):
    return client.post(reverse("annotation:study-unblind", args=[world.study.name]), {"reason": "All is in.", **fields})


def pages_of_sources(world):
    study, pk = world.study.name, world.summary.pk
    return [
        reverse("scoring:dashboard", args=[study]),
        reverse("scoring:report", args=[study]),
        reverse("scoring:chart", args=[study, "precision", "csv"]),
        reverse("scoring:summary-marks", args=[study, pk]),
    ]


def put(client, task, item, **answer):
    address = reverse("annotation-api:review-decision", args=[task.key, item.key])
    return client.put(address, json.dumps(answer), content_type="application/json")


def test_until_then_nobody_sees_sources_and_the_page_says_why(researcher, world):
    for address in pages_of_sources(world):
        response = researcher.get(address)
        assert (response.status_code, "is under blind review" in response.content.decode()) == (403, True)
    job = researcher.get(reverse("summarizer:job", args=[world.job.pk])).content.decode()
    assert "Hidden until" in job
    assert "sentinel" not in job


def test_a_researcher_unblinds_and_it_is_logged_on_the_page_and_in_the_report(researcher, world):
    assert unblind(researcher, world, reason="The review is <complete>.").status_code == 302
    for address in pages_of_sources(world):
        assert researcher.get(address).status_code == 200
    page = researcher.get(reverse("annotation:study", args=[world.study.name])).content.decode()
    assert "By grace," in page
    assert "The review is &lt;complete&gt;." in page
    logged = Unblinding.objects.get()
    report = build_report(world.study)
    assert report_json(report)["unblinding"] == {
        "at": logged.at.isoformat(),
        "by": Annotator.objects.get(user__username="grace").pseudonym,
        "reason": "The review is <complete>.",
    }
    pseudonym = Annotator.objects.get(user__username="grace").pseudonym
    assert f"unblinded {logged.at:%Y-%m-%d} by {pseudonym}: The review is <complete>." in report_text(report)


def test_closing_opens_the_sources_too_without_an_entry(researcher, world):
    Study.objects.update(phase="closed")
    for address in pages_of_sources(world):
        assert researcher.get(address).status_code == 200
    assert report_json(build_report(world.study))["unblinding"] is None


@pytest.mark.parametrize("kind", ["review", "annotate"])
def test_nobody_with_an_open_task_on_its_summaries_can_do_or_see_it(client, world, kind):
    user = make_user(Role.ADMIN)
    task = make_task(user, kind, world.study)
    Study.objects.update(phase="reviewing")
    if kind == "annotate":  # in another study
        task.study = Study.objects.create(name="other", title="Other", phase="annotating")
        task.save()
    client.force_login(user)
    address = reverse("annotation:study-unblind", args=[world.study.name])
    assert [client.get(address).status_code, unblind(client, world, accept="on").status_code] == [403, 403]
    assert not Unblinding.objects.exists()
    Unblinding.objects.create(study=world.study, by=make_user(name="grace"), reason="All is in.")
    page = client.get(reverse("annotation:study", args=[world.study.name])).content.decode()
    assert "grace" not in page
    assert "All is in." not in page
    for address in pages_of_sources(world):
        assert client.get(address).status_code == 403


def test_annotators_do_not_unblind(client, world):
    client.force_login(make_user())
    assert unblind(client, world).status_code == 403


def test_it_asks_for_a_reason_and_whether_open_tasks_may_end(researcher, world):
    task = make_task(make_user(), "review", world.study)
    assert "Say why" in unblind(researcher, world, reason=" ").content.decode()
    refused = unblind(researcher, world)
    assert (refused.status_code, "1 review task is not submitted" in refused.content.decode()) == (409, True)
    assert not Unblinding.objects.exists()
    assert unblind(researcher, world, accept="on").status_code == 302
    task.refresh_from_db()
    assert task.state == "skipped"
    assert unblind(researcher, world).status_code == 409
    assert Unblinding.objects.count() == 1


@pytest.mark.parametrize("phase", ["setup", "annotating", "closed"])
def test_only_a_study_under_review_is_unblinded(researcher, world, phase):
    Study.objects.update(phase=phase)
    assert unblind(researcher, world).status_code == 409


@pytest.mark.parametrize("submitted", [True, False])
def test_decisions_are_final_from_then_on(researcher, client, world, submitted):
    reviewer = make_user()
    task = make_task(reviewer, "review", world.study)
    ReviewDecision.objects.create(item=world.item, reviewer=task.annotator, agreement="agree")
    if submitted:
        type(task).objects.update(state="submitted", ended_at=task.created_at)
    unblind(researcher, world, accept="on")
    client.force_login(reviewer)
    address = reverse("annotation-api:review", args=[task.key])
    responses = [
        put(client, task, world.item, agreement="disagree"),
        client.delete(reverse("annotation-api:review-decision", args=[task.key, world.item.key])),
        client.get(address),
    ]
    for response in responses:
        assert (response.status_code, response.json()["code"]) == (409, "locked")
        assert "all answers are final" in response.json()["detail"]
    if not submitted:
        assert client.post(f"{address}submit/").status_code == 409
    page = client.get(reverse("annotation:review", args=[task.key])).content.decode()
    assert ("You submitted this review" if submitted else "This review has ended") in page
    assert ReviewDecision.objects.get().agreement == "agree"


def test_no_task_is_given_out_after_it(researcher, world):
    unblind(researcher, world)
    world.study.refresh_from_db()
    add_member(study=world.study, annotator=annotator_of(make_user()), annotates=False)
    assert fill_free_tasks(study=world.study).free == 0
    assert not world.study.assignments.exists()
    page = researcher.get(reverse("annotation:study", args=[world.study.name])).content.decode()
    assert "that nobody has" not in page


def test_an_unknown_task_stays_unknown(client, world):
    client.force_login(make_user())
    assert client.get(reverse("annotation:review", args=[uuid.uuid4()])).status_code == 404


def printed(command, *arguments):
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("command", ["report", "gold"])
def test_the_commands_are_closed_too(world, command):
    with pytest.raises(CommandError, match="is under blind review") as refused:
        printed(command, world.study.name)
    assert "\n" not in str(refused.value)
    world.study.phase = Study.Phase.CLOSED
    world.study.save()
    assert printed(command, world.study.name)


def test_a_command_unblinds_on_request_and_the_report_says_so(researcher, world):
    with pytest.raises(CommandError, match="Say why"):
        printed("report", world.study.name, "--unblind", " ")
    unfinished = make_task(make_user(Role.ANNOTATOR), "review", world.study)
    with pytest.raises(CommandError, match="not submitted"):
        printed("report", world.study.name, "--unblind", "All is in.")
    assert not Unblinding.objects.exists()
    report = printed("report", world.study.name, "--unblind", "All is in.", "--end-unfinished")
    assert (report["unblinding"]["by"], report["unblinding"]["reason"]) == ("command line", "All is in.")
    unfinished.refresh_from_db()
    assert unfinished.state == "skipped"
    assert printed("report", world.study.name)["precision"] == report["precision"]
    page = researcher.get(reverse("annotation:study", args=[world.study.name])).content.decode()
    assert "By somebody at the command line" in page
    with pytest.raises(CommandError, match="unblinded already"):
        printed("report", world.study.name, "--unblind", "Again.")
