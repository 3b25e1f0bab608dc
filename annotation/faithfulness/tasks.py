"""Gives out tasks about faithfulness: who judges units of which summary, which of them, and who rates it."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import starmap

from django.db import transaction

from annotation.assignment import deal_annotation, order_by_book
from annotation.deadlines import no_new_tasks
from annotation.faithfulness.sampling import Shown, deal_hints, sample, sample_seed
from annotation.faithfulness.selectors import COARSE, FINE, MAY, amount_of, items_to_check, overlap_of
from annotation.models import Annotator, Assignment, FaithfulnessPlan, Purpose, SampledUnit, Study, UnitSample
from annotation.selectors.assignment import people_of, tasks_taken
from annotation.selectors.comparisons import reviewers_to_keep
from annotation.selectors.progress import free_places
from annotation.services.assignment import Filled, Given, add_tasks, lock_people

Hints = FaithfulnessPlan.Hints


@transaction.atomic
def fill_checking(*, study: Study) -> Filled:
    """Give out what is missing of the overlaps of the study's plan, if that is open and its last day not over.

    The study's row is locked, so that two who ask at once can't give one summary to more people than asked.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    plan = FaithfulnessPlan.objects.filter(study=study, state=FaithfulnessPlan.State.OPEN).first()
    given = 0
    if plan is not None and not no_new_tasks(study, FINE):
        plan.study = study
        lock_people(study)
        given = sum(_fill(plan, task) for task in (FINE, COARSE))
    return Filled(given=given, free=free_places(study))


def give_back_tasks(plan: FaithfulnessPlan) -> int:
    """Open again what ended when the plan was closed, for those who still do this work and may. Returns how many."""
    given = 0
    for task in (FINE, COARSE):
        people = {person.key: person for person in people_of(plan.study, task)}
        taken, _ = tasks_taken(plan.study, task)
        overlap = overlap_of(plan, task)
        ended = plan.study.assignments.filter(task=task, state=Assignment.State.SKIPPED)
        for assignment in ended.select_related("summary").defer("summary__text").order_by("pk"):
            person, has = people.get(assignment.annotator_id), taken[assignment.summary_id or 0]
            if person and assignment.summary and len(has) < overlap and MAY[task](person, assignment.summary.book_id):
                assignment.state, assignment.ended_at = Assignment.State.OPEN, None
                assignment.save(update_fields=["state", "ended_at"])
                has.add(person.key)
                given += 1
    return given


def _fill(plan: FaithfulnessPlan, task: str) -> int:
    study = plan.study
    taken, declined = tasks_taken(study, task)
    seed = f"{study.seed} {task} {sum(map(len, taken.values()))}"
    items = [item for item in items_to_check(plan, task) if item.weight]
    dealt = deal_annotation(
        items,
        people_of(study, task),
        overlap=overlap_of(plan, task),
        review_overlap=reviewers_to_keep(study),
        taken=taken,
        declined=declined,
        seed=seed,
        may=MAY[task],
        together=True,
    )
    in_order = order_by_book(dealt, {item.summary: item.book for item in items}, seed=f"{seed} order")
    assignments = add_tasks(study, task, starmap(Given, in_order))
    if task == FINE:
        _draw_samples(plan, assignments, seed=f"{seed} hints")
    return len(assignments)


def _draw_samples(plan: FaithfulnessPlan, assignments: Sequence[Assignment], *, seed: str) -> None:
    """Repeated units are not drawn: who judges the first one has judged them."""
    units: dict[int, list[int]] = defaultdict(list)
    different = plan.units.filter(same_as=None, summary__in={each.summary_id for each in assignments})
    for summary, pk in different.order_by("summary", "index").values_list("summary", "pk"):
        units[summary].append(pk)
    pseudonyms = dict(
        Annotator.objects.filter(pk__in={each.annotator_id for each in assignments}).values_list("pk", "pseudonym")
    )
    samples = [
        UnitSample(
            assignment=each,
            seed=sample_seed(plan.study.seed, pseudonyms[each.annotator_id], each.summary_id or 0),
            hints_shown=shown,
        )
        for each, shown in zip(assignments, _hints(plan, assignments, seed=seed), strict=True)
    ]
    UnitSample.objects.bulk_create(samples)
    SampledUnit.objects.bulk_create(
        SampledUnit(assignment=each.assignment, unit_id=unit, position=position)
        for each in samples
        for position, unit in enumerate(sample(units[each.assignment.summary_id or 0], amount_of(plan), seed=each.seed))
    )


def _hints(plan: FaithfulnessPlan, assignments: Sequence[Assignment], *, seed: str) -> list[bool]:
    if plan.hints != Hints.RANDOMISED:
        return [plan.hints == Hints.ALWAYS] * len(assignments)
    new = {each.pk for each in assignments}
    rows = UnitSample.objects.filter(assignment__study=plan.study_id, assignment__purpose=Purpose.STUDY).exclude(
        assignment__state=Assignment.State.SKIPPED
    )
    earlier = [
        (Shown(summary, person), shown)
        for pk, summary, person, shown in rows.order_by("pk").values_list(
            "assignment", "assignment__summary", "assignment__annotator", "hints_shown"
        )
        if pk not in new and summary is not None
    ]
    tasks = [Shown(each.summary_id or 0, each.annotator_id) for each in assignments]
    return deal_hints(tasks, earlier, seed=seed)
