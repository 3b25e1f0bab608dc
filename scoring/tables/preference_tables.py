"""Tables of what people prefer."""

from collections.abc import Sequence

from scoring.report.preferences import PreferenceFigures
from scoring.statistics.statistic import Statistic
from scoring.tables import Cell, Table
from scoring.tables.cells import count_cell, text_cell


def preference_tests_table(found: Sequence[PreferenceFigures]) -> Table:
    """A row for each question and two systems, and for each round where there are several."""
    columns = ["Question", "Round", "First", "Second", "First chosen", "Second chosen", "Draws"]
    columns += ["Share of the first, %", "p", "People differ, p"]
    rows = [
        [
            text_cell(each.question.capitalize()),
            text_cell(each.round or "All"),
            text_cell(each.first),
            text_cell(each.second),
            count_cell(each.test.first),
            count_cell(each.test.second),
            count_cell(each.test.draws),
            _share(each),
            _p(each.test.p),
            _p(each.test.people_differ),
        ]
        for each in found
    ]
    return Table(columns, rows)


def preference_people_table(found: Sequence[PreferenceFigures]) -> Table:
    """What each person chose, over all rounds."""
    columns = ["Question", "Person", "First", "Second", "First chosen", "Second chosen", "Draws"]
    rows = [
        [
            text_cell(each.question.capitalize()),
            text_cell(person.person),
            text_cell(each.first),
            text_cell(each.second),
            count_cell(person.first),
            count_cell(person.second),
            count_cell(person.draws),
        ]
        for each in found
        if not each.round
        for person in each.people
    ]
    return Table(columns, rows)


def _share(figures: PreferenceFigures) -> Cell:
    share, interval = figures.test.share, figures.test.interval
    if share.value is None or interval.low is None or interval.high is None:
        return Cell("–", note=share.reason)
    note = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
    beside = {"low": interval.low, "high": interval.high}
    return Cell(f"{100 * share.value:.1f}", note=note, value=share.value, beside=beside)


def _p(figure: Statistic) -> Cell:
    if figure.value is None:
        return Cell("–", note=figure.reason)
    return Cell("< 0.001" if figure.value < 0.001 else f"{figure.value:.3f}", value=figure.value)
