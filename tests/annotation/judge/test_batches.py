"""A judge by batch: every sentence of a summary in one batch, what can't be read asked again at once."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from booookweb.models import Role
from summarizer.batches.watching import watch
from summarizer.models import Job, JobItem
from summarizer.services.prompt_sets import load_prompt_set
from tests.annotation.judge.conftest import run
from tests.annotation.judge.test_command import CLEAN, WHO, judge
from tests.factories import make_user
from tests.llm_server import LLMServer, judged_sentence

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looked_at_always(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.BATCH_POLL_SECONDS = 0.0
    monkeypatch.setattr("summarizer.jobs.waiting.WORKER_TAKES_SECONDS", 0.0)
    monkeypatch.setattr("summarizer.jobs.waiting.SECONDS_BETWEEN", 0.02)


def test_the_command_judges_by_batch(llm_server: LLMServer, endpoint, summary) -> None:
    llm_server.script(lambda request: WHO if judged_sentence(request.prompt) == "Emma left." else CLEAN)
    printed = judge("--summary", summary.pk, "--endpoint", "scripted", "--batch", "--wait")
    row = {"summary": summary.pk, "sentences": 4, "confused": 2, "unparsed": 0, "score": 0.5}
    assert (printed["state"], printed["summaries"]) == ("done", [row])
    assert [len(batch.lines) for batch in llm_server.batches.made] == [4]
    assert (llm_server.calls, llm_server.highest_open) == (4, 0)


def test_an_answer_that_cannot_be_read_is_asked_again_at_once(llm_server: LLMServer, endpoint, launch, summary) -> None:
    llm_server.script(lambda request: "banana" if request.number == 1 else CLEAN)
    job = launch(endpoint, summary, run="batch").job
    run(job)
    watch()
    run(job)
    assert job.items.get().state == "done"
    assert len(llm_server.batches.made) == 1
    assert llm_server.calls == 5


def test_the_plan_of_a_judge_by_batch(llm_server: LLMServer, endpoint, summary) -> None:
    endpoint.price_prompt = endpoint.price_completion = 10
    endpoint.save()
    at_once, by_batch = (
        judge("--summary", summary.pk, "--endpoint", "scripted", "--dry-run", *how) for how in ([], ["--batch"])
    )
    assert by_batch["cost_usd"] == pytest.approx(at_once["cost_usd"] / 2)
    assert (by_batch["wall_s"], by_batch["rounds"], by_batch["wall_s_at_most"]) == (None, 1, 86_400)


def test_a_job_that_stopped_goes_on_in_the_way_that_is_chosen(llm_server: LLMServer, endpoint, launch, summary) -> None:
    llm_server.batches.ends_as = "expired"
    llm_server.batches.made_before_end = 2
    job = launch(endpoint, summary, run="batch").job
    run(job)
    watch()
    JobItem.objects.update(state="cancelled")
    assert launch(endpoint, summary, run="direct").job == job
    assert Job.objects.get().run == "direct"
    run(job)
    assert job.items.get().state == "done"
    assert llm_server.calls == 4


def test_the_page_launches_a_judge_by_batch(client: Client, endpoint, summary) -> None:
    client.force_login(make_user(Role.ADMIN))
    form = {
        "client_key": "6f4ac0a2-6f43-4a3e-9f3a-0a7c0a6f1f02",
        "offered": [summary.pk],
        "endpoint": endpoint.pk,
        "prompt_set": load_prompt_set("default").pk,
        "temperature": 0,
        "max_answer_tokens": 200,
        "repeat": 1,
        "run": "batch",
    }
    text = " ".join(client.post(reverse("annotation:judge-plan"), form).content.decode().split())
    assert "<dt>Time</dt><dd>up to 24 hours</dd>" in text
    client.post(reverse("annotation:judge-launch"), form)
    assert Job.objects.get().run == "batch"
