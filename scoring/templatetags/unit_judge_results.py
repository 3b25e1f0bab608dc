"""The part of the page of a job that judges units that shows scores."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context

from annotation.judge.selectors import judge_of
from annotation.unit_judge.selectors import JudgedUnits, judged_units, plan_of_job
from scoring.statistics.unit_judge import UnitScore, unit_score
from summarizer.models import Job

register = template.Library()


@dataclass(frozen=True, slots=True)
class ScoredUnits:
    """`score` is None while no unit of the summary is judged, or while the viewer may not see it."""

    judged: JudgedUnits
    score: UnitScore | None


@register.simple_tag(takes_context=True)
def unit_judge_results(context: Context, job: Job) -> dict[str, Any]:
    """{"judge", "study", "rows": one a summary, in the job's order}, as the person who looks may see it."""
    rows = [ScoredUnits(each, _score(each)) for each in judged_units(job, context["request"].user)]
    plan = plan_of_job(job)
    return {"judge": judge_of(job), "study": plan.study if plan else None, "rows": rows}


def _score(judged: JudgedUnits) -> UnitScore | None:
    counts = judged.counts
    if counts is None or not counts.is_judged:
        return None
    return unit_score(units=counts.units, supported=counts.supported, unsupported=counts.unsupported)
