"""Where studies are: their phase, and what is asked beside it, in words."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from annotation.models import ComparisonRound, FaithfulnessPlan, Study, StudyMember


def nobody_marks(members: Collection[StudyMember]) -> bool:
    """Whether there are people, and none of them annotates or reviews: such a study needs rounds, or a plan, alone."""
    return bool(members) and not any(each.annotates or each.reviews for each in members)


def stage_of(study: Study) -> str:
    return stages([study])[study.pk]


def stages(studies: Sequence[Study]) -> dict[int, str]:
    """By the study's pk; two queries, however many studies.

    Rounds of comparisons and a plan for faithfulness open and close beside the phases. A study in which nothing else
    happens stays in its first phase, and is not being set up any more.
    """
    pks = [study.pk for study in studies]
    rounds, plans = defaultdict[int, set[str]](set), defaultdict[int, set[str]](set)
    for study, state in ComparisonRound.objects.filter(study__in=pks).order_by().values_list("study", "state"):
        rounds[study].add(state)
    for study, state in FaithfulnessPlan.objects.filter(study__in=pks).order_by().values_list("study", "state"):
        plans[study].add(state)
    return {study.pk: _words(study, rounds[study.pk], plans[study.pk]) for study in studies}


def _words(study: Study, rounds: Collection[str], plan: Collection[str]) -> str:
    phase = Study.Phase(study.phase)
    if phase == Study.Phase.CLOSED:
        return str(phase.label)
    open_ones = _kinds(rounds, plan, ComparisonRound.State.OPEN, FaithfulnessPlan.State.OPEN, "comparing", "checking")
    if phase != Study.Phase.SETUP:
        return _sentence([str(phase.label), *open_ones])
    if open_ones:
        return _sentence(open_ones)
    closed = _kinds(
        rounds, plan, ComparisonRound.State.CLOSED, FaithfulnessPlan.State.CLOSED, "comparisons", "checking"
    )
    return f"{_sentence(closed)} closed" if closed else str(phase.label)


def _kinds(
    rounds: Collection[str], plan: Collection[str], of_rounds: str, of_plan: str, compare: str, check: str
) -> list[str]:
    return [*([compare] if of_rounds in rounds else []), *([check] if of_plan in plan else [])]


def _sentence(parts: Iterable[str]) -> str:
    words = " and ".join(parts)
    return words[0].upper() + words[1:].lower()
