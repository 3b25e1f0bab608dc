"""Gives out comparisons: who compares which two summaries, and which of them is A."""

from collections.abc import Iterable, Sequence
from itertools import starmap
from random import Random

from django.db import transaction
from django.utils import timezone

from annotation.access import is_unblinded
from annotation.assignment import Person, deal_annotation, shuffled_order
from annotation.deadlines import no_new_tasks
from annotation.models import Assignment, Comparison, ComparisonRound, ComparisonSheet, Study
from annotation.selectors.assignment import people_of
from annotation.selectors.comparisons import items_to_compare, people_compared, reviewers_to_keep
from annotation.selectors.progress import free_places
from annotation.services.assignment import Filled, Given, add_tasks, lock_people
from annotation.sides import Shown, deal_sides

Task = Assignment.Task.COMPARE


@transaction.atomic
def fill_comparisons(*, study: Study) -> Filled:
    """Give out what is missing of the overlap in the study's open rounds, fairly.

    None once the study is unblinded or its deadline has passed. The study's row is locked, so that two who ask at once
    can't give one comparison to more people than asked.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    given = 0
    over = is_unblinded(study) or no_new_tasks(study, Task)
    rounds = [] if over else list(study.comparison_rounds.filter(state=ComparisonRound.State.OPEN))
    if rounds:
        lock_people(study)
    for each in rounds:
        given += _fill(study, each)
    return Filled(given=given, free=free_places(study))


def release_comparisons(*, asked_in: ComparisonRound) -> int:
    """End a round's open tasks without counting them; what was filled in so far stays stored. Returns how many."""
    tasks = Assignment.objects.filter(comparison__asked_in=asked_in, state=Assignment.State.OPEN)
    keys = list(tasks.select_for_update(of=("self",)).values_list("pk", flat=True))
    return Assignment.objects.filter(pk__in=keys, state=Assignment.State.OPEN).update(
        state=Assignment.State.SKIPPED, ended_at=timezone.now()
    )


def _fill(study: Study, asked_in: ComparisonRound) -> int:
    taken, declined = people_compared(asked_in)
    seed = f"{study.seed} compare {asked_in.pk} {sum(map(len, taken.values()))}"
    dealt = deal_annotation(
        items_to_compare(asked_in),
        people_of(study, Task),
        overlap=asked_in.overlap,
        review_overlap=reviewers_to_keep(study),
        taken=taken,
        declined=declined,
        seed=seed,
        may=Person.may_compare,
    )
    tasks = shuffled_order(dealt, seed=f"{seed} order")
    sides = _sides(asked_in, tasks, seed=f"{seed} sides")
    assignments = add_tasks(study, Task, starmap(Given, tasks))
    ComparisonSheet.objects.bulk_create(
        ComparisonSheet(assignment=assignment, first_is_a=first_is_a)
        for assignment, first_is_a in zip(assignments, sides, strict=True)
    )
    return len(assignments)


def _sides(asked_in: ComparisonRound, tasks: Sequence[tuple[int, int]], *, seed: str) -> list[bool]:
    """Sides dealt to people whose task ended without an answer no longer count."""
    systems = {
        pk: (first, second)
        for pk, first, second in Comparison.objects.filter(asked_in=asked_in).values_list(
            "pk", "first__system", "second__system"
        )
    }
    dealt: Iterable[tuple[int, int, bool]] = (
        ComparisonSheet.objects.filter(assignment__comparison__asked_in=asked_in)
        .exclude(assignment__state=Assignment.State.SKIPPED)
        .order_by("pk")
        .values_list("assignment__comparison", "assignment__annotator", "first_is_a")
    )
    earlier = [(Shown(pair, person, *systems[pair]), left) for pair, person, left in dealt]
    new = [Shown(pair, person, *systems[pair]) for pair, person in tasks]
    at_random = list(range(len(new)))
    Random(seed).shuffle(at_random)  # so that the last, odd one out is not always the same
    sides = deal_sides([new[at] for at in at_random], earlier, seed=seed)
    by_place = dict(zip(at_random, sides, strict=True))
    return [by_place[at] for at in range(len(new))]
