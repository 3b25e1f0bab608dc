"""Everything marked in a study, read with a number of queries that does not depend on its size."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet

from annotation.models import Annotation, AnnotationErrorType, AnnotationSet, Annotator, Span, Study, Verdict
from scoring.statistics.booookscore import Range, SentenceGrid
from summarizer.models import Sentence, Summary, System


@dataclass(frozen=True)
class HumanSet:
    """One person on one summary: for each mark the positions of all sentences it touches."""

    annotator_id: int
    marks: tuple[tuple[int, ...], ...]
    #: The same marks, in the same order: their ids, and their spans in code points of the summary's text.
    ids: tuple[int, ...] = ()
    spans: tuple[tuple[Range, ...], ...] = ()

    @property
    def touched(self) -> set[int]:
        return {position for mark in self.marks for position in mark}


@dataclass(frozen=True)
class Judged:
    """One judge on one summary, by positions. `absent` ones have no judgement at all.

    A finished set of our own judge has a verdict for every sentence. In an imported one a copy of a repeated sentence
    may have none; it is left out of the score, and the report says how many there are.
    """

    confused: frozenset[int]
    unparsed: frozenset[int]
    absent: frozenset[int]
    #: Confused position -> id of the mark.
    marks: Mapping[int, int] = field(default_factory=dict)


@dataclass
class MarkedSummary:
    id: int
    system_id: int
    book_id: int
    book: str
    tokens: int
    splitter: str
    sentences: int = 0
    people: list[HumanSet] = field(default_factory=list)
    #: By judge.
    judges: dict[int, Judged] = field(default_factory=dict)
    #: The sentences' places in the text.
    ranges: list[Range] = field(default_factory=list)


@dataclass
class StudyMarks:
    study: Study
    systems: list[System]
    judges: list[Annotator]
    summaries: list[MarkedSummary]
    #: (system, judge or None for people) -> error type -> marks with it.
    error_types: dict[tuple[int, int | None], dict[str, int]]
    has_sample_people: bool


def study_marks(study: Study) -> StudyMarks:
    """Summaries of the study with the submitted marks of people and of the study's judges."""
    summaries, grids, positions = _summaries(study)
    judges = list(study.judges.select_related("endpoint", "prompt_set").order_by("pseudonym"))
    people, judged = _sets(study, judges)
    _add_people(summaries, grids, people)
    _add_judges(summaries, positions, judged, {judge.pk for judge in judges if judge.endpoint_id is None})
    systems = System.objects.filter(pk__in={summary.system_id for summary in summaries.values()})
    return StudyMarks(
        study=study,
        systems=list(systems.select_related("endpoint").order_by("name")),
        judges=judges,
        summaries=list(summaries.values()),
        error_types=_error_types(people, judged),
        has_sample_people=study.is_sample or people.filter(annotator__is_sample=True).exists(),
    )


def types_of_marks(marks: StudyMarks, *, key: str = "") -> dict[int, list[str]]:
    """Id of a mark of people or of the study's judges -> keys of its error types (or of the one asked for); a query."""
    people, judged = _sets(marks.study, marks.judges)
    given = AnnotationErrorType.objects.filter(
        Q(annotation__annotation_set__in=people) | Q(annotation__annotation_set__in=judged)
    )
    if key:
        given = given.filter(errortype__key=key)
    found: dict[int, list[str]] = defaultdict(list)
    for annotation_id, type_key in given.order_by().values_list("annotation_id", "errortype__key").iterator(5000):
        found[annotation_id].append(type_key)
    return dict(found)


def _sets(study: Study, judges: list[Annotator]) -> tuple[QuerySet[AnnotationSet], QuerySet[AnnotationSet]]:
    """What counts: the submitted sets of the study's people, and of its judges on its summaries."""
    people = AnnotationSet.objects.filter(
        study=study, state=AnnotationSet.State.SUBMITTED, annotator__kind=Annotator.Kind.PERSON
    )
    judged = AnnotationSet.objects.filter(
        annotator__in=[judge.pk for judge in judges],
        state=AnnotationSet.State.SUBMITTED,
        summary__in=study.summaries.all(),
    )
    return people, judged


#: Sentence -> its summary and its position there.
Positions = dict[int, tuple[int, int]]


def _summaries(study: Study) -> tuple[dict[int, MarkedSummary], dict[int, SentenceGrid], Positions]:
    columns = ("id", "system_id", "book_id", "book__title", "tokens", "splitter")
    rows = Summary.objects.filter(studies=study).order_by("system__name", "book__title", "id").values_list(*columns)
    summaries = {row[0]: MarkedSummary(*row) for row in rows}
    ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    positions: Positions = {}
    sentences = Sentence.objects.filter(summary__studies=study).order_by("summary_id", "index")
    for pk, summary_id, start, end in sentences.values_list("id", "summary_id", "start", "end").iterator(5000):
        positions[pk] = (summary_id, len(ranges[summary_id]))
        ranges[summary_id].append((start, end))
    for summary_id, summary in summaries.items():
        summary.ranges, summary.sentences = ranges[summary_id], len(ranges[summary_id])
    return summaries, {summary_id: SentenceGrid(ranges[summary_id]) for summary_id in summaries}, positions


def _add_people(
    summaries: dict[int, MarkedSummary], grids: dict[int, SentenceGrid], sets: QuerySet[AnnotationSet]
) -> None:
    marks: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    places: dict[int, list[Range]] = defaultdict(list)
    rows = list(sets.order_by("id").values_list("id", "annotator_id", "summary_id"))
    summary_of = {set_id: summary_id for set_id, _, summary_id in rows}
    spans = Span.objects.filter(annotation__annotation_set__in=sets).order_by("annotation_id", "position")
    columns = ("annotation__annotation_set_id", "annotation_id", "start", "end")
    for set_id, annotation_id, start, end in spans.values_list(*columns).iterator(5000):
        if (grid := grids.get(summary_of[set_id])) is not None:
            marks[set_id][annotation_id].extend(grid.touched((start, end)))
            places[annotation_id].append((start, end))
    for set_id, annotator_id, summary_id in rows:
        if summary_id in summaries:
            found = tuple(tuple(sorted(set(mark))) for mark in marks[set_id].values())
            where = tuple(tuple(places[mark]) for mark in marks[set_id])
            summaries[summary_id].people.append(HumanSet(annotator_id, found, tuple(marks[set_id]), where))


def _add_judges(
    summaries: dict[int, MarkedSummary],
    positions: Positions,
    sets: QuerySet[AnnotationSet],
    imported: set[int],
) -> None:
    counted = sets.annotate(judged=Count("verdicts")).values_list("id", "annotator_id", "summary_id", "judged")
    rows = list(counted)
    confused: dict[int, dict[int, int]] = defaultdict(dict)
    unparsed: dict[int, set[int]] = defaultdict(set)
    # Clean verdicts, the most, are known from the count alone.
    notable = Verdict.objects.filter(annotation_set__in=sets).exclude(state=Verdict.State.CLEAN).order_by()
    columns = ("annotation_set_id", "sentence_id", "state", "annotation_id")
    for set_id, sentence_id, state, annotation_id in notable.values_list(*columns).iterator(5000):
        if state == Verdict.State.CONFUSED:
            confused[set_id][positions[sentence_id][1]] = annotation_id
        else:
            unparsed[set_id].add(positions[sentence_id][1])
    incomplete = [set_id for set_id, _, summary_id, judged in rows if judged < summaries[summary_id].sentences]
    listed = _listed(incomplete, positions)
    for set_id, annotator_id, summary_id, _ in rows:
        summary = summaries[summary_id]
        absent = set(range(summary.sentences)) - listed[set_id] if set_id in listed else set()
        if absent and annotator_id not in imported:
            # Our own judge answers for every sentence: one without a verdict is not judged, so never clean.
            unparsed[set_id] |= absent
            absent = set()
        summary.judges[annotator_id] = Judged(
            frozenset(confused[set_id]), frozenset(unparsed[set_id]), frozenset(absent), confused[set_id]
        )


def _listed(set_ids: Iterable[int], positions: Positions) -> dict[int, set[int]]:
    """Positions with a verdict, of those sets that lack some."""
    listed: dict[int, set[int]] = {set_id: set() for set_id in set_ids}
    verdicts = Verdict.objects.filter(annotation_set__in=list(listed)).order_by()
    for set_id, sentence_id in verdicts.values_list("annotation_set_id", "sentence_id"):
        listed[set_id].add(positions[sentence_id][1])
    return listed


def _error_types(
    people: QuerySet[AnnotationSet], judged: QuerySet[AnnotationSet]
) -> dict[tuple[int, int | None], dict[str, int]]:
    counts: dict[tuple[int, int | None], dict[str, int]] = defaultdict(dict)
    for system_id, _, key, count in _by_type(people):
        counts[system_id, None][key] = counts[system_id, None].get(key, 0) + count
    for system_id, judge_id, key, count in _by_type(judged):
        counts[system_id, judge_id][key] = count
    return dict(counts)


def _by_type(sets: QuerySet[AnnotationSet]) -> Iterable[tuple[int, int, str, int]]:
    """(system, annotator, key of the type, marks with it)."""
    annotations = Annotation.objects.filter(annotation_set__in=sets, error_types__isnull=False).order_by()
    columns = ("annotation_set__summary__system_id", "annotation_set__annotator_id", "error_types__key")
    yield from annotations.values_list(*columns).annotate(marks=Count("id"))
