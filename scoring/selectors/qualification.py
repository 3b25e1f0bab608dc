"""First attempts at a study's qualification test, by groups of people: how they came, or what researchers call them."""

from collections import defaultdict
from dataclasses import dataclass

from annotation.models import QualificationAttempt, SampledUnit, Study, StudyMember
from scoring.statistics.qualification import FirstAttempt, GroupFigures, group_figures

EVERYBODY, ADDED, GONE = "Everybody", "Added by researchers", "No longer in the study"


@dataclass(frozen=True)
class PeopleGroup:
    name: str
    figures: GroupFigures


def groups_of_people(study: Study) -> list[PeopleGroup]:
    """Everybody, then each group by name; nothing before somebody submitted. A fixed number of queries.

    Of each person the first attempt counts: in another one they know the text.
    """
    found = _first_attempts(study)
    if not found:
        return []
    groups: dict[str, list[FirstAttempt]] = defaultdict(list)
    names = group_names(study)
    for annotator, answers in found.items():
        groups[names.get(annotator, GONE)].append(answers)
    rows = [(EVERYBODY, list(found.values())), *sorted(groups.items())]
    return [PeopleGroup(name, group_figures(answers, study.seed)) for name, answers in rows]


def group_names(study: Study) -> dict[int, str]:
    """By annotator: the label of the member, else the invitation by which they came."""
    members = StudyMember.objects.filter(study=study).select_related("invitation")
    return {member.annotator_id: group_of(member) for member in members}


def group_of(member: StudyMember) -> str:
    if member.label:
        return member.label
    return f"Invitation: {member.invitation}" if member.invitation else ADDED


def _first_attempts(study: Study) -> dict[int, FirstAttempt]:
    """By annotator, in the order of their pseudonyms."""
    attempts = QualificationAttempt.objects.filter(assignment__study=study, number=1)
    order = attempts.order_by("assignment__annotator__pseudonym")
    rows = list(order.values_list("assignment", "assignment__annotator", "passed"))
    answers: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    asked = SampledUnit.objects.filter(assignment__in=[row[0] for row in rows]).order_by("unit__index")
    for task, unit, said, expected in asked.values_list("assignment", "unit", "judgement__supported", "unit__expected"):
        answers[task].append((unit, bool(said), bool(expected)))
    return {annotator: FirstAttempt(answers[task], passed) for task, annotator, passed in rows}
