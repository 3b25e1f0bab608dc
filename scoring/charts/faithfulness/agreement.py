"""How far people agree on single units."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.faithfulness.estimates import dots, estimate_row, ways_of
from scoring.report.faithfulness.structure import FINE, FaithfulnessReport

NAMES = {
    "unanimous": "Unanimous units",
    "percent": "Agreeing pairs",
    "randolph": "Randolph's kappa",
    "fleiss": "Fleiss' kappa",
}


def rows(report: FaithfulnessReport) -> list[Row]:
    agreement = report.agreement
    return [
        row
        for key, name in NAMES.items()
        for row in estimate_row(agreement.figures[key], decimals=2, name=name, source=FINE, n=agreement.units)
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(ways_of(found))


@lru_cache
def _specification(ways: tuple[str, ...]) -> Specification:
    return dots(
        ways,
        altair.Axis(title="Share, or kappa", tickCount=5),
        scale=altair.Scale(zero=True, nice=True),
        step=13,
        sort=list(NAMES.values()),
        tooltips=[
            altair.Tooltip("name:N", title="Figure"),
            altair.Tooltip("words:N", title="Agreement"),
            altair.Tooltip("n:Q", title="Units"),
        ],
    )


CHART = Chart(
    key="faithfulness-agreement",
    title="Agreement on units",
    lede="Over the units that two people judged. Where nearly all units are supported, Fleiss' kappa falls though "
    "people agree, and Randolph's stays high. Intervals are over books.",
    missing="No unit was judged by two people yet.",
    columns={"name": "Figure", "n": "Units", "value": "Agreement", "low": "Low", "high": "High"},
    rows=rows,
    forms=dict.fromkeys(("value", "low", "high"), ".3f"),
    specification=specification,
)
