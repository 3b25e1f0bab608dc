"""Launching a judge: what it would do and cost, and then the job."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.judge.judges import (
    JudgeParameters,
    JudgeRefused,
    existing_judge,
    free_name,
    judge_for,
    judge_with,
)
from annotation.judge.plan import PromptTooLong, plan_judging
from annotation.judge.strategy import JudgedSummary, is_demonstration
from annotation.models import AnnotationSet, Annotator, Study
from annotation.services.studies import add_judge
from summarizer.jobs.services import launch_job
from summarizer.models import Job, JobItem, LLMCall, Sentence, Summary
from summarizer.strategies.plan import Plan, total

__all__ = [
    "JUDGE",
    "JudgeLaunch",
    "JudgePlan",
    "JudgeRefused",
    "judge_for",
    "launch_judge_job",
    "plan_judge_job",
]

#: Key of the job kind.
JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """One summary of a launch: its plan, or why it is left out."""

    summary: Summary
    sentences: int
    plan: Plan | None = None
    left_out: str = ""
    #: This judge has marked it already.
    is_judged: bool = False


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What a launch would do and cost, as shown before it."""

    parameters: JudgeParameters
    judge_name: str
    summaries: list[SummaryPlan]
    total: Plan

    @property
    def to_judge(self) -> list[SummaryPlan]:
        return [entry for entry in self.summaries if entry.plan]

    @property
    def left_out(self) -> list[SummaryPlan]:
        return [entry for entry in self.summaries if entry.left_out]

    @property
    def nothing_left(self) -> bool:
        """There is nothing to do, because this judge has marked whatever it can judge."""
        return not self.to_judge and any(entry.is_judged for entry in self.summaries)

    def only(self, summary_ids: Collection[int]) -> "JudgePlan":
        """The plan for some of the summaries."""
        entries = [entry for entry in self.summaries if entry.summary.pk in summary_ids]
        return replace(self, summaries=entries, total=total(entry.plan for entry in entries if entry.plan))

    @property
    def seconds(self) -> float:
        return self.total.seconds(self.parameters.endpoint)

    @property
    def digest(self) -> str:
        """Changes with whatever a person agrees to by launching: the summaries, the calls and the cost."""
        agreed = [[entry.summary.pk for entry in self.to_judge], self.total.calls, str(self.total.cost_usd)]
        return hashlib.sha256(json.dumps(agreed).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """What is kept with the job; `items` has the summaries in the job's order."""
        items = [{"summary": entry.summary.pk, "calls": entry.plan.calls} for entry in self.to_judge if entry.plan]
        left_out = [{"summary": entry.summary.pk, "reason": entry.left_out} for entry in self.left_out]
        return {**self.total.as_json(), "seconds": round(self.seconds), "items": items, "left_out": left_out}


@dataclass(frozen=True, slots=True)
class JudgeLaunch:
    """`job` is None when the judge had marked all summaries before: then nothing runs and nothing is paid."""

    judge: Annotator
    job: Job | None
    plan: JudgePlan


def plan_judge_job(*, parameters: JudgeParameters, summaries: Iterable[Summary]) -> JudgePlan:
    """What judging `summaries` would do and cost, with the reason for each that is left out. Stores nothing."""
    judge = existing_judge(parameters)
    chosen = list(summaries)
    sentences = _sentences_of(chosen)
    obstacles = _obstacles(judge, chosen)
    entries = [_plan_summary(summary, sentences[summary.pk], parameters, obstacles) for summary in chosen]
    return JudgePlan(
        parameters=parameters,
        judge_name=judge.pseudonym if judge else free_name(parameters),
        summaries=entries,
        total=total(entry.plan for entry in entries if entry.plan),
    )


@transaction.atomic
def launch_judge_job(
    *,
    parameters: JudgeParameters,
    summaries: Iterable[Summary],
    study: Study | None = None,
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    client_key: UUID | None = None,
    planned_as: str | None = None,
) -> JudgeLaunch:
    """Launch one job that judges those of `summaries` that this judge has not marked, and add the judge to `study`.

    `planned_as` is the digest of the plan that the person saw; another plan is refused. A second launch with the same
    `client_key` returns the job of the first. Raises `JudgeRefused` (also where every summary is left out for another
    reason than that it is judged), `StudyError` or `JobError`; then nothing is stored.
    """
    chosen = list(summaries)
    _require_in_study(study, chosen)
    judge = judge_with(parameters)
    # Two launches of one judge come one after the other, so no summary is judged and paid twice.
    judge = Annotator.objects.select_for_update(of=("self",)).get(pk=judge.pk)
    plan = plan_judge_job(parameters=parameters, summaries=chosen)
    if client_key and (launched := Job.objects.filter(client_key=client_key).first()):
        return JudgeLaunch(judge, launched, plan)
    if planned_as and planned_as != plan.digest:
        raise JudgeRefused(
            "The plan has changed since it was shown. Look at the new one, and launch again if it suits you."
        )
    if study:
        add_judge(study=study, judge=judge)
    if plan.nothing_left:
        return JudgeLaunch(judge, None, plan)
    if not plan.to_judge:
        raise JudgeRefused(_nothing_to_judge(plan))
    job = launch_job(
        kind=JUDGE,
        endpoint=parameters.endpoint,
        subjects=[entry.summary for entry in plan.to_judge],
        parameters={"judge": judge.pk, "study": study.pk if study else None},
        plan=plan.as_json(),
        budget_usd=budget_usd,
        launched_by=launched_by,
        client_key=client_key,
    )
    return JudgeLaunch(judge, job, plan)


def judged_summary(summary: Summary, sentences: Iterable[Sentence]) -> JudgedSummary:
    """A stored summary as the strategy takes it; `sentences` in their order."""
    return JudgedSummary(summary.text, tuple((sentence.start, sentence.end) for sentence in sentences))


def _require_in_study(study: Study | None, summaries: Sequence[Summary]) -> None:
    if study is None:
        return
    ids = set(study.summaries.values_list("pk", flat=True))
    if strangers := [str(summary) for summary in summaries if summary.pk not in ids]:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise JudgeRefused(
            f"Not in the study “{study.title}”: {', '.join(strangers[:3])}{more}. Add them to the study first, or "
            "launch without a study."
        )


def _sentences_of(summaries: Sequence[Summary]) -> dict[int, list[Sentence]]:
    found: dict[int, list[Sentence]] = {summary.pk: [] for summary in summaries}
    for sentence in Sentence.objects.filter(summary__in=list(found)).order_by("summary", "index"):
        found[sentence.summary_id].append(sentence)
    return found


@dataclass(frozen=True, slots=True)
class _Obstacles:
    """By id of the summary: judged already; job that is at it; job that ended on it with answers that were paid."""

    judged: Collection[int]
    running: dict[int | None, int]
    stopped: dict[int | None, int]


def _obstacles(judge: Annotator | None, summaries: Sequence[Summary]) -> _Obstacles:
    if judge is None:
        return _Obstacles(frozenset(), {}, {})
    State = JobItem.State
    judged = AnnotationSet.objects.filter(annotator=judge, summary__in=summaries, study=None)
    items = JobItem.objects.filter(job__kind=JUDGE, job__parameters__judge=judge.pk, summary__in=summaries)
    paid = LLMCall.objects.filter(item=OuterRef("pk"), state=LLMCall.State.DONE)
    stopped = items.filter(Exists(paid), state__in=(State.FAILED, State.CANCELLED))
    return _Obstacles(
        judged=set(judged.values_list("summary", flat=True)),
        running=dict(items.filter(state__in=(State.QUEUED, State.RUNNING)).values_list("summary_id", "job_id")),
        stopped=dict(stopped.values_list("summary_id", "job_id")) if judge.endpoint and judge.endpoint.is_llm else {},
    )


def _plan_summary(
    summary: Summary, sentences: Sequence[Sentence], parameters: JudgeParameters, obstacles: _Obstacles
) -> SummaryPlan:
    count = len(sentences)
    if summary.pk in obstacles.judged:
        return SummaryPlan(summary, count, left_out="This judge has marked it already.", is_judged=True)
    if reason := _reason_against(summary, count, parameters, obstacles):
        return SummaryPlan(summary, count, left_out=reason)
    endpoint = parameters.endpoint
    try:
        plan = plan_judging(
            judged_summary(summary, sentences), parameters.settings(), endpoint, endpoint.context_window
        )
    except PromptTooLong as error:
        return SummaryPlan(summary, count, left_out=f"{error} Choose an endpoint with a larger one.")
    return SummaryPlan(summary, count, plan)


def _reason_against(summary: Summary, sentences: int, parameters: JudgeParameters, obstacles: _Obstacles) -> str:
    if not sentences:
        return "It is empty, so there is nothing to judge."
    if is_demonstration(summary.text, parameters.settings().prompts):
        return "The judge's own prompt shows it as a demonstration, so its score would mean nothing."
    if job := obstacles.running.get(summary.pk):
        return f"Job {job} of this judge is at it."
    if job := obstacles.stopped.get(summary.pk):
        return f"Job {job} of this judge stopped on it and holds answers that are paid. Retry that job instead."
    return ""


def _nothing_to_judge(plan: JudgePlan) -> str:
    if not plan.summaries:
        return "Choose at least one summary to judge."
    reasons = [f"{entry.summary}: {entry.left_out}" for entry in plan.left_out[:5]]
    more = [f"and {len(plan.left_out) - 5} more."] if len(plan.left_out) > 5 else []
    return " ".join(["There is nothing to judge.", *reasons, *more])
