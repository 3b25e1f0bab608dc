"""Precision by source of the marks: people together, and each judge."""

from annotation.models import ShownAs
from annotation.places import Form
from scoring.report.structure import PEOPLE, JudgeName, PrecisionFigures, PrecisionGroup
from scoring.selectors.reviews import SourceDecisions
from scoring.statistics.intervals import bootstrap_ratio, wilson
from scoring.statistics.precision import Decisions, precision, strict_precision


def precision_figures(sources: list[SourceDecisions], judges: list[JudgeName], seed: int) -> list[PrecisionFigures]:
    """One row a source. A judge whose marks are known only from a review is not in the study and joins the study's
    judge of its name (`judges_by_name`)."""
    labels = {judge.id: judge.label for judge in judges}
    by_name = {name: judge.label for name, judge in judges_by_name(judges).items()}
    merged: dict[str, SourceDecisions] = {}
    for source in sources:
        label = PEOPLE
        if source.source is not None:
            label = labels.get(source.source) or by_name.get(source.name) or source.name
        merged[label] = _joined(merged[label], source) if label in merged else source
    return [_figures(label, source, seed) for label, source in merged.items()]


def judges_by_name(judges: list[JudgeName]) -> dict[str, JudgeName]:
    """Where a name has several modes, the one that goes sentence by sentence."""
    return {judge.name: judge for judge in sorted(judges, key=lambda judge: judge.mode == "sentence")}


def _joined(one: SourceDecisions, other: SourceDecisions) -> SourceDecisions:
    return SourceDecisions(one.source, one.name, one.decided + other.decided, undecided=one.undecided + other.undecided)


def _figures(label: str, source: SourceDecisions, seed: int) -> PrecisionFigures:
    total = source.total
    by_book = source.by(lambda each: each.book_place)
    books = [by_book[book] for book in sorted(by_book)]
    by_reviewer = source.by(lambda each: each.reviewer)
    return PrecisionFigures(
        source=label,
        decisions=total,
        undecided=source.undecided,
        precision=precision(total),
        strict=strict_precision(total),
        interval=bootstrap_ratio([book.upheld for book in books], [book.total for book in books], seed),
        wilson=wilson(total.upheld, total.total),
        by_form=_groups(source.by(lambda each: each.form.value), [form.value for form in Form]),
        by_shown=_groups(source.by(lambda each: each.shown_as), ShownAs.values),
        by_reviewer=_groups(by_reviewer, sorted(by_reviewer)),
    )


def _groups(counts: dict[str, Decisions], order: list[str]) -> list[PrecisionGroup]:
    """Groups without a decision are left out."""
    return [
        PrecisionGroup(
            name=name,
            decisions=counts[name],
            precision=precision(counts[name]),
            strict=strict_precision(counts[name]),
            wilson=wilson(counts[name].upheld, counts[name].total),
        )
        for name in order
        if name in counts
    ]
