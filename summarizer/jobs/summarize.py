"""The kind of job that makes summaries of books."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q

from summarizer.models import Book, Job, JobItem, Summary, SummaryNode, System
from summarizer.providers.base import FailureKind
from summarizer.selectors.chunks import source_chunks
from summarizer.services.books import lock_books
from summarizer.services.summaries import SummaryExists, create_summary
from summarizer.services.systems import ParametersRefused, SystemParameters, parameters_of
from summarizer.strategies.base import Failure, Strategy, StrategyFailed
from summarizer.strategies.cleaning import CleanedResult, made_and_cleaned, only_cleaned
from summarizer.strategies.fit import DoesNotFit
from summarizer.strategies.records import Node, SummaryResult
from summarizer.text import canonical_text


class SummarizeKind:
    """An item is a book; its job's parameters name the system: {"system": id}.

    One whose summaries are cleaned has beside it the system of the summaries that they are made of ("uncleaned": id).
    Both are stored together; where there is an uncleaned one of the book already, that one is cleaned.
    """

    name = "summarize"
    result_template = "summarizer/job_result_summarize.html"
    refusal_fails = True

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        """A summary that is cleaned is made first, so whoever makes it uncleaned does the same."""
        systems = [parameters[name] for name in ("system", "uncleaned") if name in parameters]
        return Q(job__parameters__system__in=systems) | Q(job__parameters__uncleaned__in=systems)

    def lock_work(self, job: Job) -> None:
        lock_books(job.items.values("book"))

    def strategy(self, item: JobItem) -> Strategy[SummaryResult | CleanedResult]:
        """What was checked at the launch is checked again: the endpoint or the sections may have changed since, and
        another job may have made the summary.

        Raises `StrategyFailed` for parameters that no longer hold, here or at the first step.
        """
        system = _system(item)
        try:
            parameters = parameters_of(system)
        except ParametersRefused as error:
            raise _failed("before the first call", FailureKind.PERMANENT, error) from error
        if system.summaries.filter(book=item.book_id).exists():
            raise _failed("before the first call", FailureKind.PERMANENT, SummaryExists(_book(item), system))
        settings = parameters.settings()
        if not parameters.cleaned:
            return _fitting(_making(item, parameters))
        if uncleaned := _uncleaned_summary(item):
            return _fitting(only_cleaned(uncleaned.text, settings))
        return _fitting(made_and_cleaned(_making(item, parameters), settings, partial(_keep, item)))

    def save(self, item: JobItem, result: Any) -> None:
        """Raises `StrategyFailed` when another job has made this summary in the meantime."""
        try:
            if isinstance(result, CleanedResult):
                _save_cleaned(item, result)
            elif isinstance(result, SummaryResult):
                _save_made(item, _system(item), result, job_item=item)
            else:
                raise ValueError(f"{item} has no summary.")
        except SummaryExists as error:
            raise _failed("storing the summary", FailureKind.PERMANENT, error) from error


def _making(item: JobItem, parameters: SystemParameters) -> Strategy[SummaryResult]:
    chunks = source_chunks(_book(item), parameters.piece_size)
    if not chunks:
        problem = "All sections of the book are left out by now. Include at least one."
        raise _failed("before the first call", FailureKind.PERMANENT, problem)
    return parameters.method.run(chunks, parameters.settings())


def _save_made(item: JobItem, system: System, made: SummaryResult, job_item: JobItem | None = None) -> Summary:
    with transaction.atomic():
        summary = create_summary(
            book=_book(item),
            system=system,
            text=made.text,
            job_item=job_item,
            source_cut=made.source_cut,
            source_tokens=made.source_tokens,
            source_tokens_read=made.source_tokens_read,
        )
        save_nodes(summary, made.nodes)
    return summary


def _save_cleaned(item: JobItem, result: CleanedResult) -> None:
    with transaction.atomic():
        uncleaned = _uncleaned_summary(item)
        if result.made:
            if uncleaned is None:
                uncleaned = _save_made(item, _uncleaned_system(item), result.made)
            elif uncleaned.text != canonical_text(result.made.text)[0]:
                raise SummaryExists(uncleaned.book, uncleaned.system)
        if uncleaned is None:
            problem = "The summary that was cleaned is gone. Try again: a new one is made then."
            raise _failed("storing the summary", FailureKind.PERMANENT, problem)
        cleaned = create_summary(
            book=_book(item),
            system=_system(item),
            text=result.node.text,
            job_item=item,
            cleaned_from=uncleaned,
            source_cut=uncleaned.source_cut,
            source_tokens=uncleaned.source_tokens,
            source_tokens_read=uncleaned.source_tokens_read,
        )
        save_nodes(cleaned, (result.node,))


def _keep(item: JobItem, made: SummaryResult) -> str:
    """Keep a summary whose cleaning did not come to its end, and say so."""
    with suppress(SummaryExists):
        _save_made(item, _uncleaned_system(item), made)
    return "The uncleaned summary is kept with the book, so a retry makes only the cleaning."


def _uncleaned_summary(item: JobItem) -> Summary | None:
    return Summary.objects.filter(book=item.book_id, system=item.job.parameters["uncleaned"]).first()


def _uncleaned_system(item: JobItem) -> System:
    return System.objects.get(pk=item.job.parameters["uncleaned"])


def _book(item: JobItem) -> Book:
    if item.book is None:
        raise ValueError(f"{item} has no book.")
    return item.book


def _fitting(strategy: Strategy[Any]) -> Strategy[SummaryResult | CleanedResult]:
    try:
        result: SummaryResult | CleanedResult = yield from strategy
        return result
    except DoesNotFit as error:
        raise _failed("before the first call", FailureKind.CONTEXT_TOO_LONG, error) from error


def _failed(step: str, kind: FailureKind, problem: object) -> StrategyFailed:
    return StrategyFailed(step, Failure(kind, str(problem)))


def save_nodes(summary: Summary, nodes: tuple[Node, ...]) -> None:
    """Store every intermediate summary with what it was made from and shown with."""
    rows = SummaryNode.objects.bulk_create(
        SummaryNode(
            summary=summary,
            kind=node.kind,
            level=node.level,
            index=node.index,
            text=node.text,
            tokens=node.tokens,
            chunk_start=node.chunk_start,
            chunk_end=node.chunk_end,
            call_id=node.call_id,
            asked_words=node.asked_words,
            removed=node.removed,
        )
        for node in nodes
    )
    ids = {node.place: row.pk for node, row in zip(nodes, rows, strict=True)}
    sources, context = SummaryNode.sources.through, SummaryNode.context.through
    sources.objects.bulk_create(
        sources(from_summarynode_id=ids[node.place], to_summarynode_id=ids[place])
        for node in nodes
        for place in node.sources
    )
    context.objects.bulk_create(
        context(from_summarynode_id=ids[node.place], to_summarynode_id=ids[place])
        for node in nodes
        for place in node.context
    )


def _system(item: JobItem) -> System:
    return System.objects.select_related("endpoint", "prompt_set").get(pk=item.job.parameters["system"])
