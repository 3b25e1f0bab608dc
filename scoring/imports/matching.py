"""Rows of a file that are here already, because they belong to no study alone: books, systems, judges, their marks.

Each function takes the batch as (line, row built from it) and gives the stored row for each, or None for a new one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db.models import Model, Q

from annotation.models import Annotation, AnnotationSet, Annotator, BookKnowledge, ErrorType, Verdict
from scoring.exports.selection import job_key
from scoring.imports.context import Context, Line
from scoring.models import MetricValue
from summarizer.models import (
    Book,
    Endpoint,
    Job,
    JobItem,
    LLMAttempt,
    LLMCall,
    PromptSet,
    ReferenceSummary,
    Summary,
    SummaryNode,
    System,
)

Batch = Sequence[tuple[Line, Any]]
Matched = list[Model | None]


def match(kind: str, context: Context, batch: Batch) -> Matched:
    """Raises ImportRefused where a stored row goes by the same name and is something else."""
    return _MATCH[kind](context, batch) if kind in _MATCH else [None] * len(batch)


def _one_by_one(find: Callable[[Context, Line, Any], Model | None]) -> Callable[[Context, Batch], Matched]:
    return lambda context, batch: [find(context, line, row) for line, row in batch]


def _prompt_set(context: Context, line: Line, row: PromptSet) -> PromptSet | None:
    return PromptSet.objects.filter(name=row.name, content_sha256=row.content_sha256).first()


def _endpoint(context: Context, line: Line, row: Endpoint) -> Endpoint | None:
    found = Endpoint.objects.filter(name=row.name).first()
    if found and found.provider != row.provider:
        line.refuse(f"there is another endpoint {row.name} here, of the kind {found.provider}. Rename it first.")
    return found


def _error_type(context: Context, line: Line, row: ErrorType) -> ErrorType | None:
    return ErrorType.objects.filter(key=row.key).first()


#: What makes an annotator the same one; a person with a login must also have been made at the same moment.
JUDGE_FIELDS = (
    "kind",
    "endpoint_id",
    "prompt_set_id",
    "model",
    "mode",
    "batch_size",
    "passages",
    "temperature",
    "max_answer_tokens",
    "repeat",
)


def _annotator(context: Context, line: Line, row: Annotator) -> Annotator | None:
    found = Annotator.objects.filter(pseudonym=row.pseudonym).first()
    if found is None:
        return None
    same = _same(found, row, JUDGE_FIELDS) and found.absent_rule == row.absent_rule
    if not same or (found.user_id and found.created_at != row.created_at):
        line.refuse(f"“{row.pseudonym}” is somebody else here, so nothing can be imported under that name.")
    return found


def _book(context: Context, line: Line, row: Book) -> Book | None:
    """By the hash of its text; one without, by its names. Two books of a file never become one."""
    sha256 = line.text("text_sha256")
    if sha256:
        rows = Book.objects.filter(Q(text_sha256=sha256) | Q(absent_text_sha256=sha256)).order_by("-text_sha256", "pk")
    else:
        rows = Book.objects.filter(source_name=row.source_name, title=row.title, text_sha256="", absent_text_sha256="")
        rows = (rows if row.source_name else rows.filter(created_at=row.created_at)).order_by("pk")
    found = next((book for book in rows if book.pk not in context.taken_books), None)
    if found:
        context.taken_books.add(found.pk)
    return found


SYSTEM_FIELDS = (
    "strategy",
    "endpoint_id",
    "prompt_set_id",
    "model",
    "context_window",
    "chunk_size",
    "max_summary_tokens",
    "temperature",
    "cleaned",
)


def _system(context: Context, line: Line, row: System) -> System | None:
    found = System.objects.filter(name=row.name).first()
    if found and not _same(found, row, SYSTEM_FIELDS):
        line.refuse(f"there is another system {row.name} here, made in another way. Rename it first.")
    return found


def _summary(context: Context, line: Line, row: Summary) -> Summary | None:
    found = Summary.objects.filter(book=row.book_id, system=row.system_id).first()
    if found is None:
        return None
    sentences = [list(each) for each in found.sentences.order_by("index").values_list("start", "end")]
    if found.text_sha256 != row.text_sha256 or sentences != line.record["sentences"]:
        line.refuse("there is another summary of this book by this system here, and a summary never changes.")
    return found


def _jobs(context: Context, line: Line, row: Job) -> Job | None:
    if found := Job.objects.filter(client_key=row.client_key).first():
        return found
    unnamed = Job.objects.filter(client_key=None, kind=row.kind, created_at=row.created_at)
    return next((job for job in unnamed if job_key(None, job.kind, job.created_at) == row.client_key), None)


def _items(context: Context, line: Line, row: JobItem) -> JobItem | None:
    return JobItem.objects.filter(job=row.job_id, index=row.index).first()


def _by(model: type[Model], link: str, *columns: str) -> Callable[[Context, Batch], Matched]:
    """By columns that are unique together, of which the first is a key of the batch."""

    def find(context: Context, batch: Batch) -> Matched:
        wanted = {getattr(row, link) for _, row in batch}
        stored = model._base_manager.filter(**{f"{link}__in": wanted})
        found = {tuple(getattr(each, name) for name in (link, *columns)): each for each in stored}
        return [found.get(tuple(getattr(row, name) for name in (link, *columns))) for _, row in batch]

    return find


def _sets(context: Context, line: Line, row: AnnotationSet) -> AnnotationSet | None:
    """A judge marks a summary once, for all studies; a person's set is the new study's own."""
    if row.study_id is not None:
        return None
    return AnnotationSet.all_purposes.filter(annotator=row.annotator_id, summary=row.summary_id, study=None).first()


OTHER_MARKS = "the judge has marked this summary here with another result, and a judge's first marks stay."


def _marks(context: Context, batch: Batch) -> Matched:
    sets = context.were_here["set"]
    old = _in_old_sets(batch, sets)
    stored = {
        (mark.annotation_set_id, mark.client_key): mark
        for mark in Annotation.objects.filter(annotation_set__in=old).only("annotation_set", "client_key", "questions")
    }
    matched: Matched = []
    for line, row in batch:
        found = stored.get((row.annotation_set_id, row.client_key))
        if row.annotation_set_id in sets and (found is None or found.questions != row.questions):
            line.refuse(OTHER_MARKS)
        matched.append(found)
    return matched


def _verdicts(context: Context, batch: Batch) -> Matched:
    sets = context.were_here["set"]
    stored = {
        (verdict.annotation_set_id, verdict.sentence_id): verdict
        for verdict in Verdict.objects.filter(annotation_set__in=_in_old_sets(batch, sets))
    }
    matched: Matched = []
    for line, row in batch:
        found = stored.get((row.annotation_set_id, row.sentence_id))
        if row.annotation_set_id in sets and (found is None or found.state != row.state):
            line.refuse(OTHER_MARKS)
        matched.append(found)
    return matched


def _in_old_sets(batch: Batch, sets: set[int]) -> set[int]:
    return {row.annotation_set_id for _, row in batch} & sets


def _same(one: Model, other: Model, fields: Iterable[str]) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in fields)


_MATCH: dict[str, Callable[[Context, Batch], Matched]] = {
    "prompt_set": _one_by_one(_prompt_set),
    "endpoint": _one_by_one(_endpoint),
    "error_type": _one_by_one(_error_type),
    "annotator": _one_by_one(_annotator),
    "book": _one_by_one(_book),
    "system": _one_by_one(_system),
    "summary": _one_by_one(_summary),
    "job": _one_by_one(_jobs),
    "item": _one_by_one(_items),
    "call": _by(LLMCall, "key"),
    "attempt": _by(LLMAttempt, "call_id", "number"),
    "node": _by(SummaryNode, "summary_id", "level", "index"),
    "reference": _by(ReferenceSummary, "book_id", "text_sha256"),
    "book_knowledge": _by(BookKnowledge, "annotator_id", "book_id"),
    "metric": _by(MetricValue, "summary_id", "name"),
    "set": _one_by_one(_sets),
    "mark": _marks,
    "verdict": _verdicts,
}
