"""Training before the first task: set up by researchers, worked on like any summary, graded when it is submitted."""

from collections.abc import Collection
from typing import Any
from uuid import uuid4

from django.db import transaction

from annotation.models import (
    AnnotationSet,
    Annotator,
    Assignment,
    ErrorType,
    KnownPlace,
    KnownSummary,
    Purpose,
    Study,
    Training,
    TrainingAttempt,
    TrainingPass,
)
from annotation.selectors.known import found_in
from annotation.selectors.training import standing_of, training_summaries
from annotation.services.studies import StudyError, fill_free_tasks


class TrainingError(Exception):
    """Why there is nothing to train on now."""


@transaction.atomic
def set_training(*, study: Study, asks: bool, **settings: Any) -> None:
    """Ask for training, or no longer. `settings` are fields of `Training`. Raises StudyError once the study is open."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.phase != Study.Phase.SETUP:
        raise StudyError("Tasks are given out, so the training stays as it is.")
    if not asks:
        Training.objects.filter(study=study).delete()
        return
    Training.objects.update_or_create(study=study, defaults=settings)


@transaction.atomic
def explain_place(*, place: KnownPlace, explanation: str, error_types: Collection[int]) -> None:
    """What people are told about a known place once they have submitted the training summary."""
    if place.known.study.phase != Study.Phase.SETUP:
        raise StudyError("Tasks are given out, so the training stays as it is.")
    place.explanation = explanation.strip()
    place.save(update_fields=["explanation"])
    place.error_types.set(ErrorType.objects.filter(pk__in=error_types))


@transaction.atomic
def begin_training(*, study: Study, annotator_id: int) -> Assignment:
    """The task on the next training summary of a person; a second call gives the same. Raises TrainingError."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    standing = standing_of(study, annotator_id)
    if standing is None or standing.passed:
        raise TrainingError("There is nothing to train any more.")
    if not study.members.filter(annotator=annotator_id, annotates=True).exists():  # they left, or withdrew just now
        raise TrainingError("You no longer annotate in this study, so there is nothing to train for.")
    if study.phase != Study.Phase.ANNOTATING:
        raise TrainingError("The training of this study is over. Ask the researchers if you still want to take part.")
    known = training_summaries(study).exclude(attempts__annotator=annotator_id).first()
    if known is None:
        raise TrainingError("You have used all attempts.")
    task, _ = Assignment.all_purposes.get_or_create(
        study=study,
        annotator_id=annotator_id,
        task=Assignment.Task.ANNOTATE,
        summary=known.summary,
        defaults={"key": uuid4(), "purpose": Purpose.TRAINING},
    )
    if task.state == Assignment.State.SKIPPED:  # it was ended, because the person could not work for a while
        task.state, task.ended_at = Assignment.State.OPEN, None
        task.save(update_fields=["state", "ended_at"])
        AnnotationSet.all_purposes.filter(study=study, annotator=annotator_id, summary=known.summary).update(
            state=AnnotationSet.State.DRAFT
        )
    return task


def record_attempt(annotation_set: AnnotationSet) -> TrainingAttempt:
    """Compare a submitted training set with what is known, inside the transaction that submits it.

    Who did not pass the last training summary of a study that asks for it gives the tasks to others.
    """
    study = Study.objects.get(annotation_sets=annotation_set)
    known = KnownSummary.objects.get(study=study, summary=annotation_set.summary_id, purpose=Purpose.TRAINING)
    sets = AnnotationSet.all_purposes.filter(pk=annotation_set.pk)
    found = next(found for _, found in found_in(sets))
    attempt = TrainingAttempt(
        study=study,
        known=known,
        annotator_id=annotation_set.annotator_id,
        places=len(found.touched),
        touched=sum(found.touched),
        marks_elsewhere=found.marks_elsewhere,
        sentences_elsewhere=found.sentences_elsewhere,
    )
    standing = standing_of(study, annotation_set.annotator_id)
    training = standing.training if standing else Training(study=study)
    is_last = standing is None or standing.left <= 1
    attempt.passed = passes(attempt, training) if training.qualifies else is_last
    attempt.save(force_insert=True)
    if is_last and not attempt.passed:
        _give_to_others(study, annotation_set.annotator_id)
    return attempt


def _give_to_others(study: Study, annotator_id: int) -> None:
    """The person was shown none of these tasks, so they go as if they had never been given out."""
    tasks = Assignment.all_purposes.filter(study=study, annotator=annotator_id, state=Assignment.State.OPEN)
    tasks.filter(task=Assignment.Task.ANNOTATE).delete()
    fill_free_tasks(study=study)


def passes(attempt: TrainingAttempt, training: Training) -> bool:
    """Enough of the known places touched, and not too many marks elsewhere; both bounds included."""
    enough = 100 * attempt.touched >= training.pass_percent * attempt.places
    allowed = training.marks_allowed
    return enough and (allowed is None or 100 * attempt.marks_elsewhere <= allowed * attempt.sentences_elsewhere)


@transaction.atomic
def let_pass(*, study: Study, annotator: Annotator, reason: str, by_id: int) -> TrainingPass:
    """A researcher lets a person pass. Free tasks are given out at once. Raises StudyError without a reason."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    if not reason.strip():
        raise StudyError("Say why you let this person pass; it is kept.")
    if not study.members.filter(annotator=annotator, annotates=True).exists():
        raise StudyError(f"{annotator} does not annotate in this study.")
    made, _ = TrainingPass.objects.get_or_create(
        study=study, annotator=annotator, defaults={"reason": reason.strip()[:500], "by_id": by_id}
    )
    fill_free_tasks(study=study)
    return made
