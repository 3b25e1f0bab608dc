"""A person withdraws from a study: all that they did in it is removed, as if they had never taken part."""

from decimal import Decimal

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from annotation.access import Login, id_of
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    ComparisonAnswer,
    ComparisonTally,
    Consent,
    GuidelinesRead,
    ReviewDecision,
    ReviewItem,
    Study,
    Withdrawal,
)
from annotation.selectors.pay import pay_of
from annotation.selectors.withdrawals import books_to_forget, data_of, has_withdrawn, took_part
from annotation.services.gold import forget_marks
from annotation.services.studies import fill_free_tasks


class WithdrawalError(Exception):
    """Why nothing was removed, and what to do."""


@transaction.atomic
def withdraw(*, study: Study, annotator: Annotator, by: Login) -> Withdrawal:
    """Remove a person's marks, decisions, comparisons, guesses, answers about books and times of one study.

    Answers of reviewers about the removed marks go with them; what these reviewers are paid for having given them
    stays. Tasks become free and go to others. What stays is this line in the log, with numbers and no content.
    Works in every phase. Raises WithdrawalError where there is nothing of the person, or they withdrew before.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if annotator.kind != Annotator.Kind.PERSON:
        raise WithdrawalError(f"{annotator} is a judge. Take it out of the study's judges.")
    if has_withdrawn(study, annotator):
        raise WithdrawalError(f"{annotator} has withdrawn from this study already; nothing of them is left in it.")
    if not took_part(study, annotator):
        raise WithdrawalError(f"{annotator} has never taken part in this study.")
    sets = _lock(study, annotator)
    log = _log(study, annotator, by)
    _note_reviewed_marks(study, sets)
    _remove_marks(study, sets)
    _remove_answers(study, annotator)
    Consent.objects.filter(text__study=study, annotator=annotator, withdrawn_at=None).update(
        withdrawn_at=timezone.now()
    )
    if study.phase != Study.Phase.CLOSED:
        fill_free_tasks(study=study)
    return log


def _lock(study: Study, annotator: Annotator) -> list[int]:
    """Lock the person's tasks and sets, and the reviews of others, so that no answer is saved in between.

    Whoever saves something locks one of these rows first: it is saved before, and removed, or finds the row gone.
    """
    tasks = Assignment.all_purposes.filter(Q(annotator=annotator) | Q(task=Assignment.Task.REVIEW), study=study)
    list(tasks.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    sets = AnnotationSet.all_purposes.filter(study=study, annotator=annotator)
    return list(sets.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))


def _log(study: Study, annotator: Annotator, by: Login) -> Withdrawal:
    pay = pay_of(study, annotator.pk)
    themselves = annotator.user_id == id_of(by)
    return Withdrawal.objects.create(
        study=study,
        annotator=annotator,
        by_id=None if themselves else id_of(by),
        by_themselves=themselves,
        removed=data_of(study, annotator).as_dict(),
        paid=pay.paid if pay else Decimal(0),
        due=pay.due if pay else Decimal(0),
    )


def _note_reviewed_marks(study: Study, sets: list[int]) -> None:
    """Reviewers are paid by the mark also for those that they reviewed before somebody withdrew them."""
    items = ReviewItem.objects.filter(study=study, annotation__annotation_set__in=sets).order_by()
    by_summary = items.values_list("annotation__annotation_set__summary").annotate(Count("pk"))
    for summary, marks in by_summary:
        study.assignments.filter(task=Assignment.Task.REVIEW, state=Assignment.State.SUBMITTED, summary=summary).update(
            withdrawn_marks=F("withdrawn_marks") + marks
        )


def _remove_marks(study: Study, sets: list[int]) -> None:
    """The marks, what researchers decided about them alone, and reviews that have nothing left to review."""
    forget_marks(Annotation.objects.filter(annotation_set__in=sets).values_list("pk", flat=True))
    ReviewItem.objects.filter(annotation__annotation_set__in=sets).delete()
    AnnotationSet.all_purposes.filter(pk__in=sets).delete()
    if study.phase == Study.Phase.REVIEWING:
        reviewed = study.review_items.order_by().values("annotation__annotation_set__summary")
        reviews = study.assignments.filter(task=Assignment.Task.REVIEW, state=Assignment.State.OPEN)
        reviews.exclude(summary__in=reviewed).delete()


def _remove_answers(study: Study, annotator: Annotator) -> None:
    books_to_forget(study, annotator).delete()
    ReviewDecision.with_planted.filter(reviewer=annotator, item__study=study).delete()
    ComparisonAnswer.objects.filter(annotator=annotator, comparison__study=study).delete()
    ComparisonTally.objects.filter(annotator=annotator, study=study).delete()
    Assignment.all_purposes.filter(study=study, annotator=annotator).delete()  # with all that hangs on them
    study.training_attempts.filter(annotator=annotator).delete()
    study.training_passes.filter(annotator=annotator).delete()
    study.qualification_passes.filter(annotator=annotator).delete()
    GuidelinesRead.objects.filter(annotator=annotator, study=study).delete()
    study.payments.filter(annotator=annotator).delete()  # their sum stands in the log
    study.members.filter(annotator=annotator).delete()
