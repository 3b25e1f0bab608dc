"""How close a share of the units comes to all of them."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data, source_colour
from scoring.report.faithfulness.structure import FINE, FaithfulnessReport


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        {
            "source": FINE,
            "percent": row.percent,
            "units": row.units,
            "value": row.tau.value,
            "low": row.low,
            "high": row.high,
            "deviation": row.deviation.value,
            "n": report.partial.summaries,
        }
        for row in report.partial.rows
        if row.tau.value is not None
    ]


def specification(found: list[Row]) -> Specification:
    return _specification()


@lru_cache
def _specification() -> Specification:
    base = altair.Chart(rows_data()).encode(
        x=altair.X(
            "percent:Q",
            title="Units that each person judges, %",
            scale=altair.Scale(domain=[0, 100]),
            axis=altair.Axis(values=list(range(0, 101, 20))),
        ),
        tooltip=[
            altair.Tooltip("percent:Q", title="Units judged, %"),
            altair.Tooltip("units:Q", title="Units a person and summary", format=".1f"),
            altair.Tooltip("value:Q", title="Mean tau-b", format=".3f"),
            altair.Tooltip("low:Q", title="5 % of simulations below", format=".3f"),
            altair.Tooltip("high:Q", title="5 % above", format=".3f"),
            altair.Tooltip("deviation:Q", title="Standard deviation between people", format=".1f"),
        ],
    )
    y = altair.Y("value:Q", title="Kendall's tau-b with all units", scale=altair.Scale(zero=False, nice=True))
    colour = source_colour((FINE,), legend=False)
    band = base.mark_area(opacity=0.2).encode(
        y=altair.Y("low:Q", title="Kendall's tau-b with all units", scale=altair.Scale(zero=False, nice=True)),
        y2="high:Q",
        color=colour,
    )
    line = base.mark_line(strokeWidth=2).encode(y=y, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(y=y, color=colour)
    return as_specification(altair.layer(band, line, points).properties(width="container", height=260))


CHART = Chart(
    key="faithfulness-partial",
    title="A share of the units in place of all",
    lede="Partial annotation, simulated from tasks in which every unit was judged: mean Kendall's tau-b with the "
    "scores from all units, and the band of nine in ten simulations.",
    missing="It needs three summaries of which somebody judged every unit, with scores that differ.",
    columns={
        "percent": "Units judged, %",
        "units": "Units a person and summary",
        "value": "Mean tau-b",
        "low": "5th percentile",
        "high": "95th percentile",
        "deviation": "Standard deviation between people",
        "n": "Summaries",
    },
    rows=rows,
    forms={"units": ".1f", "value": ".3f", "low": ".3f", "high": ".3f", "deviation": ".1f"},
    specification=specification,
)
