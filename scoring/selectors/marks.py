"""Everything marked in a study, read with a number of queries that does not depend on its size."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy
from django.db.models import Count, QuerySet
from numpy.typing import NDArray

from annotation.models import (
    Annotation,
    AnnotationErrorType,
    AnnotationSet,
    Annotator,
    ErrorType,
    Span,
    Study,
    Verdict,
)
from scoring.selectors.order import summaries_in_order
from scoring.statistics.booookscore import Range
from summarizer.models import Sentence, System

Positions = NDArray[numpy.int64]
OfSpan = TypeVar("OfSpan")
TypesOfMarks = Mapping[int, Sequence[str]]
_NONE: Positions = numpy.zeros(0, dtype=numpy.int64)


@dataclass(frozen=True)
class SpanColumns:
    """Spans of many sets, in columns: their marks, places in the text, and the positions that they touch."""

    marks: list[int]
    starts: list[int]
    stops: list[int]
    #: The first position that a span touches, and the one behind the last.
    first: list[int]
    end: list[int]


class HumanSet:
    """One person on one summary. What only some pages need of it is made when it is asked for."""

    def __init__(self, annotator_id: int, spans: SpanColumns, begin: int, end: int) -> None:
        """The set's own spans are those from `begin` to `end`, mark by mark."""
        self.annotator_id = annotator_id
        self._spans, self._own = spans, slice(begin, end)
        #: Ids of the marks, in order.
        self.ids = tuple(dict.fromkeys(spans.marks[self._own]))
        #: Positions of all sentences that a mark touches.
        self.touched = frozenset(chain.from_iterable(map(range, spans.first[self._own], spans.end[self._own])))

    @cached_property
    def marks(self) -> tuple[tuple[int, ...], ...]:
        """For each mark the positions of all sentences it touches."""
        return tuple(
            tuple(spans[0]) if len(spans) == 1 else tuple(sorted({*chain.from_iterable(spans)}))
            for spans in self.touching
        )

    @cached_property
    def touching(self) -> tuple[tuple[range, ...], ...]:
        """For each mark, of each of its spans the positions of the sentences that it touches."""
        spans, own = self._spans, self._own
        return self._by_mark(list(map(range, spans.first[own], spans.end[own])))

    @cached_property
    def spans(self) -> tuple[tuple[Range, ...], ...]:
        """For each mark its spans, in code points of the summary's text."""
        spans, own = self._spans, self._own
        return self._by_mark(list(zip(spans.starts[own], spans.stops[own], strict=True)))

    def _by_mark(self, of_spans: list[OfSpan]) -> tuple[tuple[OfSpan, ...], ...]:
        found: dict[int, tuple[OfSpan, ...]] = {}
        for mark, each in zip(self._spans.marks[self._own], of_spans, strict=True):
            found[mark] = (*found.get(mark, ()), each)
        return tuple(found.values())


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
    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    system_id: int
    book_id: int
    book: str
    tokens: int
    splitter: str
    sentences: int = 0
    people: list[HumanSet] = field(default_factory=list)
    #: By judge.
    judges: dict[int, Judged] = field(default_factory=dict)
    #: The sentences' places in the text: starts and ends.
    edges: tuple[Positions, Positions] = field(default_factory=lambda: (_NONE, _NONE))

    @cached_property
    def ranges(self) -> list[Range]:
        """The sentences' places in the text."""
        return list(zip(self.edges[0].tolist(), self.edges[1].tolist(), strict=True))


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
    summaries = _summaries(study)
    judges = sorted(study.judges.select_related("endpoint", "prompt_set"), key=lambda judge: judge.pseudonym)
    people, judged = sets_that_count(study, judges)
    _add_people(summaries, people)
    _add_judges(summaries, judged, {judge.pk for judge in judges if judge.endpoint_id is None})
    systems = System.objects.filter(pk__in={summary.system_id for summary in summaries.values()})
    return StudyMarks(
        study=study,
        systems=sorted(systems.select_related("endpoint"), key=lambda system: system.name),
        judges=judges,
        summaries=list(summaries.values()),
        error_types=_error_types(people, judged),
        has_sample_people=study.is_sample or people.filter(annotator__is_sample=True).exists(),
    )


def types_of_marks(marks: StudyMarks, *, key: str = "") -> TypesOfMarks:
    """Id of a mark of people or of the study's judges -> keys of its error types (or of the one asked for)."""
    keys = dict(ErrorType.objects.values_list("pk", "key"))
    found: dict[int, tuple[str, ...]] = {}
    for sets in sets_that_count(marks.study, marks.judges):
        given = AnnotationErrorType.objects.filter(annotation__annotation_set__in=sets).order_by()
        if key:
            given = given.filter(errortype__key=key)
        for annotation_id, type_id in given.values_list("annotation_id", "errortype_id").iterator(5000):
            found[annotation_id] = (*found.get(annotation_id, ()), keys[type_id])
    return found


def sets_that_count(study: Study, judges: list[Annotator]) -> tuple[QuerySet[AnnotationSet], QuerySet[AnnotationSet]]:
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


def _summaries(study: Study) -> dict[int, MarkedSummary]:
    rows = summaries_in_order(study, "system_id", "book_id", "book__title", "tokens", "splitter")
    summaries = {row[0]: MarkedSummary(*row) for row in rows}
    sentences = Sentence.objects.filter(summary__studies=study).order_by()
    found = _columns(sentences.values_list("summary_id", "start", "end"), 3)
    order = numpy.lexsort((found[1], found[0]))  # in less time than the database takes
    found = [column[order] for column in found]
    begins = numpy.flatnonzero(numpy.diff(found[0], prepend=-1))
    for begin, end in pairwise([*begins.tolist(), len(found[0])]):
        summary = summaries[int(found[0][begin])]
        summary.edges, summary.sentences = (found[1][begin:end], found[2][begin:end]), end - begin
    return summaries


def _columns(rows: "QuerySet[Any, Any]", count: int) -> list[Positions]:
    """The columns of rows of whole numbers, as arrays."""
    values = numpy.fromiter(chain.from_iterable(rows.iterator(5000)), dtype=numpy.int64).reshape(-1, count)
    return [numpy.ascontiguousarray(values[:, column]) for column in range(count)]


def _add_people(summaries: dict[int, MarkedSummary], sets: QuerySet[AnnotationSet]) -> None:
    found_sets = sets.order_by().values_list("id", "annotator_id", "summary_id", "annotator__pseudonym")
    rows = sorted((row for row in found_sets if row[2] in summaries), key=lambda row: (row[3], row[0]))
    spans = Span.objects.filter(annotation__annotation_set__in=sets).order_by()
    columns = ("annotation__annotation_set_id", "annotation_id", "position", "start", "end")
    set_ids, marks, positions, starts, stops = _columns(spans.values_list(*columns), len(columns))
    order = numpy.lexsort((positions, marks, set_ids))
    set_ids, marks, starts, stops = (column[order] for column in (set_ids, marks, starts, stops))
    begins = numpy.searchsorted(set_ids, [row[0] for row in rows])
    ends = numpy.searchsorted(set_ids, [row[0] for row in rows], side="right")
    own = numpy.concatenate([numpy.arange(*each) for each in zip(begins, ends, strict=True)] or [_NONE])
    of_summary = numpy.repeat([row[2] for row in rows], ends - begins).astype(numpy.int64)
    first, end = _touched(summaries, of_summary, starts[own], stops[own])
    found = SpanColumns(*(each.tolist() for each in (marks[own], starts[own], stops[own], first, end)))
    sizes = numpy.cumsum([0, *(ends - begins)]).tolist()
    for (_, annotator_id, summary_id, _), begin, stop in zip(rows, sizes, sizes[1:], strict=False):
        summaries[summary_id].people.append(HumanSet(annotator_id, found, begin, stop))


def _touched(
    summaries: Mapping[int, MarkedSummary], of_summary: Positions, starts: Positions, stops: Positions
) -> tuple[Positions, Positions]:
    """The first position that each span touches and the one behind the last, as `SentenceGrid.touched` has them.

    All summaries are laid out one after the other, so that one search finds the sentences of all spans.
    """
    edges = {pk: summary.edges for pk, summary in summaries.items()}
    length = 1 + max([int(stops.max(initial=0)), *(int(ends[-1]) for _, ends in edges.values() if len(ends))])
    places = {pk: place for place, pk in enumerate(edges)}
    lengths = [len(ends) for _, ends in edges.values()]
    before = numpy.cumsum([0, *lengths])
    shift = numpy.repeat(numpy.arange(len(edges)) * length, lengths)
    all_starts, all_ends = (
        numpy.concatenate([each[at] for each in edges.values()] or [_NONE]) + shift for at in (0, 1)
    )
    place = numpy.fromiter((places[pk] for pk in of_summary.tolist()), dtype=numpy.int64, count=len(of_summary))
    first = numpy.searchsorted(all_ends, starts + place * length, side="right") - before[place]
    end = numpy.searchsorted(all_starts, stops + place * length) - before[place]
    return first, end


def _add_judges(summaries: dict[int, MarkedSummary], sets: QuerySet[AnnotationSet], imported: set[int]) -> None:
    # Values first: the database groups by these three alone, not by all columns of a set.
    counted = sets.order_by("id").values_list("id", "annotator_id", "summary_id")
    rows = list(counted.annotate(judged=Count("verdicts")))
    confused: dict[int, dict[int, int]] = defaultdict(dict)
    unparsed: dict[int, set[int]] = defaultdict(set)
    # Clean verdicts, the most, are known from the count alone.
    notable = Verdict.objects.filter(annotation_set__in=sets).exclude(state=Verdict.State.CLEAN).order_by()
    columns = ("annotation_set_id", "sentence__index", "state", "annotation_id")
    for set_id, position, state, annotation_id in notable.values_list(*columns).iterator(5000):
        if state == Verdict.State.CONFUSED:
            confused[set_id][position] = annotation_id
        else:
            unparsed[set_id].add(position)
    incomplete = [set_id for set_id, _, summary_id, judged in rows if judged < summaries[summary_id].sentences]
    listed = _listed(incomplete)
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


def _listed(set_ids: Iterable[int]) -> dict[int, set[int]]:
    """Positions with a verdict, of those sets that lack some."""
    listed: dict[int, set[int]] = {set_id: set() for set_id in set_ids}
    verdicts = Verdict.objects.filter(annotation_set__in=list(listed)).order_by()
    for set_id, position in verdicts.values_list("annotation_set_id", "sentence__index"):
        listed[set_id].add(position)
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
