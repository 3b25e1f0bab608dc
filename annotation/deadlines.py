"""Deadlines: a kind of task has a last day, which lasts until it is over everywhere on Earth (UTC-12).

So nobody is late by their own calendar. What people submit later is still saved and counts, but no new task of the
kind is given to anybody.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone

from django.utils import timezone as clock

from annotation.models import Study

LAST_ON_EARTH = timezone(timedelta(hours=-12))
#: Kind of task -> the study's field with its last day.
FIELDS = {
    "annotate": "annotate_by",
    "review": "review_by",
    "compare": "compare_by",
    "fine": "faithfulness_by",
    "coarse": "faithfulness_by",
}
DEADLINE_FIELDS = tuple(dict.fromkeys(FIELDS.values()))
#: Kind of task -> what people do.
DOING = {
    "annotate": "annotating",
    "review": "reviewing",
    "compare": "comparing",
    "fine": "checking statements",
    "coarse": "rating summaries",
}


def last_day(study: Study, task: str) -> date | None:
    day: date | None = getattr(study, FIELDS[str(task)])
    return day


def end_of(day: date) -> datetime:
    """The moment from which on the day is over everywhere."""
    return datetime.combine(day + timedelta(days=1), time(), LAST_ON_EARTH).astimezone(UTC)


def is_over(day: date | None) -> bool:
    return day is not None and clock.now() >= end_of(day)


def no_new_tasks(study: Study, task: str) -> bool:
    """Whether the deadline of the kind of task has passed."""
    return is_over(last_day(study, task))


def deadline_problem(study: Study, task: str) -> str:
    """Why no task of the kind is given out, as a sentence that says what to do; empty where the deadline allows it."""
    day = last_day(study, task)
    if day is None or not is_over(day):
        return ""
    return (
        f"The last day for {DOING[str(task)]} was {day:%-d %B %Y}, so no new tasks are given out. Choose a later day "
        "under “Deadlines and pay”."
    )
