"""The part of a judge job's page that shows scores."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context

from annotation.judge.selectors import JudgedItem, judge_of, judged_items
from scoring.statistics.booookscore import JudgeScore, judge_score
from summarizer.models import Job

register = template.Library()


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """`score` is None while the summary is not judged, or while the viewer may not see it."""

    judged: JudgedItem
    score: JudgeScore | None


@register.simple_tag(takes_context=True)
def judge_results(context: Context, job: Job) -> dict[str, Any]:
    """{"judge", "rows": one a summary, in the job's order}, as the person who looks at the page may see it."""
    rows = [ScoredItem(each, _score(each)) for each in judged_items(job, context["request"].user)]
    return {"judge": judge_of(job), "rows": rows}


@register.filter
def percent(share: float | None) -> str:
    """0.8214 as 82.1."""
    return "" if share is None else f"{100 * share:.1f}"


def _score(judged: JudgedItem) -> JudgeScore | None:
    counts = judged.counts
    if counts is None or counts.confused is None or counts.unparsed is None:
        return None
    return judge_score(sentences=counts.sentences, confused=counts.confused, unparsed=counts.unparsed)
