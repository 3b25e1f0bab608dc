"""What launching a judge of units would do and cost, as shown before it."""

import math
import time
from collections.abc import Iterable
from dataclasses import replace

from annotation.judge.costs import PromptTooLong
from annotation.judge.judges import JudgeParameters, existing_judge, free_name
from annotation.judge.launch_plan import RUNNING, STOPPED, JudgePlan, Obstacles, SummaryPlan, obstacles_of
from annotation.models import Annotator, FaithfulnessPlan, Unit
from annotation.unit_judge.material import Material, material_of, units_to_ask
from annotation.unit_judge.strategy import EXPECTED_ANSWER_TOKENS
from summarizer.models import Endpoint, Job, JobItem, Summary
from summarizer.strategies.plan import FIRST_TOKEN_SECONDS, TOKENS_PER_SECOND, Plan, cost_of, total

#: Key of the job kind.
JUDGE_UNITS = "judge-units"


def plan_unit_job(
    *,
    parameters: JudgeParameters,
    plan: FaithfulnessPlan,
    summaries: Iterable[Summary],
    run: str = Job.Run.DIRECT,
    seconds: float = math.inf,
) -> JudgePlan:
    """What judging the units of `summaries` would do and cost, with the reason for each that is left out.

    Stores nothing but what was found in the books, which is kept for a day. After `seconds` the remaining summaries
    are left pending: planning again goes on from there.
    """
    deadline = time.monotonic() + seconds
    judge, chosen = existing_judge(parameters), list(summaries)
    obstacles = _obstacles(judge, plan, chosen)
    entries = [_plan_summary(plan, summary, parameters, judge, obstacles, deadline) for summary in chosen]
    if run == Job.Run.BATCH:
        entries = [replace(entry, plan=entry.plan.by_batch()) if entry.plan else entry for entry in entries]
    return JudgePlan(
        parameters=parameters,
        judge_name=judge.pseudonym if judge else free_name(parameters),
        summaries=entries,
        total=total(entry.plan for entry in entries if entry.plan),
        run=run,
    )


def _obstacles(judge: Annotator | None, plan: FaithfulnessPlan, summaries: list[Summary]) -> Obstacles:
    if judge is None:
        return Obstacles(frozenset(), {}, {})
    asked = Unit.objects.filter(plan=plan, summary__in=summaries, same_as=None).order_by()
    touched = set(asked.filter(verdicts__annotator=judge).values_list("summary", flat=True))
    left = set(asked.exclude(verdicts__annotator=judge).values_list("summary", flat=True))
    items = JobItem.objects.filter(
        job__kind=JUDGE_UNITS,
        job__parameters__judge=judge.pk,
        job__parameters__study=plan.study_id,
        summary__in=summaries,
    )
    return obstacles_of(judge, touched - left, items)


def _plan_summary(
    plan: FaithfulnessPlan,
    summary: Summary,
    parameters: JudgeParameters,
    judge: Annotator | None,
    obstacles: Obstacles,
    deadline: float,
) -> SummaryPlan:
    if summary.pk in obstacles.judged:
        return SummaryPlan(summary, 0, left_out="This judge has judged all of its units already.", is_judged=True)
    units = units_to_ask(plan, summary, judge)
    count = len(units)
    if reason := _reason_against(summary, units, obstacles):
        return SummaryPlan(summary, count, left_out=reason)
    if job := obstacles.stopped.get(summary.pk):
        return SummaryPlan(summary, count, left_out=STOPPED.format(job=job), stopped_in=job)
    if time.monotonic() > deadline:
        return SummaryPlan(summary, count, pending=True)
    try:
        material = material_of(summary, units, parameters)
    except PromptTooLong as error:
        return SummaryPlan(summary, count, left_out=f"{error} Choose an endpoint with a larger one.")
    cut = sum(shown.is_cut for shown in material.shown)
    return SummaryPlan(summary, count, _plan(material, parameters.endpoint, parameters.max_answer_tokens), cut=cut)


def _reason_against(summary: Summary, units: list[Unit], obstacles: Obstacles) -> str:
    if not units:
        return "It is not cut into units. Cut it first, on the study's page about faithfulness."
    if not summary.book.text_sha256:
        return "Its book is here without text, so there is nothing to check it against. Add the text under Books."
    if job := obstacles.running.get(summary.pk):
        return RUNNING.format(job=job)
    return ""


def _plan(material: Material, endpoint: Endpoint, max_answer_tokens: int) -> Plan:
    """Calls, tokens and cost if every answer can be read at once."""
    calls, answer = len(material.units), min(EXPECTED_ANSWER_TOKENS, max_answer_tokens)
    prompt_tokens = sum(shown.tokens for shown in material.shown)
    seconds = FIRST_TOKEN_SECONDS + answer / TOKENS_PER_SECOND
    return Plan(
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=answer * calls,
        cost_usd=cost_of(endpoint, prompt_tokens, answer * calls),
        batch_seconds=seconds,
        call_seconds=seconds * calls,
        rounds=1,
    )
