"""Faithfulness of each system by judges of units, and by people."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.faithfulness.estimates import dots, estimate_row
from scoring.report.faithfulness.structure import FaithfulnessReport
from scoring.report.faithfulness.unit_judge_writing import incomplete_words

PEOPLE = "People (FINE)"


def rows(report: FaithfulnessReport) -> list[Row]:
    """Without judges there are none. People's intervals are over books here, as judges' are."""
    judges = report.unit_judges.judges
    unknown = {"incomplete": "", "coverage": None, "lowest": None, "highest": None}
    found = [
        row
        for each in report.systems
        if judges
        for row in estimate_row(
            each.fine.over_books, decimals=1, name=each.system, source=PEOPLE, n=each.fine.n, **unknown
        )
    ]
    for judge in judges:
        for system in judge.systems:
            own = {"name": system.system, "source": judge.name, "n": system.n, "incomplete": incomplete_words(system)}
            bounds = {"coverage": system.coverage, "lowest": system.low.value, "highest": system.high.value}
            found += estimate_row(system.score, decimals=1, **own, **bounds)
    return found


def specification(found: list[Row]) -> Specification:
    return _specification(tuple(dict.fromkeys(row["source"] for row in found)))


@lru_cache
def _specification(sources: tuple[str, ...]) -> Specification:
    return dots(
        sources,
        altair.Axis(title="Faithfulness, 0 to 100", tickCount=8, tickMinStep=1),
        scale=altair.Scale(zero=False, nice=True, domainMax=100),
        stacked=True,
        tooltips=[
            altair.Tooltip("name:N", title="System"),
            altair.Tooltip("source:N", title="By"),
            altair.Tooltip("words:N", title="Faithfulness"),
            altair.Tooltip("n:Q", title="Summaries"),
            altair.Tooltip("incomplete:N", title="Left out"),
        ],
    )


CHART = Chart(
    key="faithfulness-judges",
    title="Judges of units and people, by system",
    lede="Mean over summaries, 0 to 100, of the share of supported units, with intervals over books. A judge’s dot "
    "takes in the summaries of which it judged every unit; the table below has people on just those.",
    missing="No judge has judged every unit of a summary yet.",
    columns={
        "name": "System",
        "source": "By",
        "n": "Summaries",
        "value": "Faithfulness",
        "low": "Low",
        "high": "High",
        "coverage": "Coverage",
        "lowest": "Lowest",
        "highest": "Highest",
    },
    rows=rows,
    forms=dict.fromkeys(("value", "low", "high", "lowest", "highest"), ".1f"),
    specification=specification,
)
