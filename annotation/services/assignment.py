"""Saves what the assignment strategy deals out."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap
from random import Random
from typing import NamedTuple
from uuid import uuid4

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.access import PHASE_OF_TASK, is_unblinded
from annotation.assignment import deal_annotation, deal_review, shuffled_order
from annotation.deadlines import no_new_tasks
from annotation.models import BEFORE_TASKS, AnnotationSet, Annotator, Assignment, Purpose, Study
from annotation.selectors.assignment import items_to_annotate, items_to_review, people_of, tasks_taken
from annotation.selectors.known import checks_to_give
from annotation.selectors.progress import free_places
from annotation.selectors.reading_order import as_readings, readings_of
from annotation.sides import balanced_order


class Given(NamedTuple):
    """A task to be given out."""

    #: Key of a comparison if the task is to compare, otherwise of a summary.
    subject: int
    person: int
    purpose: Purpose = Purpose.STUDY


@dataclass(frozen=True)
class Filled:
    """Tasks that were given out, and how many places are still free because nobody may take them."""

    given: int
    free: int


@transaction.atomic
def fill_tasks(*, study: Study, task: str) -> Filled:
    """Give out what the overlap lacks, fairly. Does nothing outside the task's phase, past its deadline or unblinded.

    The study's row is locked, so that two who ask at once can't give one summary to more people than it should have.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.phase != PHASE_OF_TASK[Assignment.Task(task)] or is_unblinded(study):
        return Filled(0, 0)
    if no_new_tasks(study, task):
        return Filled(0, free_places(study))
    lock_people(study)
    dealt = _deal(study, task)
    seed = f"{study.seed} {task} order {study.assignments.filter(task=task).count()}"
    given = list(starmap(Given, _in_order(study, task, dealt, seed=seed)))
    if task == Assignment.Task.ANNOTATE:
        given = _with_checks(study, given, seed=seed)
    add_tasks(study, task, given)
    return Filled(given=len(dealt), free=free_places(study))


@transaction.atomic
def release_tasks(*, study: Study, annotator_id: int | None = None, task: str | None = None) -> int:
    """End open tasks, of one person or of all, without counting their work. Returns how many there were.

    Marks of an unfinished set stay stored; the set is "skipped" and counts nowhere.
    """
    tasks = Assignment.all_purposes.filter(study=study, state=Assignment.State.OPEN)
    if annotator_id is not None:
        tasks = tasks.filter(annotator=annotator_id)
    if task is not None:
        tasks = tasks.filter(task=task)
    tasks = tasks.select_for_update(of=("self",))
    ended = list(tasks.values_list("pk", "annotator", "summary", "task"))
    for _, annotator, summary, kind in ended:
        if kind == Assignment.Task.ANNOTATE:
            AnnotationSet.all_purposes.filter(
                study=study, annotator=annotator, summary=summary, state=AnnotationSet.State.DRAFT
            ).update(state=AnnotationSet.State.SKIPPED)
    return Assignment.all_purposes.filter(pk__in=[row[0] for row in ended], state=Assignment.State.OPEN).update(
        state=Assignment.State.SKIPPED, ended_at=timezone.now()
    )


def lock_people(study: Study) -> None:
    """Two studies must not ask one person at once to annotate a book and to review marks on it."""
    people = Annotator.objects.filter(memberships__study=study).order_by("pk")
    list(people.select_for_update(of=("self",), no_key=True))


def _in_order(study: Study, task: str, dealt: list[tuple[int, int]], *, seed: str) -> list[tuple[int, int]]:
    """A shuffle, in which the order of two summaries of one book that one person annotates is balanced over people."""
    shuffled = shuffled_order(dealt, seed=seed)
    if task != Assignment.Task.ANNOTATE:
        return shuffled
    balanced = balanced_order(as_readings(study, shuffled), readings_of(study), seed=f"{seed} within books")
    return [(each.summary, each.person) for each in balanced]


def _with_checks(study: Study, tasks: list[Given], *, seed: str) -> list[Given]:
    """Each known summary once for everybody who gets tasks here, at a random place among them.

    Nobody gets one of a book that they may not annotate, because they reviewed or saw marks on it or compared it.
    """
    checks = checks_to_give(study)
    if not checks or not tasks:
        return tasks
    has = set(
        Assignment.all_purposes.filter(study=study, purpose=Purpose.CHECK)
        .values_list("summary", "annotator")
        .order_by()
    )
    random = Random(f"{seed} checks")
    result: list[Given] = []
    for person in people_of(study):
        own = [task for task in tasks if task.person == person.key]
        for summary, book in checks:
            if own and person.may_annotate(book) and (summary, person.key) not in has:
                own.insert(random.randint(0, len(own)), Given(summary, person.key, Purpose.CHECK))
        result.extend(own)
    return result


def _deal(study: Study, task: str) -> list[tuple[int, int]]:
    people = people_of(study, task)
    taken, declined = tasks_taken(study, task)
    seed = f"{study.seed} {task}"
    if task == Assignment.Task.REVIEW:
        return deal_review(
            items_to_review(study), people, overlap=study.review_overlap, taken=taken, declined=declined, seed=seed
        )
    return deal_annotation(
        items_to_annotate(study),
        people,
        overlap=study.annotation_overlap,
        review_overlap=study.review_overlap,
        taken=taken,
        declined=declined,
        seed=seed,
    )


def add_tasks(study: Study, task: str, given: Iterable[Given]) -> list[Assignment]:
    """Put each task at the end of its person's list of this kind. Returned in the order of `given`."""
    position = last_positions(study, task)
    compares = task == Assignment.Task.COMPARE
    assignments = []
    for subject, person, purpose in given:
        position[person] = position.get(person, -1) + 1
        assignments.append(
            Assignment(
                key=uuid4(),
                study=study,
                annotator_id=person,
                task=task,
                summary_id=None if compares else subject,
                comparison_id=subject if compares else None,
                order=position[person],
                purpose=purpose,
            )
        )
    return Assignment.objects.bulk_create(assignments)


def last_positions(study: Study, task: str) -> dict[int, int]:
    """The place of each person's last task of a kind."""
    tasks = Assignment.all_purposes.filter(study=study, task=task).exclude(purpose__in=BEFORE_TASKS)
    rows = tasks.order_by().values_list("annotator")
    return dict(rows.annotate(Max("order")))
