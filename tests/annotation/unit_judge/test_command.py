"""`manage.py judge_units`: one JSON document, and one clear line where it can't."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Study, UnitVerdict
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Job
from tests.annotation.unit_judge.conftest import NO, answer
from tests.factories import make_summary
from tests.llm_server import error

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


def judge_units(*arguments):
    out = StringIO()
    call_command("judge_units", *map(str, arguments), stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def worker(monkeypatch):
    """Runs items as soon as they are sent, in place of a worker."""
    monkeypatch.setattr(queue, "send", lambda items: [run_item(item) for item in items])


@pytest.fixture
def named(endpoint, plan):
    return ("--study", plan.study.name, "--endpoint", endpoint.name)


def test_wait_prints_scores_with_repeated_units_counted_each_time(worker, llm_server, named, plan, summary):
    """Supported: the first unit, which stands twice, and the second; not: snow and song. 3 of 5."""
    answer(llm_server, snow=NO, sang=NO)
    printed = judge_units(*named, "--wait")
    words = sum(len(prompt.split()) for prompt in llm_server.prompts)
    assert printed.pop("wall_s") >= 0
    assert printed == {
        "job": Job.objects.get().pk,
        "state": "done",
        "study": plan.study.name,
        "judge": "scripted, units by 10 passages",
        "summaries": [
            {"summary": summary.pk, "units": 5, "supported": 3, "unsupported": 2, "unparsed": 0, "score": 60.0}
        ],
        "calls": 4,
        "attempts": 4,
        "prompt_tokens": words,
        "cached_tokens": 0,
        "completion_tokens": 4 * 2,
        "cost_usd": None,
        "possible_cost_usd": None,
    }


def test_with_an_unparsed_unit_there_is_no_score_but_coverage_and_bounds(worker, llm_server, named, summary):
    """The unit that stands twice can't be read: 3 of 5 places are, of which 2 are supported."""
    answer(llm_server, left="banana", sang=NO)
    (row,) = judge_units(*named, "--wait")["summaries"]
    assert row == {
        "summary": summary.pk,
        "units": 5,
        "supported": 2,
        "unsupported": 1,
        "unparsed": 2,
        "score": None,
        "coverage": 0.6,
        "bounds": [40.0, 80.0],
    }


def test_the_second_run_of_the_same_judge_costs_nothing(worker, llm_server, named):
    first = judge_units(*named, "--wait")
    second = judge_units(*named, "--wait")
    assert (second["job"], second["state"], second["calls"]) == (None, "done", 0)
    assert second["summaries"] == first["summaries"]
    assert llm_server.calls == 4


def test_a_dry_run_stores_nothing(named, summary):
    printed = judge_units(*named, "--dry-run", "--passages", 2)
    assert (printed["job"], printed["state"], printed["calls"]) == (None, "planned", 4)
    assert printed["judge"] == "scripted, units by 2 passages"
    assert printed["summaries"] == [{"summary": summary.pk, "units": 4, "calls": 4}]
    assert not Job.objects.exists()


def test_nothing_is_said_of_a_summary_under_blind_review(worker, llm_server, named, plan, summary):
    Study.objects.filter(pk=plan.study_id).update(phase=Study.Phase.REVIEWING)
    (row,) = judge_units(*named, "--wait")["summaries"]
    assert row.pop("sealed").startswith("Under blind review")
    assert row == {
        "summary": summary.pk,
        "units": 5,
        "supported": None,
        "unsupported": None,
        "unparsed": None,
        "score": None,
    }
    assert UnitVerdict.objects.count() == 4


def test_a_failed_job_prints_what_there_is_and_ends_with_a_line(worker, llm_server, named):
    llm_server.script(lambda request: error(401, "invalid_api_key", "Incorrect API key provided."))
    out = StringIO()
    with pytest.raises(CommandError, match=r"failed\. The Mill - .*Incorrect API key"):
        call_command("judge_units", *named, "--wait", stdout=out)
    printed = json.loads(out.getvalue())
    assert printed["state"] == "failed"
    assert printed["summaries"][0]["score"] is None
    assert "bounds" not in printed["summaries"][0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--endpoint", "rules"), "none of them can judge units"),
        (("--endpoint", "extractive"), "none of them can judge units"),
        (("--passages", "51"), "around 1 to 50 sentences"),
        (("--study", "nowhere"), "There is no study called 'nowhere'"),
        (("--summary", "999999"), "There is no summary 999999 in this study"),
        (("--temperature", "3"), "The temperature must be between 0 and 2"),
        (("--prompts", "simple"), "lacks judge_unit.txt"),
    ],
)
def test_one_line_where_it_cannot(named, arguments, message):
    """Later arguments win over earlier ones."""
    with pytest.raises(CommandError, match=message):
        judge_units(*named, *arguments)
    assert not Job.objects.exists()


def test_a_study_without_units(endpoint):
    study = Study.objects.create(name="bare", title="Bare")
    study.summaries.add(make_summary())
    with pytest.raises(CommandError, match="has no plan for faithfulness"):
        judge_units("--study", "bare", "--endpoint", endpoint.name)
