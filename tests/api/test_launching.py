"""Launching over the API: the plan of a dry run, and that nothing is launched or paid twice."""

import uuid
from decimal import Decimal

import pytest
from django.test import Client

from annotation.models import Annotator, Study
from annotation.services.studies import add_summaries, create_study
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Endpoint, Job, LLMCall, PromptSet, System
from summarizer.services.books import add_book
from summarizer.services.prompt_sets import load_prompt_set
from tests.api.clients import program
from tests.at_once import at_once
from tests.factories import make_summary

pytestmark = pytest.mark.django_db
#: For tests that run jobs: the ledger writes through a connection of its own.
runs_jobs = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The items for which a message was sent; none reaches a broker."""
    items = []
    monkeypatch.setattr(queue, "send", items.extend)
    return items


@pytest.fixture
def book():
    text = "The mill begins. " + " ".join(f"On day {day} Emma rowed to Rolf." for day in range(60))
    return add_book(data=text.encode(), filename="mill.txt")


def launch(book, **values):
    key = str(uuid.uuid4())
    return {"books": [book.pk], "endpoint": "extractive", "chunk_size": 200, "idempotency_key": key, **values}


def llm():
    return Endpoint.objects.create(
        name="priced",
        base_url="http://127.0.0.1:9/v1",
        model="m",
        price_prompt=Decimal(10),
        price_completion=Decimal(20),
    )


def test_a_dry_run_says_calls_and_cost_and_stores_nothing(book):
    llm()
    owner = program()
    answer = owner.post("jobs/summarize/", books=[book.pk], endpoint="priced", chunk_size=200, dry_run=True)
    plan = answer["plan"]
    assert answer["job"] is None
    assert plan["can_launch"] is True
    assert plan["calls"] == plan["items"][0]["calls"] > 3
    expected = (plan["prompt_tokens"] * 10 + plan["completion_tokens"] * 20) / 1_000_000
    assert plan["cost_usd"] == pytest.approx(expected)
    assert not System.objects.exists()
    assert not Job.objects.exists()


@runs_jobs
def test_a_repeated_request_gives_the_same_job_and_launches_nothing(book, sent):
    owner = program()
    wanted = launch(book)
    job = owner.post("jobs/summarize/", status=201, **wanted)["job"]
    again = owner.post("jobs/summarize/", status=200, **wanted)["job"]
    assert (job["state"], again["id"]) == ("queued", job["id"])
    stored = Job.objects.get()
    assert (stored.launched_by, str(stored.client_key)) == (owner.user, wanted["idempotency_key"])
    assert sent == [stored.items.get().pk]
    run_item(stored.items.get().pk)
    done = owner.post("jobs/summarize/", status=200, **wanted)["job"]
    assert (done["state"], done["items"][0]["made"]) == ("done", book.summaries.get().pk)
    assert Job.objects.count() == 1


def test_the_same_request_gives_the_same_job_after_it_was_retried_with_another_budget(book):
    llm()
    owner = program()
    wanted = launch(book, endpoint="priced", budget_usd="1.50")
    job = owner.post("jobs/summarize/", status=201, **wanted)["job"]
    path = f"jobs/{job['id']}/action/"
    owner.post(path, action="cancel")
    assert owner.post(path, action="retry", budget_usd="7")["budget_usd"] == 7
    again = owner.post("jobs/summarize/", status=200, **{**wanted, "budget_usd": 1.5, "plan_digest": "of another plan"})
    assert (again["job"]["id"], again["job"]["budget_usd"]) == (job["id"], 7)
    refused = owner.post("jobs/summarize/", status=409, **{**wanted, "budget_usd": "7"})
    assert (refused["code"], f"job {job['id']} already, with something else" in refused["detail"]) == ("conflict", True)
    # Whatever has changed about what it named: sections, prices, the endpoint itself.
    Endpoint.objects.filter(name="priced").update(name="renamed", model="other")
    assert owner.post("jobs/summarize/", status=200, **wanted)["job"]["id"] == job["id"]
    assert Job.objects.count() == 1


@runs_jobs
@pytest.mark.parametrize("kind", ["summarize", "judge"])
def test_identical_launches_at_once_make_one_job(book, sent, kind):
    owner = program()
    wanted = launch(book) if kind == "summarize" else judge(summaries=[make_summary().pk])
    wanted.pop("study", None)

    def send():
        client = Client(headers={"authorization": f"Bearer {owner.secret}"})
        answer = client.post(f"/api/v1/jobs/{kind}/", wanted, content_type="application/json")
        return answer.status_code, answer.json()["job"]["id"]

    load_prompt_set("default")
    answers = at_once([send] * 4)
    job = Job.objects.get()
    assert {found for _, found in answers} == {job.pk}
    assert {status for status, _ in answers} <= {200, 201}
    assert sent == [job.items.get().pk]


@pytest.mark.parametrize(
    "other", [{"chunk_size": 300}, {"strategy": "incremental"}, {"budget_usd": "1"}, {"books": []}, {"cleaned": True}]
)
def test_a_key_that_launched_something_else_is_a_conflict(book, other):
    llm()
    owner, second = program(), add_book(data=b"Another text. It ends.", filename="x.txt")
    wanted = launch(book, endpoint="priced")
    owner.post("jobs/summarize/", status=201, **wanted)
    if "books" in other:
        other = {"books": [second.pk]}
    refused = owner.post("jobs/summarize/", status=409, **{**wanted, **other})
    assert refused["code"] == "conflict"
    assert "launched job" in refused["detail"]
    program().post("jobs/summarize/", status=409, **wanted)  # the key of somebody else
    owner.post("jobs/judge/", status=409, summaries=[1], endpoint="rules", idempotency_key=wanted["idempotency_key"])
    assert Job.objects.count() == 1


def test_without_a_key_nothing_is_launched(book):
    wanted = launch(book)
    del wanted["idempotency_key"]
    refused = program().post("jobs/summarize/", status=400, **wanted)
    assert "idempotency_key" in refused["detail"]
    assert not Job.objects.exists()


@runs_jobs
def test_what_is_being_made_or_made_is_refused_under_another_key(book):
    owner = program()
    job = owner.post("jobs/summarize/", status=201, **launch(book))["job"]
    refused = owner.post("jobs/summarize/", status=409, **launch(book))
    assert f"Job {job['id']} is making this summary already" in refused["detail"]
    run_item(Job.objects.get().items.get().pk)
    assert "a summary by this system already" in owner.post("jobs/summarize/", status=409, **launch(book))["detail"]
    plan = owner.post("jobs/summarize/", **launch(book, dry_run=True))["plan"]
    assert plan["can_launch"] is False
    assert plan["items"][0]["summary"] == book.summaries.get().pk


def test_an_existing_system_is_launched_by_its_number_alone(book):
    owner = program()
    owner.post("jobs/summarize/", status=201, **launch(book))
    system = System.objects.get()
    second = add_book(data=b"Another text. It ends.", filename="x.txt")
    wanted = {"books": [second.pk], "system": system.pk, "idempotency_key": str(uuid.uuid4())}
    owner.post("jobs/summarize/", status=201, **wanted)
    assert System.objects.count() == 1
    assert "not both" in owner.post("jobs/summarize/", status=400, **wanted, chunk_size=300)["detail"]


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"books": []}, 400),
        ({"books": [10**30]}, 400),
        ({"books": [987654321]}, 404),
        ({"endpoint": "nothing"}, 400),
        ({"endpoint": "rules"}, 400),
        ({"prompt_set": 987654321}, 404),
        ({"system": 987654321, "endpoint": None}, 400),
        ({"chunk_size": 1}, 400),
        ({"temperature": "nan"}, 400),
        ({"temperature": 3}, 400),
        ({"budget_usd": "-1"}, 400),
        ({"budget_usd": "1"}, 409),  # the baseline has no prices
        ({"run": "batch"}, 409),
        ({"run": "\ud800"}, 400),  # the answer quotes it
        ({"idempotency_key": "x"}, 400),
        ({"plan_digest": "of another plan"}, 409),
    ],
)
def test_what_cannot_be_launched_is_refused_in_words(book, values, status):
    if "budget_usd" in values and status == 409:
        Endpoint.objects.create(name="unpriced", base_url="http://127.0.0.1:9/v1", model="m")
        values = {**values, "endpoint": "unpriced"}
    refused = program().post("jobs/summarize/", status=status, **launch(book, **values))
    assert len(refused["detail"]) > 10
    assert not Job.objects.exists()


def test_no_prompt_set_is_read_from_a_folder_of_the_server(book):
    program().post("jobs/summarize/", status=400, **launch(book, prompt_set="/etc"))
    assert not PromptSet.objects.filter(name="etc").exists()


@runs_jobs
def test_a_job_is_paused_resumed_cancelled_and_retried(book):
    owner = program()
    job = owner.post("jobs/summarize/", status=201, **launch(book))["job"]
    path = f"jobs/{job['id']}/action/"
    assert owner.post(path, action="pause")["state"] == "paused"
    assert owner.post(path, action="resume")["state"] == "queued"
    assert owner.post(path, action="cancel")["state"] == "cancelled"
    assert owner.post(path, status=409, action="pause")["code"] == "job"
    assert owner.post(path, action="retry")["state"] == "queued"
    run_item(Job.objects.get().items.get().pk)
    assert "Nothing of this job" in owner.post(path, status=409, action="retry")["detail"]
    assert "retry only" in owner.post(path, status=400, action="pause", run="batch")["detail"]
    owner.post(path, status=400, action="explode")


def test_a_researcher_launches_and_steers_nothing(book):
    job = program().post("jobs/summarize/", status=201, **launch(book))["job"]
    researcher = program("researcher")
    researcher.post("jobs/summarize/", status=403, **launch(book))
    researcher.post("jobs/judge/", status=403)
    researcher.post(f"jobs/{job['id']}/action/", status=403, action="cancel")
    assert researcher.get(f"jobs/{job['id']}/")["state"] == "queued"


# --- judges ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def study():
    study = create_study(name="pilot")
    add_summaries(study=study, summaries=[make_summary(), make_summary("Mia sailed.")])
    return study


def judge(**values):
    return {"study": "pilot", "endpoint": "rules", "idempotency_key": str(uuid.uuid4()), **values}


@runs_jobs
def test_a_judge_is_planned_launched_once_and_counts_in_the_study(study):
    owner = program()
    plan = owner.post("jobs/judge/", **judge(dry_run=True))["plan"]
    assert [item["calls"] for item in plan["items"]] == [2, 1]
    assert not Annotator.objects.filter(kind="judge").exists()
    wanted = judge()
    job = owner.post("jobs/judge/", status=201, **wanted)["job"]
    assert owner.post("jobs/judge/", status=200, **wanted)["job"]["id"] == job["id"]
    assert owner.post("jobs/judge/", status=409, **{**wanted, "repeat": 2})["code"] == "conflict"
    assert Study.objects.get().judges.count() == 1
    for item in Job.objects.get().items.all():
        run_item(item.pk)
    assert owner.post("jobs/judge/", status=200, **wanted)["job"]["state"] == "done"
    # Under another key: everything is marked, so nothing runs and nothing is paid.
    assert owner.post("jobs/judge/", status=200, **judge()) == {"plan": None, "job": None}
    assert Job.objects.count() == 1


def test_more_summaries_than_a_key_launched_are_another_launch(study):
    owner, first = program(), study.summaries.order_by("pk")[0]
    wanted = judge(summaries=[first.pk])
    job = owner.post("jobs/judge/", status=201, **wanted)["job"]
    more = [each.pk for each in study.summaries.order_by("pk")]
    refused = owner.post("jobs/judge/", status=409, **{**wanted, "summaries": more})
    assert "launched job" in refused["detail"]
    assert owner.post("jobs/judge/", status=200, **wanted)["job"]["id"] == job["id"]
    assert [item["summary"] for item in job["items"]] == [first.pk]


def test_a_study_that_grew_makes_the_same_request_no_other_one(study):
    owner, wanted = program(), judge()
    job = owner.post("jobs/judge/", status=201, **wanted)["job"]
    add_summaries(study=study, summaries=[make_summary("Ada swam.")])
    assert owner.post("jobs/judge/", status=200, **wanted)["job"]["id"] == job["id"]


def test_a_launch_that_goes_on_with_a_stopped_job_is_remembered_too(study):
    """Sent again, it neither runs the job once more nor says that something else is at it."""
    llm()
    owner, first = program(), judge(endpoint="priced")
    job = owner.post("jobs/judge/", status=201, **first)["job"]
    stopped = Job.objects.get()
    for item in stopped.items.all():
        LLMCall.objects.create(item=item, step="s", key=str(item.pk), endpoint=stopped.endpoint, state="done")
    owner.post(f"jobs/{job['id']}/action/", action="cancel")
    second = judge(endpoint="priced", budget_usd="3")
    assert owner.post("jobs/judge/", status=201, **second)["job"]["id"] == job["id"]
    owner.post(f"jobs/{job['id']}/action/", action="cancel")
    again = owner.post("jobs/judge/", status=200, **second)["job"]
    assert (again["id"], again["state"]) == (job["id"], "cancelled")
    assert owner.post("jobs/judge/", status=200, **first)["job"]["id"] == job["id"]
    owner.post("jobs/judge/", status=409, **{**second, "budget_usd": "4"})
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"study": "nothing"}, 404),
        ({"summaries": [987654321]}, 404),
        ({"system": 987654321}, 404),
        ({"endpoint": "extractive"}, 409),
        ({"mode": "batch"}, 409),
        ({"repeat": 0}, 400),
        ({"summaries": [1], "system": 1}, 400),
    ],
)
def test_what_cannot_be_judged_is_refused_in_words(study, values, status):
    refused = program().post("jobs/judge/", status=status, **judge(**values))
    assert len(refused["detail"]) > 10
    assert not Job.objects.exists()


def test_named_summaries_of_no_study_are_judged(study):
    summary = make_summary()
    wanted = judge(summaries=[summary.pk])
    del wanted["study"]
    job = program().post("jobs/judge/", status=201, **wanted)["job"]
    assert [item["summary"] for item in job["items"]] == [summary.pk]
    refused = program().post("jobs/judge/", status=409, **judge(summaries=[summary.pk], repeat=2))
    assert "Not in the study" in refused["detail"]
