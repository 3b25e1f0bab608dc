"""What launching a judge would do and cost, as shown before it."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.judge.costs import PromptTooLong, plan_judging
from annotation.judge.judges import JudgeParameters, existing_judge, free_name
from annotation.judge.strategy import JudgedSummary, is_demonstration
from annotation.models import AnnotationSet, Annotator
from summarizer.models import Job, JobItem, LLMCall, Sentence, Summary
from summarizer.strategies.plan import Plan, total

#: Key of the job kind.
JUDGE = "judge"
#: Why a summary is left out of a launch.
RUNNING = "Job {job} of this judge is at it."
STOPPED = "Job {job} of this judge stopped on it and holds answers that are paid. Retry that job for it."


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """One summary of a launch: its plan, or why it is left out."""

    summary: Summary
    #: Its sentences; for a judge of units, the units that it has yet to judge.
    count: int
    plan: Plan | None = None
    left_out: str = ""
    #: This judge has marked it already.
    is_judged: bool = False
    #: The job of this judge that ended on it without a result, with answers that are paid.
    stopped_in: int | None = None
    #: Not worked out yet; planning again goes on from there.
    pending: bool = False
    #: Units of which fewer passages are shown than were asked for, because the context window ends.
    cut: int = 0


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What a launch would do and cost, as shown before it."""

    parameters: JudgeParameters
    judge_name: str
    summaries: list[SummaryPlan]
    total: Plan
    run: str = Job.Run.DIRECT

    @property
    def to_judge(self) -> list[SummaryPlan]:
        return [entry for entry in self.summaries if entry.plan]

    @property
    def left_out(self) -> list[SummaryPlan]:
        return [entry for entry in self.summaries if entry.left_out]

    @property
    def pending(self) -> list[SummaryPlan]:
        return [entry for entry in self.summaries if entry.pending]

    @property
    def nothing_left(self) -> bool:
        """There is nothing to do, because this judge has judged whatever it can."""
        judged = any(entry.is_judged for entry in self.summaries)
        return judged and not self.to_judge and not self.resumes and not self.pending

    @property
    def resumes(self) -> int | None:
        """The job that a launch goes on with instead of making one, so that paid answers are used: where nothing else
        is to be judged and only one job stopped."""
        jobs = {entry.stopped_in for entry in self.summaries if entry.stopped_in}
        return jobs.pop() if len(jobs) == 1 and not self.to_judge and not self.pending else None

    def only(self, summary_ids: Collection[int]) -> "JudgePlan":
        """The plan for some of the summaries."""
        entries = [entry for entry in self.summaries if entry.summary.pk in summary_ids]
        return replace(self, summaries=entries, total=total(entry.plan for entry in entries if entry.plan))

    @property
    def by_batch(self) -> bool:
        return self.run == Job.Run.BATCH

    @property
    def seconds(self) -> float | None:
        """None by batch: the server takes the time it wants, up to a day."""
        return None if self.by_batch else self.total.seconds(self.parameters.endpoint)

    @property
    def digest(self) -> str:
        """Changes with whatever a person agrees to by launching: the summaries, the calls and the cost."""
        chosen = [entry.summary.pk for entry in self.to_judge]
        agreed = [chosen, self.total.calls, str(self.total.cost_usd), self.resumes, str(self.run)]
        return hashlib.sha256(json.dumps(agreed).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """What is kept with the job; `items` has the summaries in the job's order."""
        items = [
            {
                "summary": entry.summary.pk,
                "calls": entry.plan.calls,
                "cost_usd": entry.plan.as_json()["cost_usd"],
            }
            for entry in self.to_judge
            if entry.plan
        ]
        left_out = [{"summary": entry.summary.pk, "reason": entry.left_out} for entry in self.left_out]
        seconds = None if self.seconds is None else round(self.seconds)
        return {**self.total.as_json(), "seconds": seconds, "items": items, "left_out": left_out}


def plan_judge_job(
    *, parameters: JudgeParameters, summaries: Iterable[Summary], run: str = Job.Run.DIRECT
) -> JudgePlan:
    """What judging `summaries` would do and cost, with the reason for each that is left out. Stores nothing."""
    judge = existing_judge(parameters)
    chosen = list(summaries)
    sentences = _sentences_of(chosen)
    obstacles = _obstacles(judge, chosen)
    entries = [_plan_summary(summary, sentences[summary.pk], parameters, obstacles) for summary in chosen]
    if run == Job.Run.BATCH:
        entries = [replace(entry, plan=entry.plan.by_batch()) if entry.plan else entry for entry in entries]
    return JudgePlan(
        parameters=parameters,
        judge_name=judge.pseudonym if judge else free_name(parameters),
        summaries=entries,
        total=total(entry.plan for entry in entries if entry.plan),
        run=run,
    )


def judged_summary(summary: Summary, sentences: Iterable[Sentence]) -> JudgedSummary:
    """A stored summary as the strategy takes it; `sentences` in their order."""
    return JudgedSummary(summary.text, tuple((sentence.start, sentence.end) for sentence in sentences))


def _sentences_of(summaries: Sequence[Summary]) -> dict[int, list[Sentence]]:
    found: dict[int, list[Sentence]] = {summary.pk: [] for summary in summaries}
    for sentence in Sentence.objects.filter(summary__in=list(found)).order_by("summary", "index"):
        found[sentence.summary_id].append(sentence)
    return found


@dataclass(frozen=True, slots=True)
class Obstacles:
    """By id of the summary: judged already; job that is at it; job that ended on it with answers that were paid."""

    judged: Collection[int]
    running: dict[int | None, int]
    stopped: dict[int | None, int]


def _obstacles(judge: Annotator | None, summaries: Sequence[Summary]) -> Obstacles:
    if judge is None:
        return Obstacles(frozenset(), {}, {})
    judged = AnnotationSet.objects.filter(annotator=judge, summary__in=summaries, study=None)
    items = JobItem.objects.filter(job__kind=JUDGE, job__parameters__judge=judge.pk, summary__in=summaries)
    return obstacles_of(judge, set(judged.values_list("summary", flat=True)), items)


def obstacles_of(judge: Annotator, judged: Collection[int], items: QuerySet[JobItem]) -> Obstacles:
    """`items`: those of the judge's jobs on the summaries in question."""
    State = JobItem.State
    paid = LLMCall.objects.filter(item=OuterRef("pk"), state=LLMCall.State.DONE)
    stopped = items.filter(Exists(paid), state__in=(State.FAILED, State.CANCELLED))
    return Obstacles(
        judged=judged,
        running=dict(items.filter(state__in=JobItem.UNFINISHED).values_list("summary_id", "job_id")),
        stopped=dict(stopped.values_list("summary_id", "job_id")) if judge.endpoint and judge.endpoint.is_llm else {},
    )


def _plan_summary(
    summary: Summary, sentences: Sequence[Sentence], parameters: JudgeParameters, obstacles: Obstacles
) -> SummaryPlan:
    count = len(sentences)
    if summary.pk in obstacles.judged:
        return SummaryPlan(summary, count, left_out="This judge has marked it already.", is_judged=True)
    if reason := _reason_against(summary, count, parameters, obstacles):
        return SummaryPlan(summary, count, left_out=reason)
    if job := obstacles.stopped.get(summary.pk):
        return SummaryPlan(summary, count, left_out=STOPPED.format(job=job), stopped_in=job)
    endpoint = parameters.endpoint
    try:
        plan = plan_judging(
            judged_summary(summary, sentences), parameters.settings(), endpoint, endpoint.context_window
        )
    except PromptTooLong as error:
        return SummaryPlan(summary, count, left_out=f"{error} Choose an endpoint with a larger one.")
    return SummaryPlan(summary, count, plan)


def _reason_against(summary: Summary, sentences: int, parameters: JudgeParameters, obstacles: Obstacles) -> str:
    if not sentences:
        return "It is empty, so there is nothing to judge."
    if is_demonstration(summary.text, parameters.settings()):
        return "The judge's own prompt shows it as a demonstration, so its score would mean nothing."
    if job := obstacles.running.get(summary.pk):
        return RUNNING.format(job=job)
    return ""
