"""When a person can no longer work, or can again: open tasks go to others, and come from them."""

from django.db import transaction
from django.db.models import Q

from annotation.access import PHASE_OF_TASK
from annotation.models import Annotator, ComparisonRound, FaithfulnessPlan, Study
from annotation.services.assignment import Filled, release_tasks
from annotation.services.studies import fill_free_tasks


@transaction.atomic
def hand_over_tasks(*, annotator: Annotator) -> Filled:
    """A person can't work any more: in every study their open tasks go to others, what they submitted stays.

    Their drafts stay stored and count nowhere. Whoever may get tasks is decided by `people_of`, so the person must be
    marked as away before. Returns what could be given out, over all studies.
    """
    studies = _lock_studies(annotator)
    for study in studies:
        release_tasks(study=study, annotator_id=annotator.pk)
    return _fill(studies)


@transaction.atomic
def offer_tasks(*, annotator: Annotator) -> Filled:
    """A person can work again: they get what nobody has in their studies."""
    return _fill(_lock_studies(annotator))


def _fill(studies: list[Study]) -> Filled:
    filled = [fill_free_tasks(study=study) for study in studies]
    return Filled(given=sum(each.given for each in filled), free=sum(each.free for each in filled))


def _at_work() -> Q:
    in_round = Q(comparison_rounds__state=ComparisonRound.State.OPEN)
    in_plan = Q(faithfulness__state=FaithfulnessPlan.State.OPEN)
    return Q(phase__in=PHASE_OF_TASK.values()) | in_round | in_plan


def _lock_studies(annotator: Annotator) -> list[Study]:
    """The studies at work that the person is part of. Locks studies before people, in order."""
    concerned = Study.objects.filter(assignments__annotator=annotator) | Study.objects.filter(
        members__annotator=annotator
    )
    keys = set(concerned.filter(_at_work()).values_list("pk", flat=True))
    studies = list(Study.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk"))
    people = Annotator.objects.filter(pk__in=Annotator.objects.filter(memberships__study__in=keys).values("pk"))
    list(people.order_by("pk").select_for_update(of=("self",), no_key=True))
    return studies
