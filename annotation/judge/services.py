"""Launching a judge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from annotation.judge.judges import JudgeParameters, JudgeRefused, judge_for, judge_with, lock_judge
from annotation.judge.launch_plan import JUDGE, JudgePlan, plan_judge_job
from annotation.models import Annotator, Study
from annotation.services.studies import add_judge
from summarizer.jobs.launch_keys import LaunchKey, launched_with, note_launch
from summarizer.jobs.services import launch_job, retry_job
from summarizer.models import Job, Summary

__all__ = ["JudgeLaunch", "JudgeRefused", "judge_for", "launch_judge_job", "plan_judge_job"]


@dataclass(frozen=True, slots=True)
class JudgeLaunch:
    """`job` is None when the judge had marked all summaries before: then nothing runs and nothing is paid."""

    judge: Annotator
    job: Job | None
    plan: JudgePlan


@transaction.atomic
def launch_judge_job(
    *,
    parameters: JudgeParameters,
    summaries: Iterable[Summary],
    study: Study | None = None,
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    launch_key: LaunchKey | None = None,
    planned_as: str | None = None,
    run: str = Job.Run.DIRECT,
) -> JudgeLaunch:
    """Launch one job that judges those of `summaries` that this judge has not marked, and add the judge to `study`.

    `planned_as` is the digest of the plan that the person saw; another plan is refused. The same launch sent again,
    under its `launch_key`, returns its job. Raises `JudgeRefused` (also where every summary is left out for another
    reason than that it is judged), `StudyError` or `JobError`; then nothing is stored.
    """
    chosen = list(summaries)
    require_in_study(study, chosen)
    judge = lock_judge(judge_with(parameters).pk)
    plan = plan_judge_job(parameters=parameters, summaries=chosen, run=run)
    if launched := launched_before(judge, plan, launch_key, launched_by, planned_as):
        return launched
    if study:
        add_judge(study=study, judge=judge)
    return launch_planned(
        kind=JUDGE,
        judge=judge,
        plan=plan,
        parameters={"judge": judge.pk, "study": study.pk if study else None},
        budget_usd=budget_usd,
        launched_by=launched_by,
        launch_key=launch_key,
    )


def launched_before(
    judge: Annotator,
    plan: JudgePlan,
    launch_key: LaunchKey | None,
    launched_by: AbstractBaseUser | None,
    planned_as: str | None,
) -> JudgeLaunch | None:
    """What this very launch made before. Raises `JudgeRefused` for another plan than the person saw, and `JobError`."""
    if launched := launched_with(launch_key, launched_by):
        return JudgeLaunch(judge, launched, plan)
    if planned_as and planned_as != plan.digest:
        raise JudgeRefused(
            "The plan has changed since it was shown. Look at the new one, and launch again if it suits you."
        )
    return None


def launch_planned(
    *,
    kind: str,
    judge: Annotator,
    plan: JudgePlan,
    parameters: Mapping[str, Any],
    budget_usd: Decimal | None,
    launched_by: AbstractBaseUser | None,
    launch_key: LaunchKey | None,
) -> JudgeLaunch:
    """Go on with the job that stopped, or launch one for what is left. Raises `JudgeRefused` where there is nothing."""
    if plan.resumes:
        job = _resumed(plan, plan.resumes, budget_usd)
        note_launch(launch_key, job, launched_by)
        return JudgeLaunch(judge, job, plan)
    if plan.nothing_left:
        return JudgeLaunch(judge, None, plan)
    if not plan.to_judge:
        raise JudgeRefused(_nothing_to_judge(plan))
    job = launch_job(
        kind=kind,
        endpoint=plan.parameters.endpoint,
        subjects=[entry.summary for entry in plan.to_judge],
        parameters=parameters,
        plan=plan.as_json(),
        budget_usd=budget_usd,
        launched_by=launched_by,
        launch_key=launch_key,
        run=plan.run,
    )
    return JudgeLaunch(judge, job, plan)


def _resumed(plan: JudgePlan, job_id: int, budget_usd: Decimal | None) -> Job:
    job = Job.objects.get(pk=job_id)
    stopped = [entry.summary.pk for entry in plan.summaries if entry.stopped_in]
    retry_job(job=job, items=job.items.filter(summary__in=stopped), budget_usd=budget_usd, run=plan.run)
    return job


def require_in_study(study: Study | None, summaries: Sequence[Summary]) -> None:
    if study is None:
        return
    ids = set(study.summaries.values_list("pk", flat=True))
    if strangers := [str(summary) for summary in summaries if summary.pk not in ids]:
        more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise JudgeRefused(
            f"Not in the study “{study.title}”: {', '.join(strangers[:3])}{more}. Add them to the study first, or "
            "launch without a study."
        )


def _nothing_to_judge(plan: JudgePlan) -> str:
    if not plan.summaries:
        return "Choose at least one summary to judge."
    reasons = [f"{entry.summary}: {entry.left_out}" for entry in plan.left_out[:5]]
    more = [f"and {len(plan.left_out) - 5} more."] if len(plan.left_out) > 5 else []
    return " ".join(["There is nothing to judge.", *reasons, *more])
