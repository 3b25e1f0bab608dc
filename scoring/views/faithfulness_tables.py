"""Tables of the page "Faithfulness"."""

from collections.abc import Sequence

from django.urls import reverse

from scoring.report.faithfulness.structure import (
    FaithfulnessReport,
    PersonFigures,
    SummaryFaithfulness,
    SummaryScore,
    SystemScore,
)
from scoring.statistics.estimate import Estimate
from scoring.statistics.faithfulness import MeanSpread
from scoring.statistics.hints import Comparison
from scoring.statistics.learning import Learning
from scoring.statistics.statistic import Statistic
from scoring.tables import Cell, Table
from scoring.tables.cells import decimal_cell, share_cell

NOTHING = Cell("–")


def points_cell(estimate: Estimate, *, signed: bool = False) -> Cell:
    """Of 100, one decimal, with the interval below, or a dash with the reason."""
    value, low, high = estimate.figure.value, estimate.interval.low, estimate.interval.high
    if value is None:
        return Cell("–", note=estimate.figure.reason)
    form = "+.1f" if signed else ".1f"
    if low is None or high is None:
        return Cell(f"{value:{form}}", note=estimate.interval.reason)
    return Cell(f"{value:{form}}", note=f"{low:{form}} to {high:{form}}")


def systems_table(report: FaithfulnessReport) -> Table:
    """Both ways of asking; each score with its interval over people, and beside it the one over books."""
    columns = ["System", "Summaries", "FINE", "Over books", "Tasks", "COARSE", "Over books", "Tasks"]
    rows = [
        [
            Cell(each.system, number=False),
            Cell(f"{each.summaries:,}"),
            *_system_cells(each.fine),
            *_system_cells(each.coarse),
        ]
        for each in report.systems
    ]
    return Table(columns, rows)


def _system_cells(score: SystemScore) -> list[Cell]:
    if not score.n:
        return [NOTHING, NOTHING, Cell("0")]
    over_books = score.over_books.interval
    between = (
        Cell("–", note=over_books.reason)
        if over_books.low is None or over_books.high is None
        else Cell(f"{over_books.low:.1f} to {over_books.high:.1f}")
    )
    return [
        points_cell(score.score),
        between,
        Cell(f"{score.tasks:,}", note=f"on {score.n:,} summar{'y' if score.n == 1 else 'ies'}"),
    ]


def spread_table(report: FaithfulnessReport) -> Table:
    rows = [
        _spread_row("FINE, unit by unit", report.spread.fine),
        _spread_row("COARSE, one rating", report.spread.coarse),
        _spread_row("COARSE minus FINE, same summaries", report.spread.difference, signed=True),
    ]
    return Table(["Asked", "Summaries", "Standard deviation", "Highest minus lowest"], rows)


def _spread_row(name: str, spread: MeanSpread, *, signed: bool = False) -> list[Cell]:
    figures = [points_cell(each, signed=signed) for each in (spread.deviation, spread.extent)]
    return [Cell(name, number=False), Cell(f"{spread.summaries:,}"), *figures]


def agreement_table(report: FaithfulnessReport) -> Table:
    agreement = report.agreement
    figures = agreement.figures
    people = ", ".join(f"{units:,} by {size}" for size, units in agreement.sizes.items())
    lines = {
        "Units that two people judged": Cell(f"{agreement.units:,}", note=people),
        "Unanimous units, %": share_cell(figures["unanimous"]),
        "Agreeing pairs of judgements, %": share_cell(figures["percent"]),
        "Randolph’s kappa": decimal_cell(figures["randolph"]),
        "Fleiss’ kappa": decimal_cell(figures["fleiss"]),
    }
    return Table(["On units", "All"], [[Cell(name, number=False), cell] for name, cell in lines.items()])


def hints_table(report: FaithfulnessReport) -> Table:
    found = report.hints.comparison
    if found is None:
        return Table([], [])
    rows = [
        _hint_row("Right, of units whose truth is known, %", found.accuracy, share=True),
        _hint_row("Agreeing pairs of judgements, %", found.agreement, share=True),
        _hint_row("Mean active seconds a unit", found.seconds, share=False),
        [
            Cell("Fleiss' kappa", number=False),
            _kappa(found.fleiss_with),
            _kappa(found.fleiss_without),
            NOTHING,
        ],
    ]
    return Table(["Figure", "With hints", "Without", "With minus without"], rows)


def _hint_row(name: str, compared: Comparison, *, share: bool) -> list[Cell]:
    difference = compared.difference
    return [
        Cell(name, number=False),
        _of_way(compared.with_hints, compared.n_with, share=share),
        _of_way(compared.without, compared.n_without, share=share),
        share_cell(difference, signed=True) if share else points_cell(difference, signed=True),
    ]


def _of_way(figure: Statistic, n: int, *, share: bool) -> Cell:
    if figure.value is None:
        return NOTHING
    return Cell(f"{100 * figure.value if share else figure.value:.1f}", note=f"n {n:,}")


def _kappa(figure: Statistic) -> Cell:
    return Cell("–", note=figure.reason) if figure.value is None else Cell(f"{figure.value:.3f}")


def learning_words(learning: Learning) -> str:
    """Whether people become faster along a task, as a sentence."""
    rho, interval = learning.rho.figure, learning.rho.interval
    if rho.value is None:
        return rho.reason
    between = (
        interval.reason
        if interval.low is None or interval.high is None
        else f"95 % interval over {learning.people} people {interval.low:+.2f} to {interval.high:+.2f}"
    )
    return (
        f"Spearman’s rho of position and time within a task, the mean over people: {rho.value:+.2f} ({between}). "
        "Below 0: faster towards the end."
    )


def people_table(report: FaithfulnessReport) -> Table:
    """Everybody who judged units. The column of right ones is there only where the truth of some units is known."""
    known = report.accuracy.n > 0
    columns = ["Person", "Summaries", "Units", "Supported, %", "Agrees with others, %", "Median seconds"]
    rows = [_person_row(each, known=known) for each in report.people]
    return Table([*columns, *(["Right, %"] if known else [])], rows)


def _person_row(person: PersonFigures, *, known: bool) -> list[Cell]:
    accuracy = person.accuracy
    right = (
        NOTHING
        if accuracy.share.value is None
        else Cell(f"{100 * accuracy.share.value:.1f}", note=f"{accuracy.right} of {accuracy.n}")
    )
    return [
        Cell(person.person, number=False),
        Cell(f"{person.summaries:,}"),
        Cell(f"{person.units:,}"),
        Cell(f"{100 * person.supported:.1f}"),
        NOTHING if person.agreement is None else Cell(f"{100 * person.agreement:.1f}", note=f"{person.pairs:,} pairs"),
        NOTHING if person.seconds is None else Cell(f"{person.seconds:.0f}"),
        *([right] if known else []),
    ]


def summaries_table(summaries: Sequence[SummaryFaithfulness], study: str) -> Table:
    columns = ["Book", "System", "Units", "FINE", "Spread", "COARSE", "Spread"]
    rows = [
        [
            Cell(each.book, reverse("scoring:summary-faithfulness", args=[study, each.id]), number=False),
            Cell(each.system, number=False),
            Cell(f"{each.units:,}"),
            *_score_cells(each.fine),
            *_score_cells(each.coarse),
        ]
        for each in summaries
    ]
    return Table(columns, rows)


def _score_cells(score: SummaryScore | None) -> list[Cell]:
    if score is None:
        return [NOTHING, NOTHING]
    people = f"{score.people} people" if score.people > 1 else "1 person"
    spread = (
        NOTHING
        if score.spread is None
        else Cell(f"{score.spread.deviation:.1f}", note=f"range {score.spread.extent:.1f}")
    )
    return [Cell(f"{score.score:.1f}", note=people), spread]
