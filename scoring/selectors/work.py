"""How far the people of a study are, and what its LLM calls cost."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum

from annotation.models import AnnotationSet, Annotator, Assignment, Study
from annotation.selectors.pay import earned_by, pay_of_people, rates_of
from annotation.selectors.progress import Progress, TaskProgress
from scoring.selectors.unit_judges import unit_judging_items
from summarizer.models import JobItem, LLMAttempt, LLMCall
from summarizer.selectors.costs import items_that_made, planned_cost

#: What was done in a submitted task, by its kind.
DONE = {
    Assignment.Task.ANNOTATE: "annotated",
    Assignment.Task.REVIEW: "reviewed",
    Assignment.Task.COMPARE: "compared",
    Assignment.Task.FINE: "judged by units",
    Assignment.Task.COARSE: "rated",
}


@dataclass(frozen=True)
class PersonProgress:
    """Tasks of one person, without those that were left out or given to others: their places are free."""

    person: str
    #: (what was done, submitted, all) of each kind of which the person has any.
    tasks: list[tuple[str, int, int]]


def people_progress(study: Study) -> list[PersonProgress]:
    """The people who have tasks, or had one that ended without being submitted."""
    submitted, has = Q(state=Assignment.State.SUBMITTED), ~Q(state=Assignment.State.SKIPPED)
    rows = Assignment.objects.filter(study=study).order_by().values_list("annotator__pseudonym", "task")
    counted = rows.annotate(done=Count("id", filter=submitted), all=Count("id", filter=has))
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for person, task, done, all_of_them in counted:
        found[person][task] = done, all_of_them
    return [
        PersonProgress(
            person, [(words, *tasks[task]) for task, words in DONE.items() if task in tasks and tasks[task][1]]
        )
        for person, tasks in sorted(found.items())
    ]


def tasks_of_all(progress: Progress) -> list[tuple[str, TaskProgress]]:
    """What was done, and how far it is, of each kind of task that the study has."""
    return [(words, progress.of_task(task)) for task, words in DONE.items() if progress.of_task(task).total]


def imported_sets(study: Study) -> int:
    """Submitted sets of people who never had a task here."""
    sets = AnnotationSet.objects.filter(
        study=study,
        state=AnnotationSet.State.SUBMITTED,
        annotator__kind=Annotator.Kind.PERSON,
        annotator__user__isnull=True,
        annotator__left_at__isnull=True,
    )
    return sets.count()


@dataclass(frozen=True)
class Costs:
    calls: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    #: None where a price is not known for every answer.
    cost_usd: float | None
    #: What lost answers and calls under way may cost at most on top of it.
    possible_usd: float | None
    #: The estimate from before the launch of what was begun; None where there was none for a part of it.
    planned_usd: float | None


def study_costs(study: Study, judges: Sequence[int]) -> dict[str, Costs]:
    """What making the study's summaries, judging them by its judges (ids), and judging its units cost."""
    making = items_that_made(study.summaries.all())
    judging = JobItem.objects.filter(job__kind="judge", summary__studies=study, job__parameters__judge__in=judges)
    of_units = unit_judging_items(study)
    return {"summaries": _costs(making), "judging": _costs(judging), "judging_units": _costs(of_units)}


def judging_costs(study: Study) -> dict[tuple[int, int], float | None]:
    """(judge, system) -> USD that judging the system's summaries in the study cost; None where a price is not known."""
    rows = (
        LLMAttempt.objects.filter(call__item__job__kind="judge", call__item__summary__studies=study)
        .order_by()
        .values_list("call__item__job__parameters__judge", "call__item__summary__system")
        .annotate(cost=Sum("cost_usd"), unpriced=Count("id", filter=Q(prompt_tokens__isnull=False, cost_usd=None)))
    )
    return {(judge, system): None if unpriced else float(cost or 0) for judge, system, cost, unpriced in rows}


@dataclass(frozen=True)
class PeopleCost:
    """What people's submitted work is worth by the study's pay; None where that kind of work, or any, has no pay."""

    annotating_usd: float | None
    reviewing_usd: float | None
    comparing_usd: float | None
    checking_usd: float | None
    total_usd: float | None
    active_hours: float | None


def people_cost(study: Study) -> PeopleCost:
    rates = rates_of(study)
    if not rates.any:
        return PeopleCost(None, None, None, None, None, None)
    people = pay_of_people(study, checks=False)
    so_far = earned_by(people)
    paid = {
        "annotating": rates.annotating,
        "reviewing": rates.reviewing,
        "comparing": rates.comparing,
        "checking": rates.checking,
    }
    known = {name: any(rate is not None for rate in each) for name, each in paid.items()}
    return PeopleCost(
        annotating_usd=float(so_far.annotating) if known["annotating"] else None,
        reviewing_usd=float(so_far.reviewing) if known["reviewing"] else None,
        comparing_usd=float(so_far.comparing) if known["comparing"] else None,
        checking_usd=float(so_far.checking) if known["checking"] else None,
        total_usd=float(so_far.total) if any(known.values()) else None,
        active_hours=sum(each.work.seconds for each in people) / 3600,
    )


def _costs(items: QuerySet[JobItem]) -> Costs:
    calls = LLMCall.objects.filter(item__in=items.order_by().values("pk"))
    totals = LLMAttempt.objects.filter(call__in=calls).aggregate(
        calls=Count("call", distinct=True),
        attempts=Count("id"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        cost=Sum("cost_usd"),
        possible=Sum("possible_cost_usd", filter=Q(cost_usd=None)),
        unpriced=Count("id", filter=Q(prompt_tokens__isnull=False, cost_usd__isnull=True)),
    )
    planned = planned_cost(items.filter(calls__isnull=False)) if totals["attempts"] else None
    known = totals["attempts"] and not totals["unpriced"]
    return Costs(
        calls=totals["calls"],
        attempts=totals["attempts"],
        prompt_tokens=totals["prompt"] or 0,
        completion_tokens=totals["completion"] or 0,
        cost_usd=float(totals["cost"] or 0) if known else None,
        possible_usd=float(totals["possible"] or 0) if known else None,
        planned_usd=None if planned is None else float(planned),
    )
