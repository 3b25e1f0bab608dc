"""A person's answers to a comparison: kept as a draft with each change, and counted once the task is submitted.

A change locks the task's row and its sheet's, so that no answer crosses a submission or the end of a round.
"""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotation.access import GONE, NoSuchTask
from annotation.comparison_questions import ANSWERS, SavedAnswer, saved_answer, slots_of, stored_answer
from annotation.models import (
    Assignment,
    ComparisonAnswer,
    ComparisonQuestion,
    ComparisonRound,
    ComparisonSheet,
    MarksSeen,
    Study,
)

LONGEST_COMMENT = 5000


class ComparisonError(Exception):
    """The change can't be stored as it is."""

    code = "invalid"


class ComparisonLocked(ComparisonError):
    """The task was submitted, or takes no answers any more."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class ComparisonIncomplete(ComparisonError):
    code = "incomplete"

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = list(missing)
        count = "1 question has" if len(missing) == 1 else f"{len(missing)} questions have"
        super().__init__(f"{count} no answer yet.")


class AnswerConflict(ComparisonError):
    """The answer changed since the version that the change was based on."""

    code = "conflict"

    def __init__(self, current: SavedAnswer) -> None:
        self.current = current
        super().__init__("This answer was changed in another window. Yours was not stored.")


@transaction.atomic
def save_answer(*, assignment: Assignment, slot: str, base_version: int, answer: str, comment: str) -> SavedAnswer:
    """Keep an answer as a draft; `answer` may still be "" while there is only a comment.

    A repeated send changes nothing. Raises ComparisonError, AnswerConflict or ComparisonLocked.
    """
    current = _locked(assignment)
    require_open(current)
    question = _questions(current).get(slot)
    if question is None:
        raise ComparisonError("This question is not part of your task.")
    if answer and answer not in ANSWERS[question.kind]:
        raise ComparisonError(f"Answer with one of: {', '.join(ANSWERS[question.kind])}.")
    if comment and not question.asks_comment:
        raise ComparisonError("This question takes no comment.")
    sheet = ComparisonSheet.objects.select_for_update(of=("self",)).get(assignment=current)
    stored = saved_answer(sheet.answers, slot)
    if (stored.answer, stored.comment) == (answer, comment):
        return stored
    if base_version != stored.version:
        raise AnswerConflict(stored)
    saved = SavedAnswer(slot, answer, comment, stored.version + 1)
    sheet.answers[slot] = {"answer": answer, "comment": comment, "version": saved.version}
    sheet.save(update_fields=["answers"])
    return saved


@transaction.atomic
def submit_comparison(*, assignment: Assignment, guidelines_id: int | None = None) -> Assignment:
    """Make the draft count; `guidelines_id` is the version that the person had before them.

    A second submit changes nothing.

    Raises ComparisonIncomplete (which answers are missing) or ComparisonLocked.
    """
    current = _locked(assignment)
    if current.state == Assignment.State.SUBMITTED:
        return current
    require_open(current)
    sheet = ComparisonSheet.objects.get(assignment=current)
    questions = _questions(current)
    missing = [
        slot
        for slot, question in questions.items()
        if question.required and not saved_answer(sheet.answers, slot).answer
    ]
    if missing:
        raise ComparisonIncomplete(missing)
    ComparisonAnswer.objects.bulk_create(
        _row(current, sheet, question, slot, guidelines_id)
        for slot, question in questions.items()
        if saved_answer(sheet.answers, slot).answer
    )
    current.state, current.ended_at = Assignment.State.SUBMITTED, timezone.now()
    current.save(update_fields=["state", "ended_at"])
    return current


@transaction.atomic
def reopen_comparison(*, assignment: Assignment) -> Assignment:
    """Take a submission back while the round is open: its answers are a draft again and count nowhere."""
    # In this order everywhere: study, then task.
    Study.objects.select_for_update().get(pk=assignment.study_id)
    current = _locked(assignment)
    if current.state == Assignment.State.OPEN:
        return current
    _require_reopenable(current)
    ComparisonAnswer.objects.filter(comparison=current.comparison_id, annotator=current.annotator_id).delete()
    current.state, current.ended_at = Assignment.State.OPEN, None
    current.save(update_fields=["state", "ended_at"])
    return current


def record_comparing_time(*, assignment: Assignment, known_seconds: int, total_seconds: int) -> int:
    """Set the active time to `total_seconds` if it still is the `known_seconds` that the page last heard of.

    Compare-and-set, so that a repeated send adds nothing twice. Returns the time stored now, in seconds.
    """
    if total_seconds < known_seconds:
        raise ComparisonError("Active time can only grow.")
    sheets = ComparisonSheet.objects.filter(assignment=assignment.pk)
    sheets.filter(assignment__state=Assignment.State.OPEN, active_seconds=known_seconds).update(
        active_seconds=total_seconds
    )
    if (seconds := sheets.values_list("active_seconds", flat=True).first()) is None:
        raise NoSuchTask(GONE)
    return seconds


def require_open(current: Assignment) -> None:
    """Raises ComparisonLocked for a task that takes no answers."""
    if current.state == Assignment.State.SUBMITTED:
        raise ComparisonLocked("submitted", "You submitted this comparison. Take it back to change your answers.")
    if current.state != Assignment.State.OPEN or not _round_open(current):
        raise ComparisonLocked(
            "closed", "This task is closed. Nothing was changed; ask the researchers if you need to."
        )


def _row(
    current: Assignment, sheet: ComparisonSheet, question: ComparisonQuestion, slot: str, guidelines_id: int | None
) -> ComparisonAnswer:
    draft = saved_answer(sheet.answers, slot)
    name, answer = stored_answer(slot, draft.answer, kind=question.kind, first_is_a=sheet.first_is_a)
    return ComparisonAnswer(
        comparison=current.compared,
        annotator_id=current.annotator_id,
        question=name,
        words=question.words,
        answer=answer,
        comment=draft.comment,
        guidelines_id=guidelines_id,
    )


def _questions(current: Assignment) -> dict[str, ComparisonQuestion]:
    """The questions by the slots of their answers, in order."""
    rows = ComparisonQuestion.objects.filter(round__comparisons=current.comparison_id).order_by("order")
    return {slot: row for row in rows for slot in slots_of(row.key, row.kind)}


def _require_reopenable(current: Assignment) -> None:
    """Taking back must not undo what happened since."""
    if current.state != Assignment.State.SUBMITTED or not _round_open(current):
        raise ComparisonLocked("closed", "This comparison is closed, so your answers stay as you submitted them.")
    if not current.study.members.filter(annotator=current.annotator_id, compares=True).exists():
        raise ComparisonLocked(
            "left", "You no longer compare in this study, so your answers stay as you submitted them."
        )
    seen = MarksSeen.objects.filter(user__annotator=current.annotator_id)
    if seen.filter(summary__in=(current.compared.first_id, current.compared.second_id)).exists():
        raise ComparisonLocked(
            "seen", "You have seen marks on these summaries since, so your answers stay as you submitted them."
        )


def _round_open(current: Assignment) -> bool:
    rounds = ComparisonRound.objects.filter(comparisons=current.comparison_id, state=ComparisonRound.State.OPEN)
    return rounds.exclude(study__phase=Study.Phase.CLOSED).exists()


def _locked(assignment: Assignment) -> Assignment:
    """The task as it is now, its row locked: whoever ends tasks locks it too, so no answer crosses the end.

    Raises NoSuchTask where it is gone.
    """
    tasks = Assignment.objects.select_related("study", "comparison").select_for_update(of=("self",))
    if (current := tasks.filter(pk=assignment.pk).first()) is None:
        raise NoSuchTask(GONE)
    return current
