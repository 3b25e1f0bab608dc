"""The records of a study, one after the other, with a bounded number of rows in memory at a time."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import JSONField

from annotation.models import (
    AnnotationErrorType,
    ComparisonQuestion,
    ComparisonSheet,
    Evidence,
    GoldErrorType,
    GoldEvent,
    GoldSource,
    GoldSpan,
    Span,
    Unit,
    Verdict,
)
from scoring.exports import any_of  # noqa: F401  registers the lookup
from scoring.exports.kind import Kind
from scoring.exports.kinds import KINDS, columns_and_links
from scoring.exports.selection import Selection, job_key
from summarizer.models import Book, Job, LLMAttempt, Section, Sentence, Summary, SummaryNode

Record = dict[str, Any]
#: Nested keys of some rows, by row.
Nested = dict[int, Record]

QUESTION_COLUMNS = ("key", "words", "kind", "order", "asks_comment", "required")
SECTION_COLUMNS = ("index", "title", "part", "start", "end", "included", "reason", "proposed_reason")
SHEET_COLUMNS = ("first_is_a", "answers", "active_seconds")


def study_records(selection: Selection) -> Iterator[Record]:
    """Every record as {"record": kind, "id": number, ...}; values are plain or such as `jsonl` can write."""
    for kind in KINDS:
        yield from records_of_kind(selection, kind)


def records_of_kind(selection: Selection, kind: Kind) -> Iterator[Record]:
    columns, links = columns_and_links(kind, with_source=selection.with_source)
    targets = [(key, target) for key, (_, target) in zip(kind.links, links, strict=True)]
    first_link = 1 + len(columns)
    of_json = [name for name in columns if isinstance(kind.model._meta.get_field(name), JSONField)]
    numbers = selection.numbers[kind.name]
    for part in selection.in_parts(kind.name):
        rows = kind.model._base_manager.filter(pk__any_of=part).order_by()
        found = {row[0]: row for row in rows.values_list("pk", *columns, *(name for name, _ in links))}
        nested = _NESTED[kind.name](selection, part) if kind.name in _NESTED else {}
        for pk in part:
            row = found[pk]
            record = {"record": kind.name, "id": numbers[pk]}
            record.update(zip(columns, row[1:first_link], strict=True))
            for key in of_json:
                record[key] = in_order(record[key])
            for (key, target), linked in zip(targets, row[first_link:], strict=True):
                record[key] = selection.number(target, linked)
            if nested:
                record.update(nested[pk])
            yield record


def in_order(value: Any) -> Any:
    """JSON with the keys of all objects sorted: one database keeps their order and another doesn't."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(each) for each in value] if isinstance(value, list) else value


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[Any]]:
    """Rows under their first value: the others as a list, or alone if there is one."""
    groups: dict[int, list[Any]] = defaultdict(list)
    for first, *rest in rows:
        groups[first].append(rest[0] if len(rest) == 1 else rest)
    return groups


def _books(selection: Selection, part: list[int]) -> Nested:
    rows = Book.objects.filter(pk__any_of=part).order_by().values_list("pk", "text_sha256", "absent_text_sha256")
    nested: Nested = {pk: {"text_sha256": own or absent} for pk, own, absent in rows}
    if selection.with_source:
        sections = Section.objects.filter(book__any_of=part).order_by("book", "index")
        groups = _grouped(sections.values_list("book", *SECTION_COLUMNS))
        for pk, record in nested.items():
            record["sections"] = [dict(zip(SECTION_COLUMNS, each, strict=True)) for each in groups[pk]]
    return nested


def _summaries(selection: Selection, part: list[int]) -> Nested:
    sentences = Sentence.objects.filter(summary__any_of=part).order_by("summary", "index")
    groups = _grouped(sentences.values_list("summary", "start", "end"))
    return {pk: {"sentences": groups[pk]} for pk in part}


#: What a job's parameters name by id, and the kind it is.
PARAMETER_KINDS = {"system": "system", "uncleaned": "system", "judge": "annotator"}


def _jobs(selection: Selection, part: list[int]) -> Nested:
    rows = (
        Job.objects.filter(pk__any_of=part)
        .order_by()
        .values_list("pk", "client_key", "kind", "created_at", "parameters")
    )
    return {
        pk: {
            "key": job_key(key, kind, created_at),
            "parameters": {
                name: selection.number(PARAMETER_KINDS[name], value)
                for name, value in sorted(parameters.items())
                if name in PARAMETER_KINDS
            },
        }
        for pk, key, kind, created_at, parameters in rows
    }


def _items(selection: Selection, part: list[int]) -> Nested:
    made = dict(Summary.objects.filter(job_item__any_of=part).order_by().values_list("job_item", "pk"))
    return {pk: {"made": selection.number("summary", made.get(pk))} for pk in part}


def _attempts(selection: Selection, part: list[int]) -> Nested:
    rows = LLMAttempt.objects.filter(pk__any_of=part).order_by().values_list("pk", "reply", "call__item")
    hidden = set() if selection.with_source else selection.source_items
    return {pk: {"reply": "" if item in hidden else reply} for pk, reply, item in rows}


def _nodes(selection: Selection, part: list[int]) -> Nested:
    nested: Nested = {pk: {} for pk in part}
    for key, links in (("sources", SummaryNode.sources.through), ("context", SummaryNode.context.through)):
        rows = links.objects.filter(from_summarynode__any_of=part).values_list("from_summarynode", "to_summarynode")
        groups = _grouped(rows)
        for pk in part:
            nested[pk][key] = sorted(selection.numbers["node"][other] for other in groups[pk])
    return nested


def _study(selection: Selection, part: list[int]) -> Nested:
    study = selection.study
    summaries = study.summaries.order_by().values_list("pk", flat=True)
    judges = study.judges.order_by().values_list("pk", flat=True)
    return {
        study.pk: {
            "summaries": sorted(selection.numbers["summary"][pk] for pk in summaries),
            "judges": sorted(selection.numbers["annotator"][pk] for pk in judges),
        }
    }


def _marks(selection: Selection, part: list[int]) -> Nested:
    spans = Span.objects.filter(annotation__any_of=part).order_by("annotation", "position")
    types = AnnotationErrorType.objects.filter(annotation__any_of=part).order_by()
    return _places_and_types(
        part,
        spans.values_list("annotation", "start", "end", "quote"),
        types.values_list("annotation", "errortype"),
        selection,
    )


def _places_and_types(
    part: list[int], spans: Iterable[tuple[Any, ...]], types: Iterable[tuple[Any, ...]], selection: Selection
) -> Nested:
    places, by_mark, numbers = _grouped(spans), _grouped(types), selection.numbers["error_type"]
    return {
        pk: {
            "spans": places.get(pk, []),
            "error_types": sorted(numbers[each] for each in by_mark[pk]) if pk in by_mark else [],
        }
        for pk in part
    }


def _verdicts(selection: Selection, part: list[int]) -> Nested:
    rows = Verdict.objects.filter(pk__any_of=part).order_by().values_list("pk", "sentence__index")
    return {pk: {"sentence": index} for pk, index in rows}


def _rounds(selection: Selection, part: list[int]) -> Nested:
    rows = ComparisonQuestion.objects.filter(round__any_of=part).order_by("round", "order")
    groups = _grouped(rows.values_list("round", *QUESTION_COLUMNS))
    return {pk: {"questions": [dict(zip(QUESTION_COLUMNS, each, strict=True)) for each in groups[pk]]} for pk in part}


def _tasks(selection: Selection, part: list[int]) -> Nested:
    rows = ComparisonSheet.objects.filter(assignment__any_of=part).order_by().values_list("assignment", *SHEET_COLUMNS)
    sheets = {task: in_order(dict(zip(SHEET_COLUMNS, values, strict=True))) for task, *values in rows}
    return {pk: {"sheet": sheets.get(pk)} for pk in part}


def _units(selection: Selection, part: list[int]) -> Nested:
    rows = Unit.objects.filter(pk__any_of=part).order_by().values_list("pk", "same_as__index")
    return {pk: {"same_as": index} for pk, index in rows}


def _judgements(selection: Selection, part: list[int]) -> Nested:
    rows = Evidence.objects.filter(judgement__any_of=part).order_by("judgement", "start", "end")
    groups = _grouped(rows.values_list("judgement", "start", "end", "hint_rank", "quote"))
    nested: Nested = {pk: {"evidence": [place[:3] for place in groups[pk]]} for pk in part}
    if selection.with_source:
        for pk, record in nested.items():
            record["evidence_quotes"] = [place[3] for place in groups[pk]]
    return nested


def _gold_decisions(selection: Selection, part: list[int]) -> Nested:
    spans = GoldSpan.objects.filter(decision__any_of=part).order_by("decision", "position")
    types = GoldErrorType.objects.filter(decision__any_of=part).order_by()
    nested = _places_and_types(
        part,
        spans.values_list("decision", "start", "end", "quote"),
        types.values_list("decision", "errortype"),
        selection,
    )
    rows = GoldSource.objects.filter(decision__any_of=part).order_by()
    groups = _grouped(rows.values_list("decision", "annotation", "annotation_version"))
    marks = selection.numbers["mark"]
    for pk in part:
        nested[pk]["sources"] = sorted([marks[mark], version] for mark, version in groups[pk])
    return nested


def _gold_events(selection: Selection, part: list[int]) -> Nested:
    """Events name marks by row id; those of marks that are gone name nothing any more."""
    marks = selection.numbers["mark"]
    nested: Nested = {}
    for pk, content in GoldEvent.objects.filter(pk__any_of=part).order_by().values_list("pk", "content"):
        if "sources" in content:
            content = content | {"sources": [marks[mark] for mark in content["sources"] if mark in marks]}
        nested[pk] = {"content": in_order(content)}
    return nested


_NESTED: dict[str, Callable[[Selection, list[int]], Nested]] = {
    "book": _books,
    "summary": _summaries,
    "job": _jobs,
    "item": _items,
    "attempt": _attempts,
    "node": _nodes,
    "study": _study,
    "mark": _marks,
    "verdict": _verdicts,
    "round": _rounds,
    "task": _tasks,
    "unit": _units,
    "judgement": _judgements,
    "gold_decision": _gold_decisions,
    "gold_event": _gold_events,
}
