"""What people of a study are owed and were paid, and what the study costs in people's work."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet, Sum

from annotation.faithfulness.selectors import plan_of, planned_work
from annotation.models import (
    AnnotationSet,
    Annotator,
    Assignment,
    Payment,
    Purpose,
    Rating,
    ReviewItem,
    Study,
    UnitJudgement,
)
from annotation.pay import NOTHING, Amounts, Rates, Work, amounts
from annotation.selectors.progress import progress_of_studies

ANNOTATE, REVIEW, COMPARE, FINE, COARSE = "annotate", "review", "compare", "fine", "coarse"


@dataclass(frozen=True)
class PersonPay:
    annotator: Annotator
    work: Work
    earned: Amounts
    #: Without those that were undone.
    payments: Sequence[Payment] = field(default=())

    @property
    def paid(self) -> Decimal:
        return sum((payment.amount for payment in self.payments), NOTHING)

    @property
    def due(self) -> Decimal:
        """What is still owed; below 0 where a person was paid more than the work is worth now."""
        return self.earned.total - self.paid


@dataclass(frozen=True)
class StudyCost:
    """What people's work cost so far, and what it will cost once everything that the study asks for is submitted."""

    so_far: Amounts
    paid: Decimal
    #: None where it can't be told yet; `unknown` says why.
    at_completion: Decimal | None
    unknown: str = ""


def rates_of(study: Study) -> Rates:
    return Rates(
        summary=study.pay_per_summary,
        hour=study.pay_per_hour,
        reviewed_summary=study.pay_per_reviewed_summary,
        reviewed_mark=study.pay_per_reviewed_mark,
        review_hour=study.pay_per_review_hour,
        comparison=study.pay_per_comparison,
        comparison_hour=study.pay_per_comparison_hour,
        unit=study.pay_per_unit,
        unit_hour=study.pay_per_unit_hour,
        rating=study.pay_per_rating,
        rating_hour=study.pay_per_rating_hour,
    )


def pay_of_people(study: Study, *, checks: bool = True) -> list[PersonPay]:
    """Everybody who submitted a task here or was paid, by pseudonym; the number of queries does not grow.

    Attention checks are work and are paid like the rest; without them it is what the study's results cost.
    """
    work = _work_of_people(study, checks=checks)
    payments: dict[int, list[Payment]] = defaultdict(list)
    for payment in study.payments.filter(undone_at=None).order_by("paid_at", "pk"):
        payments[payment.annotator_id].append(payment)
    people = Annotator.objects.filter(pk__in={*work, *payments}).select_related("user").order_by("pseudonym")
    rates = rates_of(study)
    return [
        PersonPay(person, done, amounts(done, rates), payments.get(person.pk, ()))
        for person in people
        for done in [work.get(person.pk, Work())]
    ]


def pay_of(study: Study, annotator_id: int) -> PersonPay | None:
    return next((each for each in pay_of_people(study) if each.annotator.pk == annotator_id), None)


def earned_by(people: Sequence[PersonPay]) -> Amounts:
    """What the submitted work of all of them is worth."""
    return Amounts(
        annotating=sum((each.earned.annotating for each in people), NOTHING),
        reviewing=sum((each.earned.reviewing for each in people), NOTHING),
        comparing=sum((each.earned.comparing for each in people), NOTHING),
        checking=sum((each.earned.checking for each in people), NOTHING),
    )


def study_cost(study: Study, people: Sequence[PersonPay]) -> StudyCost:
    """The cost of people's work, from their `pay_of_people`."""
    so_far = earned_by(people)
    paid = sum((each.paid for each in people), NOTHING)
    complete, unknown = _complete_work(study, people)
    at_completion = None if unknown else max(amounts(complete, rates_of(study)).total, so_far.total)
    return StudyCost(so_far, paid, at_completion, unknown)


def _complete_work(study: Study, people: Sequence[PersonPay]) -> tuple[Work, str]:
    """Everything that the study asks for, and why that can't be told yet where it can't.

    Hours are taken to go on as they were on average so far.
    """
    progress, rates = progress_of_studies([study])[study.pk], rates_of(study)
    annotations = progress.annotate.total or study.summaries.count() * study.annotation_overlap
    annotations += _checks_to_annotate(study)
    done = [each.work for each in people]
    annotated, reviewed, compared, judged, rated = (
        sum(getattr(work, name) for work in done) for name in ("annotated", "reviewed", "compared", "units", "ratings")
    )
    units, ratings = _units_and_ratings(study, judged, rated)
    complete = Work(
        annotated=annotations,
        seconds=_going_on(sum(work.seconds for work in done), annotated, annotations),
        compared=progress.compare.total,
        comparison_seconds=_going_on(sum(work.comparison_seconds for work in done), compared, progress.compare.total),
        units=units,
        unit_seconds=_going_on(sum(work.unit_seconds for work in done), judged, units),
        ratings=ratings,
        rating_seconds=_going_on(sum(work.rating_seconds for work in done), rated, ratings),
    )
    if rates.hour is not None and not annotated:
        return complete, "The hours are known once summaries are submitted."
    if rates.comparison_hour is not None and progress.compare.total and not compared:
        return complete, "The hours are known once comparisons are submitted."
    unknown_units = rates.unit_hour is not None and units and not judged
    unknown_ratings = rates.rating_hour is not None and ratings and not rated
    if unknown_units or unknown_ratings:
        return complete, "The hours are known once summaries are checked."
    if study.review_overlap and any(rate is not None for rate in rates.reviewing):
        if study.phase in (Study.Phase.SETUP, Study.Phase.ANNOTATING):
            return complete, "What there is to review is known once the review opens."
        marks = sum(_marks_of_summaries(study, planted=True).values()) * study.review_overlap
        seconds = _going_on(sum(work.review_seconds for work in done), reviewed, progress.review.total)
        complete = replace(complete, reviewed=progress.review.total, marks=marks, review_seconds=seconds)
        if rates.review_hour is not None and progress.review.total and not reviewed:
            return complete, "The hours are known once reviews are submitted."
    return complete, ""


def _units_and_ratings(study: Study, judged: int, rated: int) -> tuple[int, int]:
    """All that the study's plan asks for; at least what was done."""
    plan = plan_of(study)
    if plan is None or plan.is_imported:
        return judged, rated
    planned = planned_work(plan)
    return max(planned.judgements, judged), max(planned.ratings, rated)


def _going_on(seconds: int, done: int, wanted: int) -> int:
    return round(seconds / done * wanted) if done else 0


def _work_of_people(study: Study, *, checks: bool) -> dict[int, Work]:
    """By annotator: what they submitted as tasks. What was imported is not paid for here."""
    purposes = {Purpose.STUDY, Purpose.CHECK} if checks else {Purpose.STUDY}
    submitted = Assignment.all_purposes.filter(
        study=study, purpose__in=purposes, state=Assignment.State.SUBMITTED
    ).order_by()
    plan = plan_of(study)
    if plan is not None and plan.is_imported:
        submitted = submitted.exclude(task__in=(FINE, COARSE))
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for annotator, task, count in submitted.values_list("annotator", "task").annotate(Count("pk")):
        counts[annotator][task] = count
    sets = AnnotationSet.all_purposes.filter(
        study=study, purpose__in=purposes, state=AnnotationSet.State.SUBMITTED, annotator__in=list(counts)
    ).order_by()
    seconds = dict(sets.values_list("annotator").annotate(Sum("active_seconds")))
    reviewing = dict(submitted.filter(task=REVIEW).values_list("annotator").annotate(Sum("active_seconds")))
    comparing = dict(
        submitted.filter(task=COMPARE).values_list("annotator").annotate(Sum("comparison_sheet__active_seconds"))
    )
    judgements = UnitJudgement.objects.filter(sampled__assignment__in=submitted).order_by()
    judged = _counts_and_seconds(judgements, "sampled__assignment__annotator")
    rated = _counts_and_seconds(Rating.objects.filter(assignment__in=submitted).order_by(), "assignment__annotator")
    marks = _marks_reviewed(submitted.filter(task=REVIEW), _marks_of_summaries(study, planted=checks))
    return {
        annotator: Work(
            annotated=tasks[ANNOTATE],
            seconds=seconds.get(annotator, 0),
            reviewed=tasks[REVIEW],
            marks=marks[annotator],
            review_seconds=reviewing.get(annotator, 0),
            compared=tasks[COMPARE],
            comparison_seconds=comparing.get(annotator) or 0,
            units=judged.get(annotator, (0, 0))[0],
            unit_seconds=judged.get(annotator, (0, 0))[1],
            ratings=rated.get(annotator, (0, 0))[0],
            rating_seconds=rated.get(annotator, (0, 0))[1],
        )
        for annotator, tasks in counts.items()
    }


def _marks_reviewed(reviews: QuerySet[Assignment], of_summary: Mapping[int | None, int]) -> Counter[int]:
    """By annotator; a mark whose maker withdrew after the review was read all the same."""
    marks: Counter[int] = Counter()
    for annotator, summary, withdrawn in reviews.values_list("annotator", "summary", "withdrawn_marks"):
        marks[annotator] += of_summary.get(summary, 0) + withdrawn
    return marks


def _counts_and_seconds(rows: QuerySet[Any], annotator: str) -> dict[int, tuple[int, int]]:
    counted = rows.values_list(annotator).annotate(Count("pk"), Sum("active_seconds"))
    return {person: (count, seconds) for person, count, seconds in counted}


def _marks_of_summaries(study: Study, *, planted: bool) -> dict[int | None, int]:
    items = (
        (ReviewItem.with_planted if planted else ReviewItem.objects)
        .filter(study=study)
        .order_by()
        .values_list("annotation__annotation_set__summary")
    )
    return dict(items.annotate(Count("pk")))


def _checks_to_annotate(study: Study) -> int:
    """Attention checks that people have or did; until tasks are given out, one of each for everybody who annotates."""
    if study.phase == Study.Phase.SETUP:
        known = study.known_summaries.filter(purpose=Purpose.CHECK, places__isnull=False).distinct().count()
        return known * study.members.filter(annotates=True).count()
    given = Assignment.all_purposes.filter(study=study, purpose=Purpose.CHECK)
    return given.exclude(state=Assignment.State.SKIPPED).count()
