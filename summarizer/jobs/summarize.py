"""The kind of job that makes summaries of books."""

from typing import Any

from summarizer.models import JobItem, Summary, SummaryNode, System
from summarizer.providers.base import FailureKind
from summarizer.selectors.chunks import source_chunks
from summarizer.services.summaries import SummaryExists, create_summary
from summarizer.services.systems import ParametersRefused, parameters_of
from summarizer.strategies.base import Failure, Strategy, StrategyFailed
from summarizer.strategies.fit import DoesNotFit
from summarizer.strategies.records import Node, SummaryResult


class SummarizeKind:
    """An item is a book; its job's parameters name the system: {"system": id}."""

    name = "summarize"
    result_template = "summarizer/job_result_summarize.html"

    def strategy(self, item: JobItem) -> Strategy[SummaryResult]:
        """What was checked at the launch is checked again: the endpoint or the sections may have changed since.

        Raises `StrategyFailed` for parameters that no longer hold, here or at the first step.
        """
        if item.book is None:
            raise ValueError(f"{item} has no book.")
        try:
            parameters = parameters_of(_system(item))
        except ParametersRefused as error:
            raise _failed("before the first call", FailureKind.PERMANENT, error) from error
        chunks = source_chunks(item.book, parameters.chunk_size)
        if not chunks:
            problem = "All sections of the book are left out by now. Include at least one."
            raise _failed("before the first call", FailureKind.PERMANENT, problem)
        return _fitting(parameters.method.run(chunks, parameters.settings()))

    def save(self, item: JobItem, result: Any) -> None:
        """Raises `StrategyFailed` when another job has made this summary in the meantime."""
        if item.book is None or not isinstance(result, SummaryResult):
            raise ValueError(f"{item} has no book or no summary.")
        try:
            summary = create_summary(
                book=item.book, system=_system(item), text=result.text, job_item=item, source_cut=result.source_cut
            )
        except SummaryExists as error:
            raise _failed("storing the summary", FailureKind.PERMANENT, error) from error
        save_nodes(summary, result.nodes)


def _fitting(strategy: Strategy[SummaryResult]) -> Strategy[SummaryResult]:
    try:
        return (yield from strategy)
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
