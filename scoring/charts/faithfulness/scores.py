"""Faithfulness of each system, unit by unit (FINE) and as a whole (COARSE)."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.faithfulness.estimates import dots, estimate_row, ways_of
from scoring.report.faithfulness.structure import COARSE, FINE, FaithfulnessReport


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        {
            **row,
            "low_over_books": scored.over_books.interval.low,
            "high_over_books": scored.over_books.interval.high,
        }
        for system in report.systems
        for way, scored in ((FINE, system.fine), (COARSE, system.coarse))
        for row in estimate_row(
            scored.score, decimals=1, name=system.system, source=way, n=scored.n, tasks=scored.tasks
        )
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(ways_of(found))


@lru_cache
def _specification(ways: tuple[str, ...]) -> Specification:
    return dots(
        ways,
        altair.Axis(title="Faithfulness, 0 to 100", tickCount=8, tickMinStep=1),
        scale=altair.Scale(zero=False, nice=True, domainMax=100),
        tooltips=[
            altair.Tooltip("name:N", title="System"),
            altair.Tooltip("source:N", title="Asked"),
            altair.Tooltip("words:N", title="Faithfulness"),
            altair.Tooltip("n:Q", title="Summaries"),
            altair.Tooltip("tasks:Q", title="Tasks"),
        ],
    )


CHART = Chart(
    key="faithfulness-scores",
    title="Faithfulness by system",
    lede="Mean over summaries, 0 to 100: share of supported units (FINE), and ratings of whole summaries (COARSE). "
    "Intervals are over the people of each summary.",
    missing="Nobody has submitted a task yet.",
    columns={
        "name": "System",
        "source": "Asked",
        "n": "Summaries",
        "tasks": "Tasks",
        "value": "Faithfulness",
        "low": "Low",
        "high": "High",
        "low_over_books": "Low over books",
        "high_over_books": "High over books",
    },
    rows=rows,
    forms=dict.fromkeys(("value", "low", "high", "low_over_books", "high_over_books"), ".1f"),
    specification=specification,
)
