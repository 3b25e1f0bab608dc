"""What a record holds besides plain columns: checked and set before the row is written, or written after it."""

import hashlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from django.utils import timezone

from annotation.models import (
    AnnotationErrorType,
    Annotator,
    Comparison,
    ComparisonQuestion,
    ComparisonSheet,
    GoldErrorType,
    GoldSet,
    GoldSource,
    GoldSpan,
    Span,
    Study,
    Verdict,
)
from scoring.exports.records import PARAMETER_KINDS, QUESTION_COLUMNS, SECTION_COLUMNS, SHEET_COLUMNS
from scoring.imports import faithfulness
from scoring.imports.context import Context, Line, checked_values, new_key
from scoring.imports.inserting import insert_exactly
from scoring.imports.matching import Batch
from scoring.imports.spans import check_marked, texts_of
from summarizer.models import Book, Endpoint, Job, JobItem, Section, Sentence, Summary, SummaryNode
from summarizer.text import canonical_text, text_sha256

#: The address of an endpoint that came with a study: no server ever has a name that ends so (RFC 2606).
NO_ADDRESS = "https://not-set.invalid/v1"


# --- before the rows are written -------------------------------------------------------------------------------------


def prepare(kind: str, context: Context, batch: Batch) -> None:
    """Set what is no plain column, and refuse what contradicts itself. Raises ImportRefused."""
    if kind in _PREPARE:
        _PREPARE[kind](context, batch)


def _endpoints(context: Context, batch: Batch) -> None:
    for _, row in batch:
        row.base_url = NO_ADDRESS if row.provider == Endpoint.Provider.OPENAI else ""
        row.created_at = timezone.now()


def _books(context: Context, batch: Batch) -> None:
    for line, row in batch:
        sha256 = line.text("text_sha256")
        if not context.with_source:
            row.source_format = Book.Format.NO_TEXT
        if row.text:
            _check_text(line, row.text, sha256)
            row.text_sha256 = sha256
        else:
            row.absent_text_sha256 = sha256


def _summaries(context: Context, batch: Batch) -> None:
    for line, row in batch:
        _check_text(line, row.text, row.text_sha256)
        sentences = line.pairs("sentences", 2)
        edges = [edge for sentence in sentences for edge in sentence]
        if not all(type(edge) is int for edge in edges) or not _is_in_order(edges, len(row.text)):
            line.refuse("its sentences are no stretches of its text in order.")


def _references(context: Context, batch: Batch) -> None:
    for line, row in batch:
        _check_text(line, row.text, row.text_sha256)


def _reports(context: Context, batch: Batch) -> None:
    for line, row in batch:
        if hashlib.sha256(row.content.encode()).hexdigest() != row.content_sha256:
            line.refuse("its content is not what its SHA-256 says.")


def _is_in_order(edges: list[int], length: int) -> bool:
    starts, ends = edges[::2], edges[1::2]
    inside = not edges or (edges[0] >= 0 and edges[-1] <= length)
    apart = all(one <= other for one, other in pairwise(edges))
    return inside and apart and all(start < end for start, end in zip(starts, ends, strict=True))


def _check_text(line: Line, text: str, sha256: str) -> None:
    if canonical_text(text)[0] != text or text_sha256(text) != sha256:
        line.refuse("its text is not what its SHA-256 says.")


def _jobs(context: Context, batch: Batch) -> None:
    for line, row in batch:
        row.client_key = checked_values(line, Job, {"client_key": line.text("key")})["client_key"]
        row.parameters = {}
        for name, number in line.mapping("parameters").items():
            if name not in PARAMETER_KINDS:
                line.refuse(f"unknown parameter {name}.")
            if number is not None:
                row.parameters[name] = context.row(line, PARAMETER_KINDS[name], number)


def _items(context: Context, batch: Batch) -> None:
    """No export has what is not ended, and workers would go on with it and pay."""
    for line, row in batch:
        if row.state in JobItem.UNFINISHED:
            line.refuse("its work has not ended.")


def _attempts(context: Context, batch: Batch) -> None:
    for line, row in batch:
        row.reply = line.text("reply")


def _studies(context: Context, batch: Batch) -> None:
    for line, row in batch:
        if context.study is not None:
            line.refuse("a second study; an export holds one.")
        row.name = context.name


def _sets(context: Context, batch: Batch) -> None:
    for _, row in batch:
        if row.annotator_id in context.judges:
            row.study_id = None


def _marks(context: Context, batch: Batch) -> None:
    summaries = {context.summary_of_set[row.annotation_set_id] for _, row in batch}
    texts = texts_of(summaries)
    for line, row in batch:
        check_marked(line, texts[context.summary_of_set[row.annotation_set_id]])


def _verdicts(context: Context, batch: Batch) -> None:
    summaries = {context.summary_of_set[row.annotation_set_id] for _, row in batch}
    columns = ("summary_id", "index", "pk")
    sentences = {
        (summary, index): pk
        for summary, index, pk in Sentence.objects.filter(summary__in=summaries).values_list(*columns)
    }
    for line, row in batch:
        index = line.record["sentence"]
        sentence = sentences.get((context.summary_of_set[row.annotation_set_id], index)) if type(index) is int else None
        if sentence is None:
            line.refuse("its summary has no such sentence.")
        row.sentence_id = sentence
        if (row.state == Verdict.State.CONFUSED) != (row.annotation_id is not None):
            line.refuse("a verdict has a mark if it is “confused”, and only then.")


def _review_items(context: Context, batch: Batch) -> None:
    for _, row in batch:
        row.key = new_key()


def _comparisons(context: Context, batch: Batch) -> None:
    for line, row in batch:
        if row.first_id == row.second_id or context.book_of_summary[row.first_id] != _book_of(context, row):
            line.refuse("a comparison is of two summaries of one book.")


def _book_of(context: Context, row: Comparison) -> int:
    return context.book_of_summary[row.second_id]


def _gold_decisions(context: Context, batch: Batch) -> None:
    sets = GoldSet.objects.filter(pk__in={row.gold_set_id for _, row in batch})
    summary_of = dict(sets.values_list("pk", "summary_id"))
    texts = texts_of(summary_of.values())
    for line, row in batch:
        check_marked(line, texts[summary_of[row.gold_set_id]])


def _gold_events(context: Context, batch: Batch) -> None:
    for line, row in batch:
        content = dict(line.mapping("content"))
        if "sources" in content:
            content["sources"] = [context.row(line, "mark", mark) for mark in content["sources"] or []]
        row.content = content


_PREPARE: dict[str, Callable[[Context, Batch], None]] = {
    "endpoint": _endpoints,
    "book": _books,
    "summary": _summaries,
    "reference": _references,
    "report": _reports,
    "job": _jobs,
    "item": _items,
    "attempt": _attempts,
    "study": _studies,
    "set": _sets,
    "mark": _marks,
    "verdict": _verdicts,
    "review_item": _review_items,
    "task": _review_items,  # a key too
    "comparison": _comparisons,
    "unit": faithfulness.check_units,
    "unit_verdict": faithfulness.check_verdicts,
    "sampled_unit": faithfulness.check_asked,
    "judgement": faithfulness.check_judgements,
    "gold_decision": _gold_decisions,
    "gold_event": _gold_events,
}


# --- after the rows are written --------------------------------------------------------------------------------------


def finish(kind: str, context: Context, new: Batch, every: Batch) -> None:
    """Write what hangs on the `new` rows, and note of `every` row what later lines need."""
    if kind in _FINISH:
        _FINISH[kind](context, new)
    if kind == "set":
        context.summary_of_set.update((row.pk, row.summary_id) for _, row in every)
    elif kind == "summary":
        context.book_of_summary.update((row.pk, row.book_id) for _, row in every)
    elif kind == "annotator":
        context.judges |= {row.pk for _, row in every if row.kind == Annotator.Kind.JUDGE}
    elif kind == "book" and context.with_source:
        _fill_books(every)
    elif kind == "item":
        _name_makers(context, every)


def _sections(context: Context, new: Batch) -> None:
    if context.with_source:
        insert_exactly([row for line, book in new for row in _sections_of(line, book)])


def _sections_of(line: Line, book: Book) -> list[Section]:
    return [
        Section(book=book, **_exactly(line, Section, values, SECTION_COLUMNS)) for values in line.objects("sections")
    ]


def _exactly(line: Line, model: Any, values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    if values.keys() != set(names):
        line.refuse(f"it must have exactly: {', '.join(names)}.")
    return checked_values(line, model, values)


def _fill_books(every: Batch) -> None:
    """A book that was here without its text gets it."""
    for line, book in every:
        text = line.text("text")
        if text and not book.text_sha256:
            book.text, book.text_sha256, book.absent_text_sha256 = text, line.text("text_sha256"), ""
            book.source_format, book.warnings = line.record["source_format"], line.record["warnings"]
            _check_text(line, text, book.text_sha256)
            book.save(update_fields=["text", "text_sha256", "absent_text_sha256", "source_format", "warnings"])
            insert_exactly(_sections_of(line, book))


def _sentences(context: Context, new: Batch) -> None:
    insert_exactly(
        [
            Sentence(summary=summary, index=index, start=start, end=end)
            for line, summary in new
            for index, (start, end) in enumerate(line.record["sentences"])
        ]
    )


def _name_makers(context: Context, every: Batch) -> None:
    for line, item in every:
        if line.record["made"] is not None:
            summary = context.row(line, "summary", line.record["made"])
            if not Summary.objects.filter(job_item=item.pk).exists():
                Summary.objects.filter(pk=summary, job_item=None).update(job_item=item.pk)


def _node_links(context: Context, new: Batch) -> None:
    through: list[tuple[str, Any]] = [
        ("sources", SummaryNode.sources.through),
        ("context", SummaryNode.context.through),
    ]
    for key, links in through:
        links.objects.bulk_create(
            links(from_summarynode_id=node.pk, to_summarynode_id=context.row(line, "node", number))
            for line, node in new
            for number in line.numbers(key)
        )


def _study_links(context: Context, new: Batch) -> None:
    for line, study in new:
        context.study = Study.objects.get(pk=study.pk)
        study.summaries.add(*(context.row(line, "summary", number) for number in line.numbers("summaries")))
        judges = [context.row(line, "annotator", number) for number in line.numbers("judges")]
        if not context.judges.issuperset(judges):
            line.refuse("one of its judges is a person.")
        study.judges.add(*judges)


def _spans_and_types(context: Context, new: Batch) -> None:
    insert_exactly(
        [
            Span(annotation=mark, position=position, start=start, end=end, quote=quote)
            for line, mark in new
            for position, (start, end, quote) in enumerate(line.record["spans"])
        ]
    )
    AnnotationErrorType.objects.bulk_create(
        AnnotationErrorType(annotation=mark, errortype_id=context.row(line, "error_type", number))
        for line, mark in new
        for number in line.numbers("error_types")
    )


def _questions(context: Context, new: Batch) -> None:
    insert_exactly(
        [
            ComparisonQuestion(round=asked_in, **_exactly(line, ComparisonQuestion, values, QUESTION_COLUMNS))
            for line, asked_in in new
            for values in line.objects("questions")
        ]
    )


def _sheets(context: Context, new: Batch) -> None:
    insert_exactly(
        [
            ComparisonSheet(assignment=task, **_exactly(line, ComparisonSheet, line.mapping("sheet"), SHEET_COLUMNS))
            for line, task in new
            if line.record["sheet"] is not None
        ]
    )


def _gold_details(context: Context, new: Batch) -> None:
    insert_exactly(
        [
            GoldSpan(decision=decision, position=position, start=start, end=end, quote=quote)
            for line, decision in new
            for position, (start, end, quote) in enumerate(line.record["spans"])
        ]
    )
    GoldErrorType.objects.bulk_create(
        GoldErrorType(decision=decision, errortype_id=context.row(line, "error_type", number))
        for line, decision in new
        for number in line.numbers("error_types")
    )
    insert_exactly(
        [
            GoldSource(
                decision=decision,
                gold_set_id=decision.gold_set_id,
                annotation_id=context.row(line, "mark", mark),
                annotation_version=version,
            )
            for line, decision in new
            for mark, version in line.pairs("sources", 2)
        ]
    )


_FINISH: dict[str, Callable[[Context, Batch], None]] = {
    "book": _sections,
    "summary": _sentences,
    "node": _node_links,
    "study": _study_links,
    "mark": _spans_and_types,
    "round": _questions,
    "task": _sheets,
    "unit": faithfulness.link_repeats,
    "judgement": faithfulness.write_evidence,
    "gold_decision": _gold_details,
}
