"""How far the people of a summary lie apart, asked unit by unit and asked for one rating."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.faithfulness.estimates import dots, estimate_row, ways_of
from scoring.report.faithfulness.structure import COARSE, FINE, FaithfulnessReport

MEASURES = ["Standard deviation", "Highest minus lowest"]


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        row
        for way, spread in ((FINE, report.spread.fine), (COARSE, report.spread.coarse))
        for name, estimate in zip(MEASURES, (spread.deviation, spread.extent), strict=True)
        for row in estimate_row(estimate, decimals=1, name=name, source=way, n=spread.summaries)
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(ways_of(found))


@lru_cache
def _specification(ways: tuple[str, ...]) -> Specification:
    return dots(
        ways,
        altair.Axis(title="Points of 100", tickCount=5, tickMinStep=1),
        scale=altair.Scale(zero=True, nice=True),
        sort=MEASURES,
        tooltips=[
            altair.Tooltip("name:N", title="Spread"),
            altair.Tooltip("source:N", title="Asked"),
            altair.Tooltip("words:N", title="Points of 100"),
            altair.Tooltip("n:Q", title="Summaries"),
        ],
    )


CHART = Chart(
    key="faithfulness-spread",
    title="Spread between people",
    lede="How far the scores of the people of one summary lie apart, averaged over summaries that two people scored. "
    "Intervals are over books.",
    missing="No summary was scored by two people yet.",
    columns={
        "name": "Spread",
        "source": "Asked",
        "n": "Summaries",
        "value": "Points of 100",
        "low": "Low",
        "high": "High",
    },
    rows=rows,
    forms=dict.fromkeys(("value", "low", "high"), ".1f"),
    specification=specification,
)
