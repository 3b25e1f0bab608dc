"""Judging units from the launch to the stored verdicts, through the real engine and over real HTTP."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection, transaction

from annotation.faithfulness.plans import delete_plan
from annotation.faithfulness.unit_sets import make_units, set_cuts
from annotation.judge.judges import JudgeRefused
from annotation.models import AnnotationSet, Annotator, FaithfulnessPlan, Unit, UnitVerdict
from annotation.services.studies import StudyError, add_judge
from annotation.unit_judge.judges import unit_judge_parameters
from annotation.unit_judge.launch_plan import plan_unit_job
from annotation.unit_judge.parsing import State
from annotation.unit_judge.services import FoundUnit, save_unit_verdicts
from annotation.unit_judge.strategy import EXPECTED_ANSWER_TOKENS, UnitFinding
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import JobError, retry_job
from summarizer.models import Job, LLMCall
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.tokens import count_tokens
from tests.annotation.judge.conftest import run
from tests.annotation.unit_judge.conftest import LEFT, NO, SANG, SNOW, STAYED, YES, answer, states
from tests.factories import make_judge, make_plan
from tests.llm_server import completion, error, judged_unit
from tests.sources import CONTENTS_END, SOURCE, another_summary, checked_summary

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = error(401, "invalid_api_key", "Incorrect API key provided.")


def test_one_verdict_a_different_unit_with_its_call_and_its_passages(llm_server, plan, launch):
    answer(llm_server, snow=NO, sang=NO)
    launched = launch()
    run(launched.job)
    verdicts = list(UnitVerdict.objects.order_by("unit__index").select_related("unit", "call"))
    assert [verdict.unit.quote for verdict in verdicts] == [LEFT, STAYED, SNOW, SANG]
    assert states() == ["supported", "supported", "unsupported", "unsupported"]
    assert len({verdict.call_id for verdict in verdicts}) == 4
    assert {verdict.annotator for verdict in verdicts} == {launched.judge}
    assert verdicts[0].rule.endswith(", 2 neighbours")
    for verdict in verdicts:
        assert verdict.passages
        assert all(CONTENTS_END <= start < end <= len(SOURCE) for start, end in verdict.passages)
    assert sorted(map(judged_unit, llm_server.prompts)) == sorted([LEFT, STAYED, SNOW, SANG])
    assert job_progress(launched.job).state == "done"


def test_the_passages_stand_in_the_prompt_and_what_is_left_out_of_the_book_does_not(llm_server, launch):
    run(launch().job)
    for prompt in llm_server.prompts:
        assert "Rolf stayed in the boathouse." in prompt
        assert "One. Two." not in prompt
    assert {request.body["response_format"]["type"] for request in llm_server.requests} == {"json_schema"}


def test_such_a_judge_makes_no_marks_and_is_in_no_list_of_judges(llm_server, plan, launch):
    launched = launch()
    run(launched.job)
    assert launched.judge.mode == "unit"
    assert launched.judge.pseudonym == "scripted, units by 10 passages"
    assert not AnnotationSet.objects.exists()
    assert not plan.study.judges.exists()
    with pytest.raises(StudyError, match="makes no marks"):
        add_judge(study=plan.study, judge=launched.judge)


def test_another_number_of_passages_or_run_is_another_judge(llm_server, launch):
    judges = [launch(), launch(passages=1), launch(repeat=2)]
    for launched in judges:
        run(launched.job)
    assert [each.judge.pseudonym for each in judges] == [
        "scripted, units by 10 passages",
        "scripted, units by 1 passage",
        "scripted, units by 10 passages, run 2",
    ]
    assert llm_server.calls == 12


def test_a_second_launch_of_the_same_judge_makes_no_call(llm_server, launch):
    run(launch().job)
    again = launch()
    assert again.job is None
    assert again.plan.nothing_left
    assert llm_server.calls == 4


def test_units_that_came_later_are_judged_alone(llm_server, plan, summary, launch):
    """As a second file of judgements from elsewhere brings them."""
    run(launch().job)
    start = summary.text.index("sang")
    Unit.objects.create(plan=plan, summary=summary, index=5, start=start, end=start + 4, quote="sang")
    run(launch().job)
    assert llm_server.calls == 5
    assert judged_unit(llm_server.prompts[-1]) == "sang"
    assert UnitVerdict.objects.count() == 5


def test_unreadable_answers_are_asked_again_twice_and_stay_unparsed(llm_server, launch):
    answer(llm_server, snow="banana", sang="Yes, but only in part.")
    run(launch().job)
    assert states() == ["supported", "supported", "unparsed", "unparsed"]
    assert llm_server.calls == 2 + 2 * 3
    problems = UnitVerdict.objects.filter(state="unparsed").order_by("unit__index").values_list("problem", flat=True)
    assert list(problems) == [
        "The answer does not say whether the unit is supported.",
        "The verdict is neither yes nor no.",
    ]


def test_an_echoing_judge_supports_nothing(llm_server, launch):
    llm_server.script(lambda request: request.prompt)
    run(launch().job)
    assert set(states()) == {"unparsed"}


def test_a_refused_unit_is_asked_once_and_stays_unparsed(llm_server, launch):
    answer(llm_server, snow=completion(None, finish_reason="content_filter"))
    run(launch().job)
    assert states() == ["supported", "supported", "unparsed", "supported"]
    assert llm_server.calls == 4


def test_a_server_that_takes_no_schema_is_asked_without(llm_server, launch):
    llm_server.refused = {"response_format"}
    run(launch().job)
    assert len(states()) == 4


def test_after_a_failure_a_launch_goes_on_and_only_what_is_missing_is_paid(llm_server, endpoint, launch):
    answer(llm_server, REFUSED, left=YES)
    endpoint.concurrency = 1
    endpoint.save()
    first = launch().job
    run(first)
    assert job_progress(first).items[0].state == "failed"
    assert not UnitVerdict.objects.exists()
    assert LLMCall.objects.filter(state="done").count() == 1
    answer(llm_server)
    before = llm_server.calls
    again = launch()
    assert (again.plan.resumes, again.job) == (first.pk, first)
    run(first)
    assert llm_server.calls - before == 3
    assert states() == ["supported"] * 4


def test_a_retry_pays_nothing_that_another_job_is_at_or_has_done(llm_server, launch):
    answer(llm_server, REFUSED)
    first = launch().job
    run(first)
    answer(llm_server)
    before = llm_server.calls
    second = launch().job  # nothing of the first was paid
    with pytest.raises(JobError, match=f"Job {second.pk} is at the same work already"):
        retry_job(job=first)
    run(second)
    retry_job(job=first)
    run(first)
    assert llm_server.calls - before == 4
    assert job_progress(first).state == "done"
    assert states() == ["supported"] * 4


def test_a_double_click_and_two_launches_at_once_judge_a_unit_once(plan, launch):
    key = LaunchKey.of(uuid4(), {"study": plan.study})
    first = launch(launch_key=key).job
    assert launch(launch_key=key).job == first
    with pytest.raises(JudgeRefused, match=f"Job {first.pk} of this judge is at it"):
        launch()

    def click(_):
        try:
            return launch(passages=3).job
        except JudgeRefused as refused:
            return str(refused)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(click, range(3)))
    assert Job.objects.count() == 2
    assert results.count(Job.objects.latest("pk")) == 1


def test_units_stay_once_a_judge_was_asked_about_them(llm_server, plan, summary, launch):
    changes = (
        lambda: make_units(plan=plan),
        lambda: set_cuts(plan=plan, summary=summary, was=[], cuts=[]),
        lambda: delete_plan(plan=plan),
    )

    def require_refusals():
        for change in changes:
            with pytest.raises(StudyError, match="A judge was asked about these units"):
                change()

    job = launch().job
    require_refusals()
    run(job)
    require_refusals()
    assert len(states()) == 4


def test_answers_about_units_that_are_not_as_they_were_are_not_stored(plan):
    judge, unit = make_judge("elsewhere"), plan.units.get(quote=SANG)
    found = FoundUnit(unit.pk, "Ida sang.", ((30, 40),), UnitFinding(0, State.SUPPORTED))

    def save(quote):
        with transaction.atomic():
            save_unit_verdicts(judge=judge, found=[replace(found, quote=quote)], rule="made up")

    with pytest.raises(JudgeRefused, match="cut anew meanwhile"):
        save("Ida sang.")
    save(SANG)
    with pytest.raises(JudgeRefused, match="Its first verdicts stay"):
        save(SANG)
    assert states() == ["supported"]


def test_the_plan_says_calls_tokens_and_cost_exactly(llm_server, endpoint, plan, summary, launch):
    endpoint.price_prompt, endpoint.price_completion = Decimal(1000), Decimal(2000)
    endpoint.save()
    parameters = unit_judge_parameters(endpoint=endpoint, prompt_set=load_prompt_set("default"))
    planned = plan_unit_job(parameters=parameters, plan=plan, summaries=[summary])
    assert not Annotator.objects.filter(kind="judge").exists()
    run(launch().job)
    sent = sum(count_tokens(prompt) for prompt in llm_server.prompts)
    assert (planned.total.calls, planned.total.prompt_tokens) == (4, sent)
    assert planned.total.completion_tokens == 4 * EXPECTED_ANSWER_TOKENS
    # In thousandths of a dollar: one a prompt token, two a token of an answer.
    assert planned.total.cost_usd * 1000 == sent + 2 * 4 * EXPECTED_ANSWER_TOKENS


def test_a_narrow_window_shows_the_likeliest_passages_and_too_narrow_a_one_is_refused(llm_server, endpoint):
    days = (f"Snow fell on day {day} too." if day % 3 else f"Day {day} was dry." for day in range(300))
    summary = checked_summary(SNOW, " ".join(days))
    plan = make_plan(summary)
    parameters = unit_judge_parameters(
        endpoint=endpoint, prompt_set=load_prompt_set("default"), passages=30, max_answer_tokens=16
    )

    def planned(window):
        endpoint.context_window = window
        (entry,) = plan_unit_job(parameters=parameters, plan=plan, summaries=[summary]).summaries
        return entry

    wide = planned(16_000)
    assert (wide.cut, wide.count) == (0, 1)
    narrow = planned(wide.plan.prompt_tokens + 15)
    assert narrow.cut == 1
    assert narrow.plan.prompt_tokens < wide.plan.prompt_tokens
    assert planned(wide.plan.prompt_tokens + 16).cut == 0
    refused = planned(256)
    assert refused.plan is None
    assert "Choose an endpoint with a larger one" in refused.left_out


def test_what_is_not_worked_out_in_time_is_pending_and_not_launched_as_nothing(endpoint, plan, summary):
    parameters = unit_judge_parameters(endpoint=endpoint, prompt_set=load_prompt_set("default"))
    planned = plan_unit_job(parameters=parameters, plan=plan, summaries=[summary], seconds=-1)
    assert [entry.summary for entry in planned.pending] == [summary]
    assert not planned.nothing_left


def test_what_cannot_be_judged_is_left_out_with_the_reason(endpoint, plan, summary, launch):
    other = another_summary("Ida sang.", summary)
    with pytest.raises(JudgeRefused, match="Not in the study"):
        launch(summaries=[other])
    plan.units.all().delete()
    with pytest.raises(JudgeRefused, match="It is not cut into units"):
        launch()
    without_text = make_plan()
    with pytest.raises(JudgeRefused, match="Its book is here without text"):
        launch(plan=without_text, summaries=list(without_text.study.summaries.all()))


def test_the_model_of_a_judge_cannot_change_under_it(llm_server, endpoint, launch):
    job = launch().job
    endpoint.model = "judge-2"
    endpoint.save()
    run(job)
    assert "has another model now (judge-2, not judge-1)" in job_progress(job).items[0].error
    assert llm_server.calls == 0


def test_a_budget_is_kept(llm_server, endpoint, launch):
    endpoint.price_prompt, endpoint.price_completion = Decimal(1000), Decimal(1000)
    endpoint.save()
    job = launch(budget_usd=Decimal("0.01")).job
    run(job)
    assert llm_server.calls == 0
    assert not UnitVerdict.objects.exists()


def test_a_plan_may_be_open_closed_or_being_set_up(llm_server, plan, launch):
    for state, repeat in (("setup", 1), ("open", 2), ("closed", 3)):
        FaithfulnessPlan.objects.filter(pk=plan.pk).update(state=state)
        run(launch(repeat=repeat).job)
    assert UnitVerdict.objects.count() == 12
