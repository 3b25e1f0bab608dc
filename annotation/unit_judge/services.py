"""Launching a judge of units, and storing what it found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from annotation.judge.judges import JudgeParameters, JudgeRefused, judge_with, lock_judge
from annotation.judge.kind import short_problem
from annotation.judge.services import JudgeLaunch, launch_planned, launched_before, require_in_study
from annotation.models import Annotator, FaithfulnessPlan, Study, Unit, UnitVerdict
from annotation.unit_judge.launch_plan import JUDGE_UNITS, plan_unit_job
from annotation.unit_judge.passages import Place
from annotation.unit_judge.strategy import UnitFinding
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.models import Job, Summary


def launch_unit_job(
    *,
    parameters: JudgeParameters,
    plan: FaithfulnessPlan,
    summaries: Iterable[Summary],
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    launch_key: LaunchKey | None = None,
    planned_as: str | None = None,
    run: str = Job.Run.DIRECT,
) -> JudgeLaunch:
    """Launch one job that judges those units of `summaries` that this judge has not judged in the study.

    `planned_as` is the digest of the plan that the person saw; another plan is refused. The same launch sent again,
    under its `launch_key`, returns its job. Raises `JudgeRefused` (also where every summary is left out for another
    reason than that it is judged) or `JobError`; then nothing is stored.
    """
    chosen = list(summaries)
    require_in_study(plan.study, chosen)
    # Searches the books, and keeps what it finds: that takes its time, and nobody else should have to wait for it.
    plan_unit_job(parameters=parameters, plan=plan, summaries=chosen, run=run)
    with transaction.atomic():
        return _launched(parameters, plan, chosen, budget_usd, launched_by, launch_key, planned_as, run)


def _launched(
    parameters: JudgeParameters,
    plan: FaithfulnessPlan,
    chosen: list[Summary],
    budget_usd: Decimal | None,
    launched_by: AbstractBaseUser | None,
    launch_key: LaunchKey | None,
    planned_as: str | None,
    run: str,
) -> JudgeLaunch:
    judge = lock_units_and_judge(plan.study_id, judge_with(parameters).pk)
    planned = plan_unit_job(parameters=parameters, plan=plan, summaries=chosen, run=run)
    if launched := launched_before(judge, planned, launch_key, launched_by, planned_as):
        return launched
    return launch_planned(
        kind=JUDGE_UNITS,
        judge=judge,
        plan=planned,
        parameters={"judge": judge.pk, "study": plan.study_id},
        budget_usd=budget_usd,
        launched_by=launched_by,
        launch_key=launch_key,
    )


def lock_units_and_judge(study_id: int, judge_id: int) -> Annotator:
    """As `lock_judge`, with the study locked first: whoever cuts its units anew holds it, too."""
    Study.objects.select_for_update().filter(pk=study_id).first()
    return lock_judge(judge_id)


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """What a judge found about a unit with this text, from these passages of the book."""

    unit_id: int
    quote: str
    passages: tuple[Place, ...]
    finding: UnitFinding


def save_unit_verdicts(*, judge: Annotator, found: Sequence[FoundUnit], rule: str) -> None:
    """Store one verdict a unit. Runs in the caller's transaction.

    Raises `JudgeRefused` where the units were cut anew meanwhile, or this judge has judged one of them.
    """
    ids = [each.unit_id for each in found]
    units = dict(Unit.objects.select_for_update().filter(pk__in=ids).order_by().values_list("pk", "quote"))
    if any(units.get(each.unit_id) != each.quote for each in found):
        raise JudgeRefused("The units were cut anew meanwhile, so these answers are about others. Launch anew.")
    if UnitVerdict.objects.filter(annotator=judge, unit__in=ids).exists():
        raise JudgeRefused(f"{judge} has judged units of this summary already. Its first verdicts stay.")
    UnitVerdict.objects.bulk_create(
        UnitVerdict(
            annotator=judge,
            unit_id=each.unit_id,
            state=each.finding.state.value,
            call_id=each.finding.call_id,
            passages=[list(place) for place in each.passages],
            rule=rule,
            problem=short_problem(each.finding.problem),
        )
        for each in found
    )
