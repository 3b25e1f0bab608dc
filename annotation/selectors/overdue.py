"""Open tasks whose last day is over."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count

from annotation.deadlines import DOING, FIELDS, is_over, last_day
from annotation.models import Assignment, Study


@dataclass(frozen=True)
class Deadline:
    """The last day of a kind of task; `overdue` names people with the number of tasks that they still have open."""

    doing: str
    day: date
    over: bool
    overdue: tuple[tuple[str, int], ...] = ()

    @property
    def tasks(self) -> int:
        return sum(count for _, count in self.overdue)


def deadlines_of(study: Study) -> list[Deadline]:
    """The study's deadlines, for researchers."""
    return [
        Deadline(DOING[task], day, is_over(day), _open_tasks(study, task) if is_over(day) else ())
        for task in FIELDS
        if (day := last_day(study, task)) is not None
    ]


def _open_tasks(study: Study, task: str) -> tuple[tuple[str, int], ...]:
    tasks = study.assignments.filter(task=task, state=Assignment.State.OPEN)
    counted = tasks.order_by("annotator__pseudonym").values_list("annotator__pseudonym")
    return tuple((pseudonym, count) for pseudonym, count in counted.annotate(Count("pk")))
