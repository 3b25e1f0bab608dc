"""`manage.py judge`: the JSON of the design, and one clear line where it can't."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotator, Study
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Job
from tests.factories import make_summary
from tests.llm_server import error, judged_sentence

pytestmark = pytest.mark.django_db(transaction=True)

CLEAN = "Questions: no confusion\nTypes: no confusion"
WHO = "Questions: Who?\nTypes: entity omission"


def judge(*arguments):
    out = StringIO()
    call_command("judge", *map(str, arguments), stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def worker(monkeypatch):
    """Runs items as soon as they are sent, in place of a worker."""
    monkeypatch.setattr(queue, "send", lambda items: [run_item(item) for item in items])


def test_wait_prints_scores_by_position(worker, llm_server, endpoint, summary):
    llm_server.script(lambda request: WHO if judged_sentence(request.prompt) == "Emma left." else CLEAN)
    printed = judge("--system", summary.system.name, "--endpoint", "scripted", "--wait")
    words = sum(len(prompt.split()) for prompt in llm_server.prompts)
    assert printed.pop("wall_s") >= 0
    assert printed == {
        "job": Job.objects.get().pk,
        "state": "done",
        "system": summary.system.name,
        "judge": "scripted",
        "summaries": [{"summary": summary.pk, "sentences": 4, "confused": 2, "unparsed": 0, "score": 0.5}],
        "calls": 4,
        "attempts": 4,
        "prompt_tokens": words,
        "cached_tokens": 0,
        "completion_tokens": 2 * 5 + 2 * 6,
        "cost_usd": None,
        "possible_cost_usd": None,
    }


def test_with_an_unparsed_sentence_there_is_no_score(worker, llm_server, endpoint, summary):
    llm_server.script(lambda request: "banana" if judged_sentence(request.prompt) == "Snow fell." else CLEAN)
    printed = judge("--summary", summary.pk, "--endpoint", "scripted", "--wait")
    row = {"summary": summary.pk, "sentences": 4, "confused": 0, "unparsed": 1, "score": None}
    assert printed["summaries"] == [{**row, "coverage": 0.75, "bounds": [0.75, 1.0]}]


def test_the_second_run_of_the_same_judge_costs_nothing(worker, llm_server, endpoint, summary):
    first = judge("--summary", summary.pk, "--endpoint", "scripted", "--wait")
    calls = llm_server.calls
    second = judge("--summary", summary.pk, "--endpoint", "scripted", "--wait")
    assert (second["job"], second["state"], second["calls"]) == (None, "done", 0)
    assert second["summaries"] == first["summaries"]
    assert llm_server.calls == calls


def test_a_dry_run_stores_nothing(endpoint, summary):
    printed = judge("--system", summary.system.name, "--endpoint", "scripted", "--dry-run")
    assert (printed["job"], printed["state"], printed["calls"]) == (None, "planned", 4)
    assert printed["summaries"] == [{"summary": summary.pk, "sentences": 4, "calls": 4}]
    assert not Job.objects.exists()


def test_the_rule_baseline(worker, summary):
    printed = judge("--summary", summary.pk, "--endpoint", "rules", "--wait")
    assert printed["judge"] == "Rule baseline (no LLM)"
    assert printed["summaries"][0]["score"] == 0.75
    assert printed["cost_usd"] == 0


def test_only_the_system_s_summaries_in_the_study_are_judged(worker, summary):
    outside = make_summary("Ida sings.")
    outside.system = summary.system
    outside.save()
    study = Study.objects.create(name="pilot", title="Pilot")
    study.summaries.add(summary)
    printed = judge("--system", summary.system.name, "--endpoint", "rules", "--study", "pilot", "--wait")
    assert [row["summary"] for row in printed["summaries"]] == [summary.pk]
    assert study.judges.count() == 1


def test_nothing_is_said_of_a_summary_under_blind_review(worker, summary):
    """Whoever runs the command may have an open review; the figures come back with the unblinding."""
    study = Study.objects.create(name="pilot", title="Pilot", phase=Study.Phase.REVIEWING)
    study.summaries.add(summary)
    (row,) = judge("--summary", summary.pk, "--endpoint", "rules", "--wait")["summaries"]
    assert row.pop("sealed").startswith("Under blind review")
    assert row == {"summary": summary.pk, "sentences": 4, "confused": None, "unparsed": None, "score": None}
    study.phase = Study.Phase.CLOSED
    study.save()
    (row,) = judge("--summary", summary.pk, "--endpoint", "rules", "--wait")["summaries"]
    assert row["score"] == 0.75


def test_a_failed_job_prints_what_there_is_and_ends_with_a_line(worker, llm_server, endpoint, summary):
    llm_server.script(lambda request: error(401, "invalid_api_key", "Incorrect API key provided."))
    out = StringIO()
    with pytest.raises(CommandError, match=r"failed\. The Mill - .*Incorrect API key"):
        call_command("judge", "--summary", str(summary.pk), "--endpoint", "scripted", "--wait", stdout=out)
    printed = json.loads(out.getvalue())
    assert printed["state"] == "failed"
    assert printed["summaries"][0]["score"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--summary", "999", "--endpoint", "rules"], "There is no summary 999"),
        (["--system", "nobody", "--endpoint", "rules"], "There is no system called 'nobody'"),
        (["--summary", "1", "--endpoint", "nowhere"], "There is no endpoint called 'nowhere'"),
        (["--summary", "1", "--endpoint", "rules", "--study", "none"], "There is no study called 'none'"),
        (["--summary", "1", "--endpoint", "rules", "--mode", "batch"], "The rule baseline calls no LLM"),
        (["--summary", "1", "--endpoint", "scripted", "--mode", "batch", "--batch-size", "0"], "1 to 100 sentences"),
        (
            ["--summary", "1", "--endpoint", "scripted", "--mode", "batch", "--prompts", "simple"],
            "lacks get_annotations_v2",
        ),
        (["--summary", "1", "--endpoint", "extractive"], "The extractive baseline can only summarize"),
        (["--summary", "1", "--endpoint", "rules", "--repeat", "0"], "counts from 1"),
        (["--summary", "1", "--endpoint", "scripted", "--prompts", "/nowhere"], "no prompt set or folder"),
        (["--summary", "1", "--endpoint", "rules", "--budget", "much"], "is no number of dollars"),
        (["--endpoint", "rules"], "required"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(endpoint, arguments, message):
    with pytest.raises(CommandError, match=message) as raised:
        judge(*arguments)
    assert "\n" not in str(raised.value)
    assert not Job.objects.exists()


def test_the_longest_answer_is_part_of_the_judge(worker, llm_server, endpoint, summary):
    llm_server.script(lambda request: CLEAN)
    judge("--summary", summary.pk, "--endpoint", "scripted", "--max-answer-tokens", 64, "--wait")
    assert {request.max_tokens for request in llm_server.requests} == {64}
    assert Annotator.objects.get(kind="judge").max_answer_tokens == 64
    with pytest.raises(CommandError):
        judge("--summary", summary.pk, "--endpoint", "scripted", "--max-answer-tokens", 0)
