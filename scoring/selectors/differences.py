"""Sentences on which a judge and people differ: which, and what was asked about them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotation.models import Annotation, Annotator
from scoring.selectors.marks import MarkedSummary, StudyMarks
from summarizer.models import Summary

JUDGE_ONLY, PEOPLE_ONLY = "judge", "people"


def scored_by_both(marks: StudyMarks, judge_id: int) -> list[MarkedSummary]:
    """Summaries with sentences that people submitted and for which the judge has a final score (none unparsed)."""
    return [
        summary
        for summary in marks.summaries
        if summary.people
        and summary.sentences
        and (judged := summary.judges.get(judge_id))
        and not judged.unparsed
        and len(judged.absent) < summary.sentences
    ]


def judge_only(summary: MarkedSummary, judge_id: int) -> list[int]:
    """Positions that the judge marked and none of the people."""
    return sorted(summary.judges[judge_id].confused - _touched(summary))


def people_only(summary: MarkedSummary, judge_id: int) -> list[int]:
    """Positions that at least one of the people marked and the judge called clean."""
    judged = summary.judges[judge_id]
    return sorted(_touched(summary) - judged.confused - judged.absent)


def _touched(summary: MarkedSummary) -> set[int]:
    return {position for person in summary.people for position in person.touched}


@dataclass(frozen=True)
class Place:
    """A sentence on which a judge and people differ, with the ids of the marks on it."""

    summary: MarkedSummary
    position: int
    marks: tuple[int, ...]
    #: How many of the people who looked marked it.
    people: int


def places(
    marks: StudyMarks, judge_id: int, *, side: str, system_id: int | None = None, of_type: Iterable[int] | None = None
) -> list[Place]:
    """Summary by summary, in the order of the text. `of_type`: only where one of these marks is on the sentence."""
    wanted = None if of_type is None else set(of_type)
    found = []
    for summary in scored_by_both(marks, judge_id):
        if system_id not in (None, summary.system_id):
            continue
        positions = judge_only(summary, judge_id) if side == JUDGE_ONLY else people_only(summary, judge_id)
        on_position = _marks_on(summary, judge_id, side)
        for position in positions:
            ids = tuple(on_position[position])
            if wanted is None or not wanted.isdisjoint(ids):
                people = sum(position in person.touched for person in summary.people) if side == PEOPLE_ONLY else 0
                found.append(Place(summary, position, ids, people))
    return found


def _marks_on(summary: MarkedSummary, judge_id: int, side: str) -> dict[int, list[int]]:
    on_position: dict[int, list[int]] = defaultdict(list)
    if side == JUDGE_ONLY:
        for position, mark in summary.judges[judge_id].marks.items():
            on_position[position].append(mark)
        return on_position
    for person in summary.people:
        for mark, touched in zip(person.ids, person.marks, strict=True):
            for position in touched:
                on_position[position].append(mark)
    return on_position


@dataclass(frozen=True)
class MarkToRead:
    annotation: Annotation
    who: str
    is_judge: bool


@dataclass(frozen=True)
class SentenceToRead:
    summary_id: int
    book: str
    system: str
    number: int
    text: str
    #: How many people marked it, of how many who looked.
    people: int
    looked: int
    marks: list[MarkToRead] = field(default_factory=list)


def sentences_to_read(marks: StudyMarks, found: Sequence[Place], judge: str) -> list[SentenceToRead]:
    """The sentences with their texts and marks; `judge`: how the judge is named. Four queries."""
    texts = dict(Summary.objects.filter(pk__in={each.summary.id for each in found}).values_list("pk", "text"))
    ids = {mark for each in found for mark in each.marks}
    annotations = Annotation.objects.filter(pk__in=ids).select_related("annotation_set__annotator")
    by_id = {each.pk: each for each in annotations.prefetch_related("error_types", "spans")}
    systems = {system.pk: system.name for system in marks.systems}
    return [
        SentenceToRead(
            summary_id=each.summary.id,
            book=each.summary.book,
            system=systems[each.summary.system_id],
            number=each.position + 1,
            text=texts[each.summary.id][slice(*each.summary.ranges[each.position])],
            people=each.people,
            looked=len(each.summary.people),
            marks=[_to_read(by_id[mark], judge) for mark in each.marks],
        )
        for each in found
    ]


def _to_read(annotation: Annotation, judge: str) -> MarkToRead:
    annotator = annotation.annotation_set.annotator
    is_judge = annotator.kind == Annotator.Kind.JUDGE
    return MarkToRead(annotation, judge if is_judge else annotator.pseudonym, is_judge)
