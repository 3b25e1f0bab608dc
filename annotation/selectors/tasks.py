"""A person's own tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.access import FAITHFULNESS, PHASE_OF_TASK, checking_ended, workable
from annotation.deadlines import is_over, last_day
from annotation.models import (
    BEFORE_TASKS,
    Assignment,
    FaithfulnessPlan,
    Purpose,
    ReviewDecision,
    ReviewItem,
    SampledUnit,
)
from annotation.pay import in_words
from annotation.selectors.consent import studies_without_consent
from annotation.selectors.pay import rates_of
from annotation.selectors.qualification import studies_to_qualify_for
from annotation.selectors.reading_order import with_waiting
from annotation.selectors.training import studies_to_train_for


@dataclass(frozen=True)
class TaskList:
    """The tasks of one kind that a person has in one study, in their stored order."""

    study_title: str
    task: str
    tasks: Sequence[Assignment]
    #: The last day, if the study has one.
    due: date | None = None

    #: The person has yet to accept the study's consent text; until then nothing of the tasks is shown.
    needs_consent: bool = False
    #: The same for the study's training, and for its qualification test.
    needs_training: bool = False
    needs_test: bool = False

    @property
    def ended(self) -> bool:
        """Tasks to check summaries that take no answers any more, done or not."""
        if self.task not in FAITHFULNESS:
            return False
        return self.tasks[0].study.faithfulness.state == FaithfulnessPlan.State.CLOSED

    @property
    def submitted(self) -> int:
        return sum(task.state == Assignment.State.SUBMITTED for task in self.tasks)

    @property
    def late(self) -> bool:
        return is_over(self.due)

    @property
    def pay(self) -> str:
        """What a task is worth, in words; empty where nothing is set."""
        return in_words(rates_of(self.tasks[0].study), self.task) if self.tasks else ""

    @property
    def total(self) -> int:
        return len(self.tasks)

    @property
    def done(self) -> int:
        return sum(task.state != Assignment.State.OPEN for task in self.tasks)

    @property
    def next_task(self) -> Assignment | None:
        return next((task for task in self.tasks if task.state == Assignment.State.OPEN and not self.ended), None)


def task_lists(user_id: int) -> list[TaskList]:
    """All tasks that a person can work on now, or did in a study that is still in that phase; last those that ended.

    Review tasks carry `marks` and `answered`, their numbers of marks and of marks that the person answered; those to
    judge units `units` and `judged`.
    """
    rows = (
        with_waiting(Assignment.all_purposes.filter(workable(), annotator__user=user_id))
        .exclude(purpose__in=BEFORE_TASKS)
        .filter(
            ~Q(task__in=(Assignment.Task.COMPARE, *FAITHFULNESS), state=Assignment.State.SKIPPED) | checking_ended()
        )
        .select_related("study__faithfulness", "summary__book", "comparison__first__book")
        .defer("summary__text", "comparison__first__text", "summary__book__text", "comparison__first__book__text")
        .annotate(
            marks=_count(ReviewItem.with_planted.all(), ""),
            answered=_count(ReviewDecision.with_planted.filter(reviewer=OuterRef("annotator")), "item__"),
            units=_count_units(SampledUnit.objects.all()),
            judged=_count_units(SampledUnit.objects.exclude(judgement__supported=None)),
        )
        .order_by("-study", "task", "order", "pk")
    )
    unasked, untrained = studies_without_consent(user_id), studies_to_train_for(user_id)
    tasks = list(rows)
    untested = studies_to_qualify_for(user_id) if any(task.task in FAITHFULNESS for task in tasks) else set()
    lists = [
        TaskList(
            study_title=group[0].study.title,
            task=group[0].task,
            tasks=group,
            due=last_day(group[0].study, group[0].task),
            needs_consent=group[0].study_id in unasked,
            needs_training=group[0].study_id in untrained and group[0].task in PHASE_OF_TASK,
            needs_test=group[0].study_id in untested and group[0].task in FAITHFULNESS,
        )
        for group in (list(own) for _, own in groupby(tasks, key=lambda task: (task.study_id, task.task)))
    ]
    return sorted(lists, key=lambda each: each.ended)


def place_among_tasks(assignment: Assignment) -> tuple[int, int]:
    """Which of the person's tasks of its kind in this study it is, counted from 1, and how many there are."""
    tasks = Assignment.all_purposes.filter(
        study=assignment.study_id, annotator=assignment.annotator_id, task=assignment.task
    )
    tests = Q(purpose=Purpose.QUALIFICATION)
    tasks = tasks.filter(tests if assignment.purpose == Purpose.QUALIFICATION else ~tests).order_by("order", "pk")
    keys = list(tasks.values_list("pk", flat=True))
    return keys.index(assignment.pk) + 1, len(keys)


def first_task_in(assignment: Assignment) -> Assignment | None:
    """The person's first open annotate task of the study, training apart."""
    tasks = Assignment.all_purposes.filter(
        study=assignment.study_id,
        annotator=assignment.annotator_id,
        task=Assignment.Task.ANNOTATE,
        state=Assignment.State.OPEN,
    )
    return tasks.exclude(purpose=Purpose.TRAINING).order_by("order", "pk").first()


def first_check_in(assignment: Assignment) -> Assignment | None:
    """The person's first open task to check a summary of the study, tests apart."""
    tasks = Assignment.objects.filter(
        study=assignment.study_id,
        annotator=assignment.annotator_id,
        task__in=FAITHFULNESS,
        state=Assignment.State.OPEN,
    )
    return tasks.order_by("order", "pk").first()


def _count_units(rows: QuerySet[SampledUnit]) -> Coalesce:
    own = rows.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    return Coalesce(Subquery(own.annotate(number=Count("pk")).values("number")), 0)


def _count(rows: QuerySet[Any], item: str) -> Coalesce:
    """The number of `rows` that belong to the summary of a review task; `item` leads from a row to its review item."""
    in_task = {
        f"{item}study": OuterRef("study"),
        f"{item}annotation__annotation_set__summary": OuterRef("summary"),
    }
    counted = rows.filter(**in_task).order_by().values(f"{item}study").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)
