"""Answers that are none, refused parameters, 429 storms: what is asked again, how often, and what is kept."""

from collections import Counter
from typing import Any

import pytest

from summarizer.engine.work import StopReason
from summarizer.jobs import claims
from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import retry_job
from summarizer.models import LLMAttempt, LLMCall, Summary
from tests.llm_server import NAMED, LLMServer, Scripted, completion, dropped, error, hanging, rate_limited
from tests.summarizer.engine.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


def attempts(**filters: Any) -> list[LLMAttempt]:
    return list(LLMAttempt.objects.filter(**filters).order_by("call", "number"))


def test_a_cut_off_answer_is_a_failed_attempt_and_never_a_summary(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.then("length", completion("Emma leaves and Rolf follows her."))
    job = launch(endpoint, chunks=1)
    run(job)
    assert Summary.objects.get().text == "Emma leaves and Rolf follows her."
    cut, good = attempts()
    assert (cut.state, cut.failure_kind, cut.finish_reason, cut.reply) == (
        "failed",
        "truncated",
        "length",
        "Emma leaves and Rolf",
    )
    assert (good.state, good.finish_reason) == ("answered", "stop")
    assert llm_server.calls == 2
    # Asked again with a smaller budget, not unchanged.
    assert "99 words" in llm_server.prompts[0]
    assert "98 words" in llm_server.prompts[1]


def test_answers_that_stay_cut_off_fail_the_item_visibly(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.script(lambda request: completion("Emma leaves and", finish_reason="length"))
    job = launch(endpoint, chunks=1, tries=3)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "truncated")
    assert item.error == "chunk 1: The answer was cut off at the token limit."
    assert item.advice
    assert llm_server.calls == 3
    assert not Summary.objects.exists()


@pytest.mark.parametrize(
    ("answer", "kind", "calls"),
    [
        ("null-filter", "filtered", 1),
        ("refusal", "refused", 1),
        ("null-length", "truncated", 3),
        ("empty", "empty", 3),
        ("null", "empty", 3),
        ("no-choices", "malformed", 5),
        ("cut", "malformed", 5),
        ("html", "malformed", 5),
        ("context", "context too long", 1),
        ("500", "transient", 5),
        ("401", "permanent", 1),
        ("404", "permanent", 1),
        ("quota", "quota exhausted", 1),
    ],
)
def test_failures_are_told_apart(llm_server: LLMServer, endpoint, launch, answer: str, kind: str, calls: int) -> None:
    """Filtered and refused prompts are not sent again unchanged; the rest of the book goes on."""
    llm_server.script(lambda request: NAMED[answer]() if "chunk 1." in request.prompt else None)
    job = launch(endpoint, chunks=1)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind, llm_server.calls) == ("failed", kind, calls)
    assert item.spent.failures == {kind: calls}
    assert not Summary.objects.exists()


@pytest.mark.parametrize(
    ("sent", "kept"), [("Emma\0 left.", "Emma left."), ("Emma \ud83d left.", "Emma \ufffd left.")], ids=["NUL", "half"]
)
def test_characters_that_no_database_takes_lose_no_paid_answer(
    llm_server: LLMServer, endpoint, launch, sent: str, kept: str
) -> None:
    cut = completion(sent, finish_reason="length")
    refused = completion(None, refusal=sent)
    llm_server.then(cut, completion(sent), refused, error(400, sent, sent))
    for _ in range(3):
        run(launch(endpoint, chunks=1))
    assert Summary.objects.get().text == kept
    assert [(attempt.failure_kind, attempt.reply) for attempt in attempts()] == [
        ("truncated", kept),
        ("", kept),
        ("refused", kept),
        ("permanent", ""),
    ]


def test_one_refused_chunk_of_many_is_named_and_nothing_is_merged(llm_server: LLMServer, endpoint, launch) -> None:
    refusal = completion(None, refusal="I can't help with that.")
    llm_server.script(lambda request: refusal if "chunk 3." in request.prompt else None)
    job = launch(endpoint, chunks=4, merge=True)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "refused")
    assert item.error == "chunk 3: The model refused to answer: I can't help with that."
    assert llm_server.calls == 4
    assert not any("Merge" in prompt for prompt in llm_server.prompts)
    assert not Summary.objects.exists()

    llm_server.script(lambda request: None)
    from summarizer.jobs.services import retry_job

    assert retry_job(job=job) == 1
    run(job)
    # Only chunk 3 and the merge: 3 + (1 try, then 1) + 1.
    assert llm_server.calls == 6
    assert job_progress(job).state == "done"
    assert Summary.objects.count() == 1


def test_refused_parameters_cost_one_call_each_and_are_remembered(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.refused = {"max_tokens", "temperature"}
    job = launch(endpoint, chunks=10)
    run(job)
    assert job_progress(job).state == "done"
    assert llm_server.calls == 12
    endpoint.refresh_from_db()
    assert endpoint.parameter_replacements == {"max_tokens": "max_completion_tokens", "temperature": None}
    # What was really used stands on every call.
    for call in LLMCall.objects.all():
        assert call.parameters == {"max_tokens": 100, "temperature": 0.5, "sent": {"max_completion_tokens": 100}}
    second = launch(endpoint, chunks=10)
    run(second)
    assert llm_server.calls == 22


def test_a_server_that_knows_only_max_tokens_gets_it(llm_server: LLMServer, endpoint, launch) -> None:
    run(launch(endpoint, chunks=2))
    assert [request.body["max_tokens"] for request in llm_server.requests] == [100, 100]
    assert LLMCall.objects.first().parameters == {"max_tokens": 100, "temperature": 0.5}


def test_a_parameter_without_replacement_stops_the_job_with_its_name(llm_server: LLMServer, endpoint, launch) -> None:
    from tests.llm_server import unsupported

    llm_server.script(lambda request: unsupported("messages"))
    job = launch(endpoint, chunks=10)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind, llm_server.calls) == ("failed", "unsupported parameter", 1)
    assert "messages" in item.error


def test_a_429_storm_is_waited_out_as_the_server_asks(llm_server: LLMServer, endpoint, launch) -> None:
    run(launch(endpoint, chunks=1))  # the endpoint is known to take the parameters
    llm_server.requests.clear()
    llm_server.script(lambda request: rate_limited(retry_after=2) if request.number <= 8 else None)
    job = launch(endpoint, chunks=8)
    run(job)
    assert job_progress(job).state == "done"
    assert llm_server.calls == 16
    first = {request.prompt: request.at for request in llm_server.requests[:8]}
    waits = [request.at - first[request.prompt] for request in llm_server.requests[8:]]
    assert min(waits) >= 2.0
    assert max(waits) - min(waits) > 0.05


def test_a_permanent_429_is_tried_five_times_for_each_chunk(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.script(lambda request: rate_limited())
    job = launch(endpoint, chunks=4)
    run(job)
    assert Counter(llm_server.prompts) == Counter(dict.fromkeys(set(llm_server.prompts), 5))
    assert llm_server.calls == 20
    assert job_progress(job).items[0].error_kind == "rate limited"


def test_lost_answers_are_unknown_and_may_be_billed(llm_server: LLMServer, priced, launch, settings) -> None:
    settings.LLM_TIMEOUT_SECONDS = 0.3
    llm_server.then(dropped(), hanging(5))
    job = launch(priced, chunks=1)
    run(job)
    progress = job_progress(job)
    assert progress.state == "done"
    assert [attempt.state for attempt in attempts()] == ["unknown", "unknown", "answered"]
    assert progress.spent.unknown == 2
    # "Summarize chunk 1. (99 words)" is 5 words for the server, its answer has its own number of them: a cent each.
    answer = Summary.objects.get().text
    assert progress.spent.cost_usd * 100 == 5 + len(answer.split())
    # The two lost ones can have cost at most what they were counted at, with answers of 100 tokens.
    assert progress.spent.possible_usd == sum(attempt.possible_cost_usd for attempt in attempts(state="unknown"))
    assert progress.spent.possible_usd > 2


def test_a_server_that_is_not_there_was_not_billed(endpoint, launch) -> None:
    endpoint.base_url = "http://127.0.0.1:9/v1"
    endpoint.save()
    job = launch(endpoint, chunks=1)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "transient")
    assert {attempt.state for attempt in attempts()} == {"failed"}
    assert len(attempts()) == 5


def test_the_key_comes_from_the_environment_and_is_kept_nowhere(
    llm_server: LLMServer, make_endpoint, launch, monkeypatch
) -> None:
    endpoint = make_endpoint(api_key_variable="GROUP_API_KEY")
    job = launch(endpoint, chunks=1)
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind, llm_server.calls) == ("failed", "permanent", 0)
    assert "GROUP_API_KEY" in item.error

    from summarizer.jobs.services import retry_job
    from tests.llm_server import error

    monkeypatch.setenv("GROUP_API_KEY", "sk-very-secret")
    llm_server.then(error(401, "invalid_api_key", "Incorrect API key provided: sk-very-secret."))
    retry_job(job=job)
    run(job)
    assert llm_server.requests[0].headers["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in job_progress(job).items[0].error
    assert not any("sk-very-secret" in attempt.failure for attempt in attempts())


def test_no_key_is_sent_where_none_is_named(llm_server: LLMServer, endpoint, launch, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-service")
    run(launch(endpoint, chunks=1))
    assert "Authorization" not in llm_server.requests[0].headers
    assert "another-service" not in str(llm_server.requests[0].headers)


def test_the_environments_proxy_is_used_but_for_hosts_without_one(
    llm_server: LLMServer, make_endpoint, launch, monkeypatch
) -> None:
    monkeypatch.setenv("http_proxy", llm_server.base_url.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "localhost,127.0.0.1")
    run(launch(make_endpoint(name="behind the proxy", base_url="http://model.invalid/v1"), chunks=1))
    assert llm_server.requests[0].headers["Host"] == "model.invalid"
    run(launch(make_endpoint(name="direct"), chunks=1))
    assert llm_server.requests[1].headers["Host"].startswith("127.0.0.1")


def test_an_answer_without_usage_counts_as_possible_cost(llm_server: LLMServer, priced, launch) -> None:
    body = {"choices": [{"message": {"content": "Emma left."}, "finish_reason": "stop"}], "usage": {}}
    llm_server.then(Scripted(body=body))
    job = launch(priced, chunks=1)
    run(job)
    spent = job_progress(job).spent
    assert (spent.cost_usd, attempts()[0].cost_usd) == (0, None)
    assert spent.possible_usd == attempts()[0].possible_cost_usd > 1


def test_calls_that_nobody_answered_are_not_done(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.script(lambda request: NAMED["500"]())
    job = launch(endpoint, chunks=4, plan={"items": [{"calls": 4}]})
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.planned, progress.percent) == ("failed", 0, 4, 0)


def test_a_failed_job_shows_what_a_retry_keeps_and_goes_on_from_there(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.script(lambda request: NAMED["500"]() if "chunk 1." in request.prompt else None)
    job = launch(endpoint, chunks=4, plan={"items": [{"calls": 4}]})
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.percent) == ("failed", 3, 75)
    retry_job(job=job)
    assert job_progress(job).percent == 75
    claim = claims.claim_item(job.items.get().pk)
    assert job_progress(job).percent == 75
    claims.release(claim, StopReason.WORKER_STOPPING)
    llm_server.script(lambda request: None)
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.planned, progress.percent) == ("done", 4, 4, 100)


def test_a_question_that_took_several_tries_is_done_once(llm_server: LLMServer, endpoint, launch) -> None:
    """The first try of chunk 1 is cut off, its second is answered; chunk 2 fails for good."""
    cut = completion("Emma leaves and", finish_reason="length")
    llm_server.script(
        lambda request: (
            (cut if "99 words" in request.prompt else None) if "chunk 1." in request.prompt else NAMED["refusal"]()
        )
    )
    job = launch(endpoint, chunks=2, in_order=True, plan={"items": [{"calls": 2}]})
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.percent) == ("failed", 1, 50)
