"""What judges said of the units of a study, and what it cost. The number of queries does not depend on its size."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet, Sum

from annotation.models import Annotator, FaithfulnessPlan, Study, UnitVerdict
from annotation.unit_judge.launch_plan import JUDGE_UNITS
from annotation.unit_judge.selectors import unit_judges_of
from summarizer.models import JobItem, LLMAttempt


@dataclass(frozen=True)
class UnitCost:
    """`usd` is None where a price is not known for every answer."""

    calls: int
    usd: float | None


@dataclass(frozen=True)
class JudgeOfUnits:
    judge: Annotator
    #: Different unit -> whether the judge calls it supported; None where the answer could not be read.
    verdicts: dict[int, bool | None] = field(default_factory=dict)
    #: Id of a system -> what judging its summaries cost, also in jobs that failed; nothing where no call is here.
    costs: dict[int, UnitCost] = field(default_factory=dict)


def judges_of_units(plan: FaithfulnessPlan) -> list[JudgeOfUnits]:
    """By name; without such judges it takes one query."""
    judges = unit_judges_of(plan)
    if not judges:
        return []
    verdicts: dict[int, dict[int, bool | None]] = defaultdict(dict)
    rows = UnitVerdict.objects.filter(unit__plan=plan, unit__summary__studies=plan.study_id).order_by()
    for judge, unit, state in rows.values_list("annotator", "unit", "state").iterator(5000):
        verdicts[judge][unit] = None if state == UnitVerdict.State.UNPARSED else state == UnitVerdict.State.SUPPORTED
    costs = _costs(plan)
    return [JudgeOfUnits(judge, verdicts[judge.pk], costs.get(judge.pk, {})) for judge in judges]


def unit_judging_items(study: Study) -> QuerySet[JobItem]:
    """What judged units of the study's summaries, also where it failed; of an imported one, what gave its verdicts."""
    made = UnitVerdict.objects.filter(unit__plan__study=study, call__isnull=False).order_by().values("call__item")
    items = JobItem.objects.filter(Q(job__parameters__study=study.pk) | Q(pk__in=made), job__kind=JUDGE_UNITS)
    return items.filter(summary__studies=study)


def _costs(plan: FaithfulnessPlan) -> dict[int, dict[int, UnitCost]]:
    """By judge and system."""
    items = unit_judging_items(plan.study).order_by().values("pk")
    attempts = LLMAttempt.objects.filter(call__item__in=items)
    rows = (
        attempts.order_by()
        .values_list("call__item__job__parameters__judge", "call__item__summary__system")
        .annotate(
            calls=Count("call", distinct=True),
            cost=Sum("cost_usd"),
            unpriced=Count("id", filter=Q(prompt_tokens__isnull=False, cost_usd=None)),
        )
    )
    found: dict[int, dict[int, UnitCost]] = defaultdict(dict)
    for judge, system, calls, cost, unpriced in rows:
        found[judge][system] = UnitCost(calls, None if unpriced else float(cost or 0))
    return found
