"""Tables of the alternative annotator test, of recall and of the ranking of systems."""

from collections.abc import Sequence

from scoring.report.agreement.structure import (
    ALWAYS_CLEAN,
    AlternativeFigures,
    RankAgreement,
    RecallFigures,
    SystemDifferences,
)
from scoring.report.structure import PEOPLE
from scoring.statistics.intervals import Interval
from scoring.statistics.ranking import SystemPair
from scoring.statistics.statistic import Statistic
from scoring.tables import Cell, Table
from scoring.tables.cells import NOTHING, count_cell, decimal_cell, number_cell, share_cell, text_cell

#: Rows on the page; files have all.
MOST_PAIRS = 100


def alternative_table(found: Sequence[AlternativeFigures]) -> Table:
    columns = ["Judge", "Summaries", "People left out", "Winning rate", "Advantage probability", "May replace people"]
    return Table(columns, [_alternative_row(each) for each in found])


def _alternative_row(figures: AlternativeFigures) -> list[Cell]:
    test = figures.test
    name = text_cell("Always clean" if figures.name == ALWAYS_CLEAN else figures.name)
    if test.winning_rate.value is None:
        reason = text_cell("–", note=test.winning_rate.reason)
        return [name, count_cell(figures.summaries), count_cell(0), reason, NOTHING, text_cell("–")]
    beaten = sum(each.beaten for each in test.people)
    return [
        name,
        count_cell(figures.summaries),
        count_cell(len(test.people)),
        Cell(f"{test.winning_rate.value:.2f}", note=f"{beaten} of {len(test.people)}", value=test.winning_rate.value),
        decimal_cell(test.advantage),
        text_cell("Yes" if test.passes else "No"),
    ]


def left_out_table(figures: AlternativeFigures) -> Table:
    """Each person left out, those whom the judge may replace first."""
    columns = ["Person", "Books", "Judge wins", "Person wins", "Test", "p", "p adjusted", "Judge may replace them"]
    people = sorted(figures.test.people, key=lambda each: (not each.beaten, each.p_adjusted, each.person))
    rows = [
        [
            text_cell(each.person),
            count_cell(each.books),
            Cell(f"{100 * each.judge:.1f}", value=each.judge),
            Cell(f"{100 * each.human:.1f}", value=each.human),
            text_cell("t" if each.test == "t" else "Signed rank"),
            _p(each.p),
            _p(each.p_adjusted),
            text_cell("Yes" if each.beaten else "No"),
        ]
        for each in people
    ]
    return Table(columns, rows, MOST_PAIRS)


def _p(value: float) -> Cell:
    return Cell("< 0.001" if value < 0.001 else f"{value:.3f}", value=value)


def recall_table(figures: RecallFigures) -> Table:
    columns = ["Sources", "Summaries", "Found", "By more than one", "All, estimated", "Nobody found", "Found, %"]
    rows = [
        [
            text_cell(row.name[:1].upper() + row.name[1:], note=row.method),
            count_cell(row.summaries),
            count_cell(row.found),
            count_cell(row.again),
            _whole(row.total.figure, row.total.interval, row.as_independent),
            NOTHING if row.missed.value is None else number_cell(row.missed, ",.0f"),
            share_cell(row.share),
        ]
        for row in figures.rows
    ]
    return Table(columns, rows)


def _whole(figure: Statistic, interval: Interval, as_independent: Interval) -> Cell:
    if figure.value is None:
        return Cell("–", note=figure.reason)
    note = "" if interval.low is None or interval.high is None else f"{interval.low:,.0f} to {interval.high:,.0f}"
    if as_independent.low is not None and as_independent.high is not None:
        note += f" ({as_independent.low:,.0f} to {as_independent.high:,.0f})"
    beside = {
        "low": interval.low,
        "high": interval.high,
        "low as independent": as_independent.low,
        "high as independent": as_independent.high,
    }
    return Cell(f"{figure.value:,.0f}", note=note.strip(), value=figure.value, beside=beside)


def recall_shares(figures: RecallFigures) -> Table:
    """What each source finds of all confusing sentences, where there is an estimate of them."""
    rows = [
        [text_cell(row.name[:1].upper() + row.name[1:]), text_cell(label), share_cell(share)]
        for row in figures.rows
        for label, share in row.shares.items()
        if share.figure.value is not None
    ]
    return Table(["Estimated from", "Source", "Finds, %"], rows)


def orders_table(orders: Sequence[RankAgreement]) -> Table:
    rows = [
        [
            text_cell(each.judge),
            count_cell(len(each.systems)),
            count_cell(each.books),
            decimal_cell(each.tau),
            text_cell(", ".join(name for name, _, _ in each.systems) or "–"),
            text_cell(", ".join(name for name, _, _ in sorted(each.systems, key=lambda row: -row[2])) or "–"),
        ]
        for each in orders
    ]
    return Table(["Judge", "Systems", "Books", "Kendall's tau-b", "By people, best first", "By the judge"], rows)


def differences_table(found: SystemDifferences, difference: float | None) -> Table:
    """Every two systems by one source, the plainest differences first."""
    columns = ["Systems", "Books", "First minus second", "p", "p by Holm", "They differ", "Smallest it could find"]
    stated = [] if difference is None else [f"Books for {100 * difference:g} points"]
    pairs = sorted(found.pairs, key=lambda each: (each.p.value is None, each.p.value or 0, each.first, each.second))
    rows = [
        [*_pair_cells(pair), *([] if difference is None else [number_cell(pair.books_needed, ",.0f")])]
        for pair in pairs
    ]
    return Table([*columns, *stated], rows, MOST_PAIRS)


def _pair_cells(pair: SystemPair) -> list[Cell]:
    words = {None: "–", True: "Yes", False: "Not shown"}
    no_p = Cell("–", note=pair.p.reason if pair.difference.figure.value is not None else "")
    detectable = pair.detectable.value
    return [
        text_cell(f"{pair.first}, {pair.second}"),
        count_cell(pair.books),
        share_cell(pair.difference, signed=True),
        no_p if pair.p.value is None else _p(pair.p.value),
        NOTHING if pair.p_adjusted.value is None else _p(pair.p_adjusted.value),
        text_cell(words[pair.differs]),
        NOTHING if detectable is None else Cell(f"{100 * detectable:.1f}", value=detectable),
    ]


def source_name(source: str) -> str:
    return "people" if source == PEOPLE else source
