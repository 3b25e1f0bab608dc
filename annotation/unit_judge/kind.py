"""The kind of job that judges units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotation.judge.costs import PromptTooLong
from annotation.judge.judges import JudgeRefused
from annotation.judge.kind import failed, judge_of_item, summary_of_item
from annotation.models import FaithfulnessPlan
from annotation.unit_judge.judges import settings_of, unit_parameters_of
from annotation.unit_judge.launch_plan import JUDGE_UNITS
from annotation.unit_judge.material import Material, asked_units, material_of, units_to_ask
from annotation.unit_judge.selectors import plan_of_job
from annotation.unit_judge.services import FoundUnit, lock_units_and_judge, save_unit_verdicts
from annotation.unit_judge.strategy import UnitFinding, judge_units
from summarizer.models import Job, JobItem
from summarizer.strategies.base import Strategy


@dataclass(frozen=True, slots=True)
class FoundUnits:
    found: Sequence[FoundUnit]
    rule: str


class UnitJudgeKind:
    """An item is a summary; its job's parameters name the judge and the study: {"judge": id, "study": id}."""

    name = JUDGE_UNITS
    result_template = "annotation/faithfulness/job_result_units.html"
    refusal_fails = False

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        """Each study has units of its own."""
        return Q(job__parameters__judge=parameters.get("judge"), job__parameters__study=parameters.get("study"))

    def lock_work(self, job: Job) -> None:
        lock_units_and_judge(job.parameters["study"], job.parameters["judge"])

    def strategy(self, item: JobItem) -> Strategy[FoundUnits]:
        """Raises `StrategyFailed` when the endpoint is not the judge's any more, or the units or the book are gone."""
        summary, judge = summary_of_item(item), judge_of_item(item)
        try:
            parameters = unit_parameters_of(judge)
            plan = _plan(item)
            material = material_of(summary, units_to_ask(plan, summary, judge), parameters)
            settings = settings_of(parameters)
        except (JudgeRefused, PromptTooLong) as error:
            raise failed("before the first call", str(error)) from error
        return _with_places(judge_units(summary.text, asked_units(summary.book, material), settings), material)

    def save(self, item: JobItem, result: Any) -> None:
        """Store the verdicts. Raises `StrategyFailed` when they are of units that are not there as they were."""
        try:
            save_unit_verdicts(judge=judge_of_item(item), found=result.found, rule=result.rule)
        except JudgeRefused as error:
            raise failed("storing the verdicts", str(error)) from error


def _with_places(strategy: Strategy[list[UnitFinding]], material: Material) -> Strategy[FoundUnits]:
    findings = yield from strategy
    rows = zip(material.units, material.shown, findings, strict=True)
    found = [FoundUnit(unit.pk, unit.quote, shown.passages, finding) for unit, shown, finding in rows]
    return FoundUnits(found, material.rule)


def _plan(item: JobItem) -> FaithfulnessPlan:
    plan = plan_of_job(item.job)
    if plan is None:
        raise JudgeRefused("The study asks for no faithfulness any more, so there are no units to judge.")
    return plan
