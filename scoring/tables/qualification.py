"""The table of the page "Accuracy and agreement" of a qualification test."""

from collections.abc import Sequence

from scoring.selectors.qualification import PeopleGroup
from scoring.statistics.estimate import Estimate
from scoring.tables import Cell, Described, Table
from scoring.tables.cells import count_cell, text_cell

RULE = (
    "First attempts. Right: the mean over people of the share of statements answered as expected; 95 % intervals "
    "resample people. Fleiss' kappa, and Randolph's with chance one half, on statements that two people of the group "
    "judged; 95 % intervals resample statements."
)


def qualification_tables(groups: Sequence[PeopleGroup]) -> dict[str, Described]:
    """By key; none where nobody submitted the test."""
    if not groups:
        return {}
    people = groups[0].figures.people
    n = "1 person" if people == 1 else f"{people} people"
    title = "Groups of people in the qualification test"
    found = Described("groups", title, RULE, n, "qualification", _table(groups))
    return {found.key: found}


def _table(groups: Sequence[PeopleGroup]) -> Table:
    columns = ["Group", "People", "Passed", "Answers", "Right, %", "Statements of two", "Fleiss’ kappa"]
    return Table([*columns, "Randolph’s kappa"], [_row(each) for each in groups])


def _row(group: PeopleGroup) -> list[Cell]:
    figures, agreement = group.figures, group.figures.agreement
    return [
        text_cell(group.name),
        count_cell(figures.people),
        count_cell(figures.passed),
        count_cell(figures.answers),
        _with_reason(figures.accuracy, 100, ".1f"),
        count_cell(agreement.units),
        _with_reason(agreement.figures["fleiss"], 1, ".3f"),
        _with_reason(agreement.figures["randolph"], 1, ".3f"),
    ]


def _with_reason(estimate: Estimate, scale: int, form: str) -> Cell:
    """A figure with its interval below, or why there is none; or a dash with the reason."""
    value, interval = estimate.figure.value, estimate.interval
    if value is None:
        return Cell("–", note=estimate.figure.reason)
    note = (
        interval.reason
        if interval.low is None or interval.high is None
        else f"{scale * interval.low:{form}} to {scale * interval.high:{form}}"
    )
    return Cell(f"{scale * value:{form}}", note=note, value=value, beside={"low": interval.low, "high": interval.high})
