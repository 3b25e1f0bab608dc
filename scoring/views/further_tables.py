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
from scoring.views.agreement_tables import decimal_cell, share_cell
from scoring.views.tables import Cell, Table

#: Rows on the page; the JSON has all.
MOST_PAIRS = 100


def alternative_table(found: Sequence[AlternativeFigures]) -> Table:
    columns = ["Judge", "Summaries", "People left out", "Winning rate", "Advantage probability", "May replace people"]
    return Table(columns, [_alternative_row(each) for each in found])


def _alternative_row(figures: AlternativeFigures) -> list[Cell]:
    test = figures.test
    name = Cell("Always clean" if figures.name == ALWAYS_CLEAN else figures.name, number=False)
    if test.winning_rate.value is None:
        reason = Cell("–", note=test.winning_rate.reason, number=False)
        return [name, Cell(f"{figures.summaries:,}"), Cell("0"), reason, Cell("–"), Cell("–", number=False)]
    beaten = sum(each.beaten for each in test.people)
    return [
        name,
        Cell(f"{figures.summaries:,}"),
        Cell(f"{len(test.people):,}"),
        Cell(f"{test.winning_rate.value:.2f}", note=f"{beaten} of {len(test.people)}"),
        decimal_cell(test.advantage),
        Cell("Yes" if test.passes else "No", number=False),
    ]


def left_out_table(figures: AlternativeFigures) -> Table:
    """Each person left out, those whom the judge may replace first."""
    columns = ["Person", "Books", "Judge wins", "Person wins", "Test", "p", "p adjusted", "Judge may replace them"]
    people = sorted(figures.test.people, key=lambda each: (not each.beaten, each.p_adjusted, each.person))
    rows = [
        [
            Cell(each.person, number=False),
            Cell(f"{each.books:,}"),
            Cell(f"{100 * each.judge:.1f}"),
            Cell(f"{100 * each.human:.1f}"),
            Cell("t" if each.test == "t" else "Signed rank", number=False),
            Cell(_p(each.p)),
            Cell(_p(each.p_adjusted)),
            Cell("Yes" if each.beaten else "No", number=False),
        ]
        for each in people[:MOST_PAIRS]
    ]
    return Table(columns, rows, max(0, len(people) - MOST_PAIRS))


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def recall_table(figures: RecallFigures) -> Table:
    columns = ["Sources", "Summaries", "Found", "By more than one", "All, estimated", "Nobody found", "Found, %"]
    rows = [
        [
            Cell(row.name[:1].upper() + row.name[1:], note=row.method, number=False),
            Cell(f"{row.summaries:,}"),
            Cell(f"{row.found:,}"),
            Cell(f"{row.again:,}"),
            _whole(row.total.figure, row.total.interval, row.as_independent),
            Cell("–" if row.missed.value is None else f"{row.missed.value:,.0f}"),
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
    return Cell(f"{figure.value:,.0f}", note=note.strip())


def recall_shares(figures: RecallFigures) -> Table:
    """What each source finds of all confusing sentences, where there is an estimate of them."""
    rows = [
        [Cell(row.name[:1].upper() + row.name[1:], number=False), Cell(label, number=False), share_cell(share)]
        for row in figures.rows
        for label, share in row.shares.items()
        if share.figure.value is not None
    ]
    return Table(["Estimated from", "Source", "Finds, %"], rows)


def orders_table(orders: Sequence[RankAgreement]) -> Table:
    rows = [
        [
            Cell(each.judge, number=False),
            Cell(f"{len(each.systems):,}"),
            Cell(f"{each.books:,}"),
            decimal_cell(each.tau),
            Cell(", ".join(name for name, _, _ in each.systems) or "–", number=False),
            Cell(", ".join(name for name, _, _ in sorted(each.systems, key=lambda row: -row[2])) or "–", number=False),
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
        [*_pair_cells(pair), *([] if difference is None else [_books(pair.books_needed)])]
        for pair in pairs[:MOST_PAIRS]
    ]
    return Table([*columns, *stated], rows, max(0, len(pairs) - MOST_PAIRS))


def _pair_cells(pair: SystemPair) -> list[Cell]:
    words = {None: "–", True: "Yes", False: "Not shown"}
    return [
        Cell(f"{pair.first}, {pair.second}", number=False),
        Cell(f"{pair.books:,}"),
        share_cell(pair.difference, signed=True),
        Cell("–", note=pair.p.reason if pair.difference.figure.value is not None else "")
        if pair.p.value is None
        else Cell(_p(pair.p.value)),
        Cell("–" if pair.p_adjusted.value is None else _p(pair.p_adjusted.value)),
        Cell(words[pair.differs], number=False),
        Cell("–" if pair.detectable.value is None else f"{100 * pair.detectable.value:.1f}"),
    ]


def _books(figure: Statistic) -> Cell:
    return Cell("–", note=figure.reason) if figure.value is None else Cell(f"{figure.value:,.0f}")


def source_name(source: str) -> str:
    return "people" if source == PEOPLE else source
