"""Who may see what: a person's own tasks, and nothing about marks that they have yet to judge blindly.

Roles decide which routes a person reaches (`booookweb.access`); this module decides about the objects behind them.
"""

import secrets
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import DEFAULT_DB_ALIAS, IntegrityError, transaction
from django.db.models import BigAutoField, F, Q, QuerySet, UUIDField
from django.http import Http404

from annotation.models import (
    AnnotationSet,
    Annotator,
    Assignment,
    Comparison,
    ComparisonRound,
    FaithfulnessPlan,
    Purpose,
    Study,
    Unblinding,
)
from annotation.selectors.consent import book_to_ask_about, consent_to_ask, nothing_to_ask
from annotation.selectors.qualification import must_qualify
from annotation.selectors.reading_order import with_waiting
from annotation.selectors.training import must_train, trained
from annotation.statements import Parameter, Statement
from summarizer.models import Book, Summary

#: The phase in which a kind of task can be worked on. Comparisons have rounds of their own instead, and tasks about
#: faithfulness the study's plan for it.
PHASE_OF_TASK = {
    Assignment.Task.ANNOTATE: Study.Phase.ANNOTATING,
    Assignment.Task.REVIEW: Study.Phase.REVIEWING,
}
#: The tasks about faithfulness.
FAITHFULNESS = (Assignment.Task.FINE, Assignment.Task.COARSE)
#: Letters and digits that can't be taken for one another.
PSEUDONYM_CHARACTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

#: Why nobody sees the sources of a study that is being reviewed.
SEALED = (
    "The study “{study}” is under blind review. Who marked what, and scores and precision by source, stay hidden from "
    "everybody until a researcher unblinds the study, on its page, or closes it."
)
SEALED_WITH = (
    "“{sealed}” is under blind review, and “{study}” has the same judge on the same summaries. Who marked what in "
    "either, and scores and precision by source, stay hidden from everybody until “{sealed}” is unblinded or closed."
)
CONSENT_FIRST = (
    "Before you go on, read the study's consent text as it is now and accept it: reload this page. What you wrote is "
    "kept in this browser until then."
)
TRAINING_FIRST = "Before your first task, work through the study's training: reload this page."
QUALIFY_FIRST = "Before your first task, do the study's test: reload this page."
BOOK_FIRST = "Before you go on, say whether you have read the book: reload this page."
#: Where a task was removed while its person worked on it, because they withdrew from the study.
GONE = "This task is gone, because you withdrew from its study. Nothing was stored."

Login = AbstractBaseUser | AnonymousUser


class NoSuchTask(Http404):
    """The person has no such task, or it is not open; its words are for the person."""


class NotReady(PermissionDenied):
    """Before the task the person has to agree to something or answer something; pages lead there (`begin`)."""

    def __init__(self, code: str, detail: str, key: UUID | None = None) -> None:
        super().__init__(detail)
        #: "consent", "training", "qualification" or "book".
        self.code = code
        #: The task on whose `begin` page it is asked.
        self.key = key


class Blinded(PermissionDenied):
    """The person still has to judge these summaries without knowing who marked what."""


def annotator_of(user: Login) -> Annotator:
    """The annotator of a login; made on first use, under a random pseudonym."""
    if annotator := Annotator.objects.filter(user_id=id_of(user)).first():
        return annotator
    try:
        with transaction.atomic():
            return Annotator.objects.create(kind=Annotator.Kind.PERSON, pseudonym=_new_pseudonym(), user_id=id_of(user))
    except IntegrityError:  # made by another request meanwhile
        return Annotator.objects.get(user_id=id_of(user))


def workable() -> Q:
    """The tasks that can be worked on now: those of the study's phase, of open rounds, and of an open plan.

    And tasks to check summaries of a plan that was closed, which can only be looked at.
    """
    tasks = Q(task=Assignment.Task.COMPARE, comparison__asked_in__state=ComparisonRound.State.OPEN)
    tasks |= Q(task__in=FAITHFULNESS, study__faithfulness__state=FaithfulnessPlan.State.OPEN) | checking_ended()
    for task, phase in PHASE_OF_TASK.items():
        tasks |= Q(task=task, study__phase=phase)
    return tasks


def checking_ended() -> Q:
    """Tasks to check summaries, tests apart, whose plan was closed."""
    return Q(task__in=FAITHFULNESS, purpose=Purpose.STUDY, study__faithfulness__state=FaithfulnessPlan.State.CLOSED)


def own_assignment(user: Login, key: UUID | str, task: str, *, lock: bool = False) -> Assignment:
    """The person's own task, with its study, and its summary and book or its comparison.

    A submitted task is returned too (and an annotate task that was given back, which can be reopened, and a review task
    that an unblinding ended or a task to check a summary whose plan was closed, so that its person is told why):
    whoever writes checks `state`, and locks the row (inside a transaction) so that no write crosses a submission.
    Raises NoSuchTask for somebody else's task, and while the study is in a phase in which such tasks are not open, so
    that nobody learns which tasks exist. The same for an annotate task while another summary of the book comes first
    (`with_waiting`). Raises NotReady until the person has accepted the study's consent text as it is now, is done with
    its training (or, to check summaries, passed its test), and has said whether they know the book.
    """
    assignment = _own_assignment(user, key, task, lock=lock)
    _require_ready_for(assignment, books=[book_of(assignment).pk])
    return assignment


def book_of(assignment: Assignment) -> Book:
    """The book that a task is about; the two summaries of a comparison are of one book."""
    if assignment.summary:
        return assignment.summary.book
    if assignment.comparison is None:
        raise NoSuchTask("This task is about nothing.")
    summary = Summary.objects.filter(pk=assignment.comparison.first_id)
    return Book.objects.defer("text").get(pk__in=summary.values("book"))


def task_to_begin(user: Login, key: UUID) -> Assignment:
    """The person's own task of any kind, whether or not they are ready for it. Raises NoSuchTask."""
    first, *others = Assignment.Task
    for task in others:
        with suppress(NoSuchTask):
            return _own_assignment(user, key, task)
    return _own_assignment(user, key, first)


def task_with_guidelines(user: Login, key: UUID) -> Assignment:
    """The person's own task of any kind, for the guidelines of its study.

    They may be read before the person has said whether they know the book. Raises NoSuchTask and NotReady.
    """
    assignment = task_to_begin(user, key)
    _require_ready_for(assignment, books=[])
    return assignment


def _require_ready_for(assignment: Assignment, *, books: list[int]) -> None:
    require_ready(
        study=assignment.study,
        annotator_id=assignment.annotator_id,
        books=books,
        key=assignment.key,
        needs_training=assignment.purpose != Purpose.TRAINING and assignment.task in PHASE_OF_TASK,
        needs_test=assignment.purpose != Purpose.QUALIFICATION and assignment.task in FAITHFULNESS,
    )


def require_ready(
    *,
    study: Study,
    annotator_id: int,
    books: Iterable[int],
    key: UUID | None = None,
    needs_training: bool = False,
    needs_test: bool = False,
) -> None:
    """Call this before a task is opened or takes an answer (`own_assignment` does). Raises NotReady."""
    if consent_to_ask(study_id=study.pk, annotator_id=annotator_id):
        raise NotReady("consent", CONSENT_FIRST, key)
    if needs_training and must_train(study_id=study.pk, annotator_id=annotator_id):
        raise NotReady("training", TRAINING_FIRST, key)
    if needs_test and must_qualify(study_id=study.pk, annotator_id=annotator_id):
        raise NotReady("qualification", QUALIFY_FIRST, key)
    if any(book_to_ask_about(study=study, annotator_id=annotator_id, book_id=book) for book in books):
        raise NotReady("book", BOOK_FIRST, key)


def _own_assignment(user: Login, key: UUID | str, task: str, *, lock: bool = False) -> Assignment:
    tasks = Assignment.all_purposes.select_related("study", "annotator", "summary__book")
    tasks = tasks.defer("summary__text", "summary__book__text")  # a save every few seconds needs neither
    if lock:
        tasks = tasks.select_for_update(of=("self",))
    assignment = with_waiting(tasks).filter(workable(), key=key, task=task, annotator__user_id=id_of(user)).first()
    if assignment is None or (assignment.state == Assignment.State.SKIPPED and not _told_why(assignment)):
        raise NoSuchTask("You have no such task, or it is not open any more. What you have to do is under My tasks.")
    if assignment.state == Assignment.State.OPEN and assignment.waits:  # type: ignore[attr-defined]
        raise NoSuchTask(
            "Another summary of the same book comes first in your list, because whichever you read first answers "
            "questions about the other. Submit that one, then come back."
        )
    return assignment


def _told_why(assignment: Assignment) -> bool:
    """Whether a task that ended without being submitted still has a page for its person."""
    if assignment.task == Assignment.Task.REVIEW:
        return is_unblinded(assignment.study)
    if assignment.task in FAITHFULNESS:
        return Assignment.all_purposes.filter(checking_ended(), pk=assignment.pk).exists()
    return assignment.task == Assignment.Task.ANNOTATE


def own_annotation_set(user: Login, key: UUID | str) -> AnnotationSet | None:
    """The set that the person's own annotate task fills, if it was begun, its study is annotating and they are ready.

    One query, for what people do every few seconds. None says no more than that: `own_assignment` tells why.
    """
    row = _OWN_SET.row(user=id_of(user), key=key)
    return (
        AnnotationSet.from_db(DEFAULT_DB_ALIAS, ["id", "study_id", "annotator_id", "summary_id"], row) if row else None
    )


def _own_set() -> "QuerySet[AnnotationSet, Any]":
    sets = AnnotationSet.all_purposes.filter(
        nothing_to_ask(),
        trained(),
        annotator__user_id=Parameter("user", BigAutoField()),
        study__phase=PHASE_OF_TASK[Assignment.Task.ANNOTATE],
        study__assignments__key=Parameter("key", UUIDField()),
        study__assignments__task=Assignment.Task.ANNOTATE,
        study__assignments__annotator=F("annotator"),
        study__assignments__summary=F("summary"),
    )
    return sets.order_by().values_list("id", "study_id", "annotator_id", "summary_id")


_OWN_SET = Statement(_own_set)


def blinded_summary_ids(user: Login) -> set[int]:
    """Summaries of which the person may see no marks, verdicts, counts or scores, whatever their role.

    These are the summaries of their own tasks (`own_blinded_summary_ids`), and for everybody those of a study that is
    reviewed and not unblinded.
    """
    return own_blinded_summary_ids(user) | sealed_summary_ids()


def sealed_summary_ids() -> set[int]:
    """Summaries of studies that are reviewed and not unblinded: hidden from everybody, the command line too."""
    sealed = Summary.objects.filter(studies__phase=Study.Phase.REVIEWING, studies__unblinding=None)
    return set(sealed.values_list("pk", flat=True))


def own_blinded_summary_ids(user: Login) -> set[int]:
    """Summaries that the person has yet to judge on their own.

    These are the summaries of their open tasks, and all summaries of a study that has yet to give them tasks: one
    being set up with them as a member, or one being annotated that they will review. A round of comparisons that is
    being set up counts for the two summaries of its pairs, and for those who compare in its study; so does a plan for
    faithfulness for all summaries, and for those who check them.
    """
    open_tasks = _open_tasks(user)
    coming = Study.objects.filter(
        Q(phase=Study.Phase.SETUP)
        | Q(phase=Study.Phase.ANNOTATING, members__reviews=True)
        | Q(faithfulness__state=FaithfulnessPlan.State.SETUP)
        & (Q(members__judges_units=True) | Q(members__rates=True))
        & ~Q(phase=Study.Phase.CLOSED),
        members__annotator__user_id=id_of(user),
    )
    pairs = _pairs_to_compare(user, open_tasks)
    summaries = Summary.objects.filter(
        Q(pk__in=open_tasks.values("summary"))
        | Q(studies__in=coming.values("pk"))
        | Q(pk__in=pairs.values("first"))
        | Q(pk__in=pairs.values("second"))
    )
    return set(summaries.values_list("pk", flat=True))


def _pairs_to_compare(user: Login, open_tasks: QuerySet[Assignment]) -> QuerySet[Comparison]:
    coming = Q(
        asked_in__state=ComparisonRound.State.SETUP,
        study__members__annotator__user_id=id_of(user),
        study__members__compares=True,
    ) & ~Q(study__phase=Study.Phase.CLOSED)
    return Comparison.objects.filter(Q(pk__in=open_tasks.values("comparison")) | coming).order_by()


def require_not_blind(
    user: Login,
    *,
    study: Study | None = None,
    summary_ids: Iterable[int] | None = None,
) -> None:
    """Call this before showing marks, verdicts, counts of marks or scores: of a study, of summaries, or of any.

    Raises Blinded (a 403) where the person has yet to judge one of the summaries without knowing them, and for
    everybody while a study is reviewed and not unblinded.
    """
    if study is not None:
        require_own_tasks_done(user, study)
        require_unsealed(study)
    blinded = blinded_summary_ids(user) if study is None or summary_ids is not None else set()
    if not blinded:
        return
    if summary_ids is not None and not blinded.isdisjoint(summary_ids):
        raise Blinded(_explanation("this summary"))
    if study is None and summary_ids is None:
        raise Blinded(_explanation("some of these summaries"))


def require_unsealed(study: Study) -> None:
    """Raises Blinded, for everybody and the command line too, while a study is reviewed and not unblinded.

    So it does for another study with marks of that review: a judge marks a summary once, for all studies with both.
    """
    if study.phase == Study.Phase.REVIEWING and not is_unblinded(study):
        raise Blinded(SEALED.format(study=study.title))
    if sealed := _sealed_with(study):
        raise Blinded(SEALED_WITH.format(sealed=sealed.title, study=study.title))


def _sealed_with(study: Study) -> Study | None:
    """Another study under blind review that shares a judge and a summary with this one."""
    return (
        Study.objects.filter(
            phase=Study.Phase.REVIEWING,
            unblinding=None,
            judges__in=study.judges.order_by().values("pk"),
            summaries__in=study.summaries.order_by().values("pk"),
        )
        .exclude(pk=study.pk)
        .order_by("pk")
        .first()
    )


def require_own_tasks_done(user: Login, study: Study) -> None:
    """Raises Blinded where the person has yet to judge a summary of the study, in any study."""
    if has_own_tasks(user, study, own_blinded_summary_ids(user)):
        raise Blinded(_explanation(f"the study “{study.title}”"))


def require_own_task_done(user: Login, summary_id: int) -> None:
    """Raises Blinded where the person has yet to judge the summary, in any study."""
    if summary_id in own_blinded_summary_ids(user):
        raise Blinded(_explanation("this summary"))


def has_own_tasks(user: Login, study: Study, blinded: Collection[int]) -> bool:
    """Whether the person has yet to do something in the study, where they are blind to these summaries."""
    if not blinded:
        return False
    return study.summaries.filter(pk__in=blinded).exists() or _open_tasks(user).filter(study=study).exists()


def _open_tasks(user: Login) -> QuerySet[Assignment]:
    return Assignment.all_purposes.filter(annotator__user_id=id_of(user), state=Assignment.State.OPEN)


def is_unblinded(study: Study) -> bool:
    return Unblinding.objects.filter(study=study).exists()


def id_of(user: Login) -> int:
    """Raises PermissionDenied for nobody."""
    if user.pk is None:
        raise PermissionDenied("Log in first.")
    return int(user.pk)


def _explanation(what: str) -> str:
    return (
        f"You have a task of your own on {what} that is not submitted yet, or soon will. Marks, sources and scores "
        "stay hidden from you until then, so that your answers are yours alone. Submit your tasks (see My tasks), "
        "or ask for somebody else to do them."
    )


def _new_pseudonym() -> str:
    return "P-" + "".join(secrets.choice(PSEUDONYM_CHARACTERS) for _ in range(6))
