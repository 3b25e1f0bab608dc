"""Running by batch: what goes up, what is collected, what is asked again and how; and what it costs."""

from decimal import Decimal
from typing import Any

import pytest

from summarizer.batches.watching import watch
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.services import JobError, cancel_job, pause_job, resume_job, retry_job
from summarizer.models import Job, LLMAttempt, LLMBatch, LLMCall, Summary
from tests.llm_server import NAMED, LLMServer, completion
from tests.summarizer.engine.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looked_at_always(settings: Any) -> None:
    settings.BATCH_POLL_SECONDS = 0.0


@pytest.fixture
def launch_batch(launch):
    def make(endpoint, **values: Any) -> Job:
        return launch(endpoint, run="batch", **values)

    return make


def rounds(job: Job, number: int = 1) -> JobProgress:
    """Run what is queued, then look at the batches, so many times."""
    for _ in range(number):
        for item in job.items.filter(state="queued").order_by("index"):
            run_item(item.pk)
        watch()
    return job_progress(job)


def to_the_end(job: Job, most: int = 20) -> JobProgress:
    for _ in range(most):
        progress = rounds(job)
        if progress.ended:
            return progress
    raise AssertionError(f"not ended after {most} rounds: {progress.counts}")


def batches() -> list[tuple[str, int]]:
    return list(LLMBatch.objects.values_list("state", "calls"))


def test_a_level_goes_up_as_one_batch_and_nothing_is_asked_at_once(
    llm_server: LLMServer, endpoint, launch_batch
) -> None:
    job = launch_batch(endpoint, chunks=4, merge=True)
    llm_server.batches.done_after = 2
    run(job)
    item = job_progress(job).items[0]
    assert (item.state, item.state_words) == ("in batch", "Waiting for the batch")
    assert item.step == "0 of 4 answered, up to 24 h"
    assert item.item.lease is None
    assert llm_server.calls == 0
    rounds(job)
    assert llm_server.calls == 0
    progress = to_the_end(job)
    assert progress.state == "done"
    assert [batch.polls for batch in llm_server.batches.made] == [2, 2]
    assert [len(batch.lines) for batch in llm_server.batches.made] == [4, 1]
    assert batches() == [("collected", 4), ("collected", 1)]
    assert llm_server.calls == 5
    assert llm_server.highest_open == 0
    # The files list the last line first: answers are matched by name.
    merged = llm_server.batches.made[1].prompts[0]
    answers = list(LLMAttempt.objects.order_by("call").values_list("reply", flat=True)[:4])
    assert merged.startswith(f"Merge: {' | '.join(answers)}")
    assert Summary.objects.get().text == LLMAttempt.objects.get(call__step="merge").reply
    assert progress.done == 5


def test_the_lines_are_what_a_request_of_its_own_would_be(
    llm_server: LLMServer, make_endpoint, launch_batch, monkeypatch
) -> None:
    monkeypatch.setenv("TEST_API_KEY", "sk-secret-1234")
    job = launch_batch(make_endpoint(api_key_variable="TEST_API_KEY"), chunks=1)
    run(job)
    batch = llm_server.batches.made[0]
    row = LLMBatch.objects.get()
    assert batch.metadata == {"booookweb_batch": str(row.key)}
    assert batch.headers["Authorization"] == "Bearer sk-secret-1234"
    assert (row.remote_id, row.base_url) == ("batch_1", llm_server.base_url)
    call = LLMCall.objects.get()
    assert batch.lines == [
        {
            "custom_id": f"call-{call.pk}-attempt-1",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": "test-1",
                "messages": [{"role": "user", "content": "Summarize chunk 1. (99 words)"}],
                "max_tokens": 100,
                "temperature": 0.5,
            },
        }
    ]


def test_a_call_in_a_batch_costs_half_cached_tokens_too(llm_server: LLMServer, priced, launch_batch) -> None:
    """10 prompt tokens of which 4 cached, and 5 in the answer: (6 + 4 / 2 + 5) cents at once, half of it in a batch."""
    used = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    llm_server.script(lambda request: completion("Emma leaves.", usage=used))
    job = launch_batch(priced, chunks=1)
    run(job)
    # The prompt has 11 tokens, perhaps a fifth and 16 more, and the answer at most 100: all at half a cent.
    prompt_tokens = 11 + 2 + 16
    spent = job_progress(job).spent
    assert (spent.cost_usd, spent.possible_usd) == (0, Decimal(prompt_tokens + 100) / 100 / 2)
    spent = to_the_end(job).spent
    assert (spent.cost_usd, spent.possible_usd) == (Decimal("0.065"), 0)
    assert (spent.prompt_tokens, spent.cached_tokens, spent.completion_tokens) == (10, 4, 5)


def test_a_budget_that_a_batch_could_exceed_stops_it_before_it_goes_up(
    llm_server: LLMServer, priced, launch_batch
) -> None:
    job = launch_batch(priced, chunks=4, budget_usd=Decimal(2))
    progress = to_the_end(job)
    item = progress.items[0]
    assert (item.state, item.error_kind) == ("failed", "budget")
    assert "The next batch of 4 calls may cost up to 2." in item.error
    assert (llm_server.batches.files, batches()) == ({}, [])
    assert not LLMAttempt.objects.exists()
    retry_job(job=job, budget_usd=Decimal(10))
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 4


@pytest.mark.parametrize("answer", ["500", "429", "no-choices"])
def test_a_line_that_failed_in_passing_is_asked_again_at_once(
    llm_server: LLMServer, priced, launch_batch, answer: str
) -> None:
    llm_server.script(lambda request: NAMED[answer]() if "chunk 2." in request.prompt and request.number <= 4 else None)
    job = launch_batch(priced, chunks=4)
    progress = to_the_end(job)
    assert progress.state == "done"
    assert len(llm_server.batches.made) == 1
    assert llm_server.calls == 5
    again = LLMAttempt.objects.get(number=2)
    assert (again.call.step, again.batch) == ("chunk 2", None)
    # 5 words in its prompt and 12 in the answer at a cent each: the normal price.
    assert again.cost_usd == Decimal(again.prompt_tokens + again.completion_tokens) / 100


def test_what_is_cut_off_is_asked_for_fewer_words_at_once(llm_server: LLMServer, endpoint, launch_batch) -> None:
    llm_server.script(
        lambda request: completion("Emma leaves and", finish_reason="length") if request.number == 1 else None
    )
    job = launch_batch(endpoint, chunks=3)
    assert to_the_end(job).state == "done"
    assert len(llm_server.batches.made) == 1
    assert [request.prompt[-10:] for request in llm_server.requests].count("(98 words)") == 1
    assert llm_server.calls == 4


def test_a_refused_line_fails_the_item_as_always(llm_server: LLMServer, endpoint, launch_batch) -> None:
    llm_server.script(lambda request: NAMED["refusal"]() if "chunk 3." in request.prompt else None)
    job = launch_batch(endpoint, chunks=4)
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "refused")
    assert item.error == "chunk 3: The model refused to answer: I can't help with that."
    assert llm_server.calls == 4
    llm_server.script(lambda request: None)
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 5


@pytest.mark.parametrize(("answer", "kind"), [("quota", "quota exhausted"), ("401", "permanent")])
def test_what_no_call_can_get_past_stops_the_item_without_another_call(
    llm_server: LLMServer, endpoint, launch_batch, answer: str, kind: str
) -> None:
    llm_server.script(lambda request: NAMED[answer]() if request.number == 2 else None)
    job = launch_batch(endpoint, chunks=3)
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind, item.done) == ("failed", kind, 2)
    assert llm_server.calls == 3
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert [len(batch.lines) for batch in llm_server.batches.made] == [3, 1]


def test_parameters_that_are_refused_go_up_again_as_the_server_takes_them(
    llm_server: LLMServer, endpoint, launch_batch
) -> None:
    llm_server.refused = {"max_tokens", "temperature"}
    job = launch_batch(endpoint, chunks=3)
    assert to_the_end(job).state == "done"
    assert [len(batch.lines) for batch in llm_server.batches.made] == [3, 3, 3]
    endpoint.refresh_from_db()
    assert endpoint.parameter_replacements == {"max_tokens": "max_completion_tokens", "temperature": None}
    assert LLMCall.objects.first().parameters["sent"] == {"max_completion_tokens": 100}


def test_lines_that_a_batch_had_no_time_for_are_asked_at_once(llm_server: LLMServer, priced, launch_batch) -> None:
    llm_server.batches.ends_as = "expired"
    llm_server.batches.made_before_end = 2
    job = launch_batch(priced, chunks=5)
    progress = to_the_end(job)
    assert progress.state == "done"
    assert llm_server.calls == 5
    assert len(set(llm_server.prompts)) == 5
    assert progress.spent.failures == {"transient": 3}
    assert progress.spent.possible_usd == 0


def test_a_line_without_a_word_may_be_billed(llm_server: LLMServer, priced, launch_batch) -> None:
    llm_server.batches.silent = {1}
    job = launch_batch(priced, chunks=3)
    progress = to_the_end(job)
    assert progress.state == "done"
    assert progress.spent.unknown == 1
    assert progress.spent.possible_usd > 0
    assert llm_server.calls == 3


def test_a_batch_that_is_refused_whole_costs_nothing_and_can_be_tried_again(
    llm_server: LLMServer, endpoint, launch_batch
) -> None:
    llm_server.batches.ends_as = "failed"
    job = launch_batch(endpoint, chunks=3)
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "batch refused")
    assert item.error == "The server refused the batch. Enqueued token limit reached."
    assert (item.spent.attempts, batches()) == (0, [("refused", 3)])
    llm_server.batches.ends_as = "completed"
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert (llm_server.calls, batches()) == (3, [("refused", 3), ("collected", 3)])


def test_a_server_without_batches_is_said_so_and_the_job_can_go_on_at_once(
    llm_server: LLMServer, endpoint, launch_batch
) -> None:
    llm_server.batches.enabled = False
    job = launch_batch(endpoint, chunks=3)
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "no batches")
    assert item.error.startswith("The server takes no batches.")
    assert "Try again without batches" in item.advice
    assert batches() == [("withdrawn", 3)]
    retry_job(job=job, run="direct")
    run(job)
    assert job_progress(job).state == "done"
    assert llm_server.calls == 3


def test_a_batch_that_the_server_lost_is_a_failure_that_may_be_billed(
    llm_server: LLMServer, priced, launch_batch
) -> None:
    job = launch_batch(priced, chunks=3)
    rounds(job, 0)
    run(job)
    llm_server.batches.batches.clear()
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "batch lost")
    assert "batch_1" in item.error
    assert (item.spent.unknown, item.spent.cost_usd) == (3, 0)
    assert item.spent.possible_usd > 0
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 3


def test_a_server_that_is_away_for_a_while_is_asked_again(llm_server: LLMServer, endpoint, launch_batch) -> None:
    llm_server.batches.next_reads = [503, 401, 500]
    job = launch_batch(endpoint, chunks=2)
    progress = rounds(job)
    assert progress.batches[0].problem == "The server answered 503: The server had an error."
    assert progress.state == "in batch"
    assert to_the_end(job).state == "done"
    assert LLMBatch.objects.get().problem == ""
    assert llm_server.calls == 2


def test_cancel_stops_the_batch_and_keeps_what_was_answered(llm_server: LLMServer, endpoint, launch_batch) -> None:
    llm_server.batches.done_after = 100
    llm_server.batches.made_before_end = 2
    job = launch_batch(endpoint, chunks=5)
    rounds(job)
    cancel_job(job=job)
    assert job_progress(job).state == "cancelled"
    rounds(job, 3)
    assert llm_server.batches.cancels == 1
    progress = job_progress(job)
    assert (progress.state, progress.done, batches()) == ("cancelled", 2, [("collected", 5)])
    assert llm_server.calls == 2
    assert progress.spent.attempts == 2
    llm_server.batches.done_after = 1
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert [len(batch.lines) for batch in llm_server.batches.made] == [5, 3]
    assert llm_server.calls == 5


def test_a_job_that_is_tried_again_while_its_batch_is_still_being_stopped_waits_for_it(
    llm_server: LLMServer, endpoint, launch_batch
) -> None:
    llm_server.batches.done_after = 100
    job = launch_batch(endpoint, chunks=3)
    rounds(job)
    cancel_job(job=job)
    watch()
    retry_job(job=job)
    run(job)
    assert job_progress(job).state == "in batch"
    llm_server.batches.done_after = 1
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 3


def test_pause_sends_nothing_new_and_collects_what_is_up(
    llm_server: LLMServer, endpoint, launch_batch, sent: list[int]
) -> None:
    job = launch_batch(endpoint, chunks=3, merge=True)
    run(job)
    pause_job(job=job)
    sent.clear()
    watch()
    progress = job_progress(job)
    assert (progress.state, progress.done, sent) == ("paused", 3, [])
    run(job)
    assert len(llm_server.batches.made) == 1
    resume_job(job=job)
    assert sent == [job.items.get().pk]
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 4


def test_too_many_lines_for_one_file_are_several_batches(
    llm_server: LLMServer, endpoint, launch_batch, monkeypatch
) -> None:
    from summarizer.batches import lines

    monkeypatch.setattr(lines, "MOST_LINES", 3)
    job = launch_batch(endpoint, chunks=7)
    run(job)
    assert [len(batch.lines) for batch in llm_server.batches.made] == [3, 3, 1]
    assert job_progress(job).items[0].step == "0 of 7 answered, up to 24 h"
    assert to_the_end(job).state == "done"
    assert llm_server.calls == 7


def test_a_baseline_takes_no_batches(launch_batch) -> None:
    from summarizer.services.endpoints import endpoint_named

    with pytest.raises(JobError, match="Only an LLM's server takes batches"):
        launch_batch(endpoint_named("extractive"))
    assert not Job.objects.exists()
