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
from scoring.tables.cells import NOTHING, count_cell, decimal_cell, number_cell, share_cell, text_cell


def points_cell(estimate: Estimate, *, signed: bool = False) -> Cell:
    """Of 100, one decimal, with the interval below or why there is none; or a dash with the reason."""
    value, interval = estimate.figure.value, estimate.interval
    if value is None:
        return Cell("–", note=estimate.figure.reason)
    form = "+.1f" if signed else ".1f"
    between = (
        interval.reason
        if interval.low is None or interval.high is None
        else f"{interval.low:{form}} to {interval.high:{form}}"
    )
    return Cell(f"{value:{form}}", note=between, value=value, beside={"low": interval.low, "high": interval.high})


def systems_table(report: FaithfulnessReport) -> Table:
    """Both ways of asking; each score with its interval over people, and beside it the one over books."""
    columns = ["System", "Summaries", "FINE", "FINE over books", "FINE tasks", "COARSE", "COARSE over books"]
    rows = [
        [
            text_cell(each.system),
            count_cell(each.summaries),
            *_system_cells(each.fine, each.summaries),
            *_system_cells(each.coarse, each.summaries),
        ]
        for each in report.systems
    ]
    return Table([*columns, "COARSE tasks"], rows)


def _system_cells(score: SystemScore, summaries: int) -> list[Cell]:
    if not score.n:
        return [NOTHING, NOTHING, count_cell(0)]
    tasks = count_cell(score.tasks, "" if score.n == summaries else f"on {score.n:,} of {summaries:,}")
    return [points_cell(score.score), _over_books(score), tasks]


def _over_books(score: SystemScore) -> Cell:
    interval = score.over_books.interval
    if interval.low is None or interval.high is None:
        return Cell("–", note=interval.reason)
    ends = {"low": interval.low, "high": interval.high}
    return Cell(f"{interval.low:.1f} to {interval.high:.1f}", value=score.over_books.figure.value, beside=ends)


def spread_table(report: FaithfulnessReport) -> Table:
    rows = [
        _spread_row("FINE, unit by unit", report.spread.fine),
        _spread_row("COARSE, one rating", report.spread.coarse),
        _spread_row("COARSE minus FINE, same summaries", report.spread.difference, signed=True),
    ]
    return Table(["Asked", "Summaries", "Standard deviation", "Highest minus lowest"], rows)


def _spread_row(name: str, spread: MeanSpread, *, signed: bool = False) -> list[Cell]:
    figures = [points_cell(each, signed=signed) for each in (spread.deviation, spread.extent)]
    return [text_cell(name), count_cell(spread.summaries), *figures]


def agreement_table(report: FaithfulnessReport) -> Table:
    """Nothing where nobody judged a unit."""
    agreement = report.agreement
    figures = agreement.figures
    people = ", ".join(f"{units:,} by {size}" for size, units in agreement.sizes.items())
    lines = {
        "Units that two people judged": count_cell(agreement.units, people),
        "Unanimous units, %": share_cell(figures["unanimous"]),
        "Agreeing pairs of judgements, %": share_cell(figures["percent"]),
        "Randolph’s kappa": decimal_cell(figures["randolph"]),
        "Fleiss’ kappa": decimal_cell(figures["fleiss"]),
    }
    rows = [[text_cell(name), cell] for name, cell in lines.items()]
    return Table(["On units", "All"], rows if report.judgements else [])


def hints_table(report: FaithfulnessReport) -> Table:
    """Nothing where hints were not drawn by lot."""
    columns = ["Figure", "With hints", "Without", "With minus without"]
    found = report.hints.comparison
    if found is None:
        return Table(columns, [])
    rows = [
        _hint_row("Right, of units whose truth is known, %", found.accuracy, share=True),
        _hint_row("Agreeing pairs of judgements, %", found.agreement, share=True),
        _hint_row("Mean active seconds a unit", found.seconds, share=False),
        [text_cell("Fleiss’ kappa"), number_cell(found.fleiss_with), number_cell(found.fleiss_without), NOTHING],
    ]
    return Table(columns, rows)


def _hint_row(name: str, compared: Comparison, *, share: bool) -> list[Cell]:
    difference = compared.difference
    return [
        text_cell(name),
        _of_way(compared.with_hints, compared.n_with, share=share),
        _of_way(compared.without, compared.n_without, share=share),
        share_cell(difference, signed=True) if share else points_cell(difference, signed=True),
    ]


def _of_way(figure: Statistic, n: int, *, share: bool) -> Cell:
    if figure.value is None:
        return NOTHING
    shown = 100 * figure.value if share else figure.value
    return Cell(f"{shown:.1f}", note=f"n {n:,}", value=figure.value, beside={"n": n})


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
    right = _share(person.accuracy.share.value, f"{person.accuracy.right} of {person.accuracy.n}")
    return [
        text_cell(person.person),
        count_cell(person.summaries),
        count_cell(person.units),
        _share(person.supported),
        _share(person.agreement, f"{person.pairs:,} pairs"),
        NOTHING if person.seconds is None else Cell(f"{person.seconds:.0f}", value=person.seconds),
        *([right] if known else []),
    ]


def _share(value: float | None, note: str = "") -> Cell:
    return NOTHING if value is None else Cell(f"{100 * value:.1f}", note=note, value=value)


def summaries_table(summaries: Sequence[SummaryFaithfulness], study: str) -> Table:
    columns = ["Book", "System", "Units", "FINE", "FINE spread", "COARSE", "COARSE spread"]
    rows = [
        [
            text_cell(each.book, reverse("scoring:summary-faithfulness", args=[study, each.id])),
            text_cell(each.system),
            count_cell(each.units),
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
    own = Cell(f"{score.score:.1f}", note=people, value=score.score, beside={"people": score.people})
    if score.spread is None:
        return [own, NOTHING]
    deviation, extent = score.spread.deviation, score.spread.extent
    return [own, Cell(f"{deviation:.1f}", note=f"range {extent:.1f}", value=deviation, beside={"range": extent})]
