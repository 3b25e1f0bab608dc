"""Several sentences a call, from the launch to the stored verdicts: over real HTTP to the scripted server."""

import json
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.models import Annotation, AnnotationSet, Annotator, Span, Verdict
from summarizer.batches.watching import watch
from summarizer.jobs.selectors import job_progress
from summarizer.models import Job, LLMCall
from tests.annotation.judge.conftest import run
from tests.annotation.judge.test_batches import _looked_at_always
from tests.annotation.judge.test_command import judge, worker
from tests.annotation.judge.test_page import LAUNCH, PLAN, admin, filled
from tests.factories import make_summary
from tests.judge_answers import about_each, entry, judged_sentences
from tests.llm_server import Request, completion, error, unsupported

__all__ = ["_looked_at_always", "admin", "worker"]

pytestmark = pytest.mark.django_db(transaction=True)

WHO = ("Did she not leave before?", "duplication")


def rule(request: Request) -> str:
    return about_each(request.prompt, lambda sentence: WHO if sentence == "Emma left." else None)


def states() -> list[str]:
    return list(Verdict.objects.order_by("sentence__index").values_list("state", flat=True))


def test_the_command_judges_in_batches(worker, llm_server, endpoint, summary):
    llm_server.script(rule)
    printed = judge("--summary", summary.pk, "--endpoint", "scripted", "--mode", "batch", "--batch-size", 3, "--wait")
    assert printed["judge"] == "scripted, 3 sentences a call"
    assert printed["summaries"] == [{"summary": summary.pk, "sentences": 4, "confused": 2, "unparsed": 0, "score": 0.5}]
    assert (printed["calls"], llm_server.calls) == (2, 2)
    assert sorted(len(judged_sentences(prompt)) for prompt in llm_server.prompts) == [1, 3]
    assert {request.max_tokens for request in llm_server.requests} == {256, 768}
    assert states() == ["confused", "clean", "confused", "clean"]
    assert [(span.start, span.quote) for span in Span.objects.order_by("start")] == [
        (0, "Emma left."),
        (24, "Emma left."),
    ]
    assert set(Annotation.objects.values_list("questions", flat=True)) == {WHO[0]}
    again = judge("--summary", summary.pk, "--endpoint", "scripted", "--mode", "batch", "--batch-size", 3, "--wait")
    assert (again["job"], llm_server.calls) == (None, 2)


def test_the_modes_and_sizes_are_judges_of_their_own(endpoint, summary, launch):
    made = [
        launch(endpoint, summary).judge,
        launch(endpoint, summary, mode="batch").judge,
        launch(endpoint, summary, mode="batch", batch_size=3).judge,
        launch(endpoint, summary, mode="batch", batch_size=3, repeat=2).judge,
    ]
    assert len({judge.pk for judge in made}) == 4
    assert [(judge.mode, judge.batch_size) for judge in made] == [
        ("sentence", 1),
        ("batch", 10),
        ("batch", 3),
        ("batch", 3),
    ]
    assert made[3].pseudonym == "scripted, 3 sentences a call, run 2"


def test_only_what_is_missing_is_asked_again_and_what_stays_missing_is_unparsed(llm_server, endpoint, summary, launch):
    def forgetful(request: Request) -> str:
        known = {n: text for n, text in judged_sentences(request.prompt).items() if text != "Snow fell."}
        return json.dumps([entry(number) for number in known])

    llm_server.script(forgetful)
    run(launch(endpoint, summary, mode="batch").job)
    assert [list(judged_sentences(prompt).values()) for prompt in llm_server.prompts] == [
        ["Emma left.", "Rolf stayed.", "Emma left.", "Snow fell."],
        ["Snow fell."],
        ["Snow fell."],
    ]
    assert states() == ["clean", "clean", "clean", "unparsed"]
    assert Verdict.objects.get(state="unparsed").problem == "The answer does not speak of this sentence."


def test_of_an_answer_that_was_cut_off_the_whole_entries_count(llm_server, endpoint, summary, launch):
    llm_server.then(completion(json.dumps([entry(1), entry(2), entry(3)])[:-20], finish_reason="length"))
    llm_server.script(rule)
    run(launch(endpoint, summary, mode="batch").job)
    assert list(judged_sentences(llm_server.prompts[1]).values()) == ["Emma left.", "Snow fell."]
    # Twice the room that two sentences have.
    assert llm_server.requests[1].max_tokens == 2 * 2 * 256
    assert states() == ["clean", "clean", "confused", "clean"]


def test_a_server_gets_the_form_of_the_answer_and_the_ledger_states_it(llm_server, endpoint, summary, launch):
    llm_server.script(rule)
    run(launch(endpoint, summary, mode="batch").job)
    sent = llm_server.requests[0].body["response_format"]
    assert (sent["type"], sent["json_schema"]["strict"]) == ("json_schema", True)
    assert LLMCall.objects.get().parameters["response_format"] == sent
    run(launch(endpoint, make_summary("Ida sings.")).job)
    assert "response_format" not in llm_server.requests[-1].body


@pytest.mark.parametrize(
    "refusal",
    [
        unsupported("response_format"),
        error(400, "", "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        error(422, "", "[{'loc': ('body', 'response_format', 'type'), 'msg': 'Extra inputs are not permitted'}]"),
        error(400, "invalid_request_error", "failed to parse grammar"),
    ],
)
def test_a_server_without_it_is_asked_without_from_then_on(llm_server, endpoint, summary, launch, refusal):
    llm_server.script(lambda request: refusal if "response_format" in request.body else rule(request))
    run(launch(endpoint, summary, mode="batch", batch_size=1).job)
    assert llm_server.calls == 1 + 4
    endpoint.refresh_from_db()
    assert endpoint.parameter_replacements == {"response_format": None}
    call = LLMCall.objects.order_by("pk")[0]
    assert call.parameters["sent"] == {"max_tokens": 256, "temperature": 0.0}
    run(launch(endpoint, make_summary("Ida sings."), mode="batch").job)
    assert llm_server.calls == 6


def test_the_first_call_alone_finds_out_though_the_server_has_answered_others(llm_server, endpoint, summary, launch):
    run(launch(endpoint, summary).job)
    answered = llm_server.calls
    llm_server.refused = {"response_format"}
    run(launch(endpoint, summary, mode="batch", batch_size=1).job)
    assert llm_server.calls == answered + 1 + 4


def test_the_judge_s_batches_go_through_the_batch_api(worker, llm_server, endpoint, summary):
    llm_server.script(rule)
    options = ["--mode", "batch", "--batch-size", 3, "--batch", "--wait"]
    printed = judge("--summary", summary.pk, "--endpoint", "scripted", *options)
    assert [len(batch.lines) for batch in llm_server.batches.made] == [2]
    assert (printed["state"], printed["summaries"][0]["score"], llm_server.highest_open) == ("done", 0.5, 0)


def test_a_line_that_forgot_a_sentence_is_asked_again_at_once(llm_server, endpoint, summary, launch):
    llm_server.script(lambda request: json.dumps([entry(1)]) if request.number == 1 else rule(request))
    job = launch(endpoint, summary, mode="batch", run="batch").job
    run(job)
    watch()
    run(job)
    assert (job.items.get().state, llm_server.calls, len(llm_server.batches.made)) == ("done", 2, 1)
    assert states() == ["clean", "clean", "confused", "clean"]


def test_after_a_failure_only_the_calls_that_are_missing_are_made(llm_server, endpoint, summary, launch):
    endpoint.concurrency = 1
    endpoint.save()
    refused = error(401, "invalid_api_key", "Incorrect API key provided.")
    llm_server.script(lambda request: rule(request) if request.number == 1 else refused)
    first = launch(endpoint, summary, mode="batch", batch_size=2)
    run(first.job)
    assert job_progress(first.job).items[0].state == "failed"
    assert not AnnotationSet.objects.exists()
    llm_server.script(rule)
    before = llm_server.calls
    assert launch(endpoint, summary, mode="batch", batch_size=2).job == first.job
    run(first.job)
    assert llm_server.calls - before == 1
    assert states() == ["confused", "clean", "confused", "clean"]


def test_progress_counts_calls_whatever_is_asked_again(llm_server, endpoint, summary, launch):
    llm_server.script(lambda request: json.dumps([entry(1)]) if request.number <= 2 else rule(request))
    job = launch(endpoint, summary, mode="batch", batch_size=2).job
    run(job)
    item = job.items.get()
    assert (item.calls_done, item.calls_planned, llm_server.calls) == (2, 2, 4)


def test_the_page_plans_and_launches_batches(client, admin, endpoint, summary):
    endpoint.price_prompt, endpoint.price_completion = 0, Decimal(100_000)
    endpoint.save()
    values = filled(endpoint, system=summary.system.pk, mode="batch", batch_size="3")
    page = " ".join(client.post(PLAN, values).content.decode().split())
    assert '<dd>2<span class="muted small-text">, up to 3 sentences each</span></dd>' in page
    assert "Judge 1 summary for about $12.00" in page  # 4 sentences of 30 tokens at ten cents a token
    assert client.post(LAUNCH, values).url == reverse("summarizer:job", args=[Job.objects.get().pk])
    assert Annotator.objects.get(kind="judge").batch_size == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch_size": "0"}, "greater than or equal to 1"),
        ({"batch_size": "101"}, "less than or equal to 100"),
        ({"mode": "whole"}, "not one of the available choices"),
    ],
)
def test_odd_batches_are_refused_in_words(client, admin, endpoint, summary, changes, message):
    values = filled(endpoint, system=summary.system.pk, **{"mode": "batch", "batch_size": "3", **changes})
    assert message in client.post(LAUNCH, values).content.decode()
    assert not Job.objects.exists()


def test_the_rule_baseline_has_no_batches(client, admin, rules, summary):
    page = client.post(PLAN, filled(rules, system=summary.system.pk, mode="batch")).content.decode()
    assert "The rule baseline calls no LLM" in page


def test_the_scripted_server_answers_our_own_prompt(llm_server, endpoint, summary, launch):
    run(launch(endpoint, summary, mode="batch").job)
    assert set(states()) <= {"clean", "confused"}
