"""Precision by source of the marks: people together, and each judge."""

from scoring.report.structure import PEOPLE, JudgeName, PrecisionFigures
from scoring.selectors.reviews import SourceDecisions
from scoring.statistics.intervals import bootstrap_ratio, wilson
from scoring.statistics.precision import Decisions, precision, strict_precision


def precision_figures(sources: list[SourceDecisions], judges: list[JudgeName], seed: int) -> list[PrecisionFigures]:
    """One row a source. A judge whose marks are known only from a review is not in the study and joins the study's
    judge of its name (where that has several modes, the one that goes sentence by sentence)."""
    labels = {judge.id: judge.label for judge in judges}
    by_name = {judge.name: judge.label for judge in sorted(judges, key=lambda judge: judge.mode == "sentence")}
    merged: dict[str, SourceDecisions] = {}
    for source in sources:
        label = PEOPLE
        if source.source is not None:
            label = labels.get(source.source) or by_name.get(source.name) or source.name
        merged[label] = _joined(merged[label], source) if label in merged else source
    return [_figures(label, source, seed) for label, source in merged.items()]


def _joined(one: SourceDecisions, other: SourceDecisions) -> SourceDecisions:
    books = {*one.by_book, *other.by_book}
    return SourceDecisions(
        one.source,
        one.name,
        {book: _sum(one.by_book.get(book, Decisions()), other.by_book.get(book, Decisions())) for book in books},
        one.undecided + other.undecided,
    )


def _sum(one: Decisions, other: Decisions) -> Decisions:
    return Decisions(one.agree + other.agree, one.partial + other.partial, one.disagree + other.disagree)


def _figures(label: str, source: SourceDecisions, seed: int) -> PrecisionFigures:
    total = source.total
    books = [source.by_book[book] for book in sorted(source.by_book)]
    return PrecisionFigures(
        source=label,
        decisions=total,
        undecided=source.undecided,
        precision=precision(total),
        strict=strict_precision(total),
        interval=bootstrap_ratio([book.upheld for book in books], [book.total for book in books], seed),
        wilson=wilson(total.upheld, total.total),
    )
