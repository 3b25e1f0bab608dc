"""Attempts at a study's qualification test: the next one, what came of one, and who is let pass all the same."""

from uuid import uuid4

from django.db import transaction

from annotation.faithfulness.sampling import draw_test, sample_seed
from annotation.faithfulness.tasks import fill_checking
from annotation.models import (
    Annotator,
    Assignment,
    FaithfulnessPlan,
    Purpose,
    Qualification,
    QualificationAttempt,
    QualificationPass,
    SampledUnit,
    Study,
    Unit,
    UnitSample,
)
from annotation.selectors.qualification import begun_test, standing_in

FAITHFULNESS = (Assignment.Task.FINE, Assignment.Task.COARSE)


class QualificationError(Exception):
    """Why there is no test to do now, or nobody to let pass."""


@transaction.atomic
def begin_test(*, study: Study, annotator_id: int) -> Assignment:
    """The task of a person's next attempt; a second call gives the same. Raises QualificationError."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    standing = standing_in(study, annotator_id)
    if standing is None or standing.passed or standing.qualification.test is None:
        raise QualificationError("There is no test to do any more.")
    member = study.members.filter(annotator=annotator_id).first()
    if member is None or not (member.judges_units or member.rates):  # they left, or withdrew just now
        raise QualificationError("You no longer check summaries in this study, so there is no test for you.")
    plan = standing.qualification.plan
    if plan.state != FaithfulnessPlan.State.OPEN or study.phase == Study.Phase.CLOSED:
        raise QualificationError("The time for this test is over. Ask the researchers if you still want to take part.")
    task = begun_test(study, annotator_id)
    if task is None:
        if not standing.left:
            raise QualificationError("You have used all attempts.")
        return _new_attempt(standing.qualification, annotator_id, number=len(standing.attempts) + 1)
    if task.state == Assignment.State.SKIPPED:
        task.state, task.ended_at = Assignment.State.OPEN, None
        task.save(update_fields=["state", "ended_at"])
    return task


def record_attempt(task: Assignment) -> QualificationAttempt:
    """What came of a test, inside the transaction that submits it, with the study's row held.

    Who did not pass with the last attempt gives the tasks to others.
    """
    study = Study.objects.get(pk=task.study_id)
    standing = standing_in(study, task.annotator_id)
    if standing is None:
        raise QualificationError("This study asks for no test any more.")
    answers = SampledUnit.objects.filter(assignment=task).values_list("unit__expected", "judgement__supported")
    correct, total = sum(expected == supported for expected, supported in answers), len(answers)
    passed = passes(correct, total, percent=standing.qualification.pass_percent)
    attempt = QualificationAttempt.objects.create(
        assignment=task, number=len(standing.attempts) + 1, correct=correct, total=total, passed=passed
    )
    if not (passed or standing.passed) and standing.left <= 1:
        _give_to_others(study, task.annotator_id)
    return attempt


def passes(correct: int, total: int, *, percent: int) -> bool:
    """At least so many percent of the statements, the bound included."""
    return 100 * correct >= percent * total


@transaction.atomic
def let_qualify(*, study: Study, annotator: Annotator, reason: str, by_id: int | None) -> QualificationPass:
    """A researcher lets a person pass. Free tasks are given out at once. Raises QualificationError without a reason."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    if not reason.strip():
        raise QualificationError("Say why you let this person pass; it is kept.")
    if not study.members.filter(annotator=annotator).exclude(judges_units=False, rates=False).exists():
        raise QualificationError(f"{annotator} does not check summaries in this study.")
    made, _ = QualificationPass.objects.get_or_create(
        study=study, annotator=annotator, defaults={"reason": reason.strip()[:500], "by_id": by_id}
    )
    fill_checking(study=study)
    return made


def _new_attempt(qualification: Qualification, annotator_id: int, *, number: int) -> Assignment:
    """The first one asks in the order of the text; later ones are drawn anew and in another order."""
    plan = qualification.plan
    task = Assignment.all_purposes.create(
        key=uuid4(),
        study=plan.study,
        annotator_id=annotator_id,
        task=Assignment.Task.FINE,
        summary=qualification.test,
        purpose=Purpose.QUALIFICATION,
        order=number,
    )
    person = Annotator.objects.values_list("pseudonym", flat=True).get(pk=annotator_id)
    seed = f"{sample_seed(plan.study.seed, person, qualification.test_id or 0)} attempt {number}"
    UnitSample.objects.create(assignment=task, seed=seed, hints_shown=plan.hints != FaithfulnessPlan.Hints.NEVER)
    units = Unit.all_purposes.filter(
        plan=plan, purpose=Purpose.QUALIFICATION, same_as=None, expected__isnull=False
    ).order_by("index")
    known = [(pk, bool(expected)) for pk, expected in units.values_list("pk", "expected")]
    drawn = draw_test(known, qualification.units_asked, seed=seed, in_text_order=number == 1)
    SampledUnit.objects.bulk_create(
        SampledUnit(assignment=task, unit_id=unit, position=position) for position, unit in enumerate(drawn)
    )
    return task


def _give_to_others(study: Study, annotator_id: int) -> None:
    """The person was shown none of these tasks, so they go as if they had never been given out."""
    tasks = Assignment.objects.filter(study=study, annotator=annotator_id, state=Assignment.State.OPEN)
    tasks.filter(task__in=FAITHFULNESS).delete()
    fill_checking(study=study)
