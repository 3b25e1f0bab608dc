"""Time a unit by position in the task."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data
from scoring.report.faithfulness.structure import FaithfulnessReport

PARTS = ["First fifth", "Second", "Third", "Fourth", "Last fifth"]
MEASURES = ["Mean", "Median"]


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        {
            "part": PARTS[fifth.number - 1],
            "source": measure,
            "value": figure.value,
            "n": fifth.judgements,
        }
        for fifth in report.learning.fifths
        for measure, figure in zip(MEASURES, (fifth.mean, fifth.median), strict=True)
        if figure.value is not None
    ]


def specification(found: list[Row]) -> Specification:
    return _specification()


@lru_cache
def _specification() -> Specification:
    legend = altair.Legend(title=None, orient="top", direction="horizontal")
    base = altair.Chart(rows_data()).encode(
        x=altair.X("part:O", title="Part of the task", sort=PARTS, axis=altair.Axis(labelAngle=0)),
        y=altair.Y("value:Q", title="Active seconds a unit", scale=altair.Scale(zero=True, nice=True)),
        color=altair.Color("source:N", scale=altair.Scale(domain=MEASURES), legend=legend),
        shape=altair.Shape("source:N", scale=altair.Scale(domain=MEASURES, range=["circle", "square"]), legend=legend),
        tooltip=[
            altair.Tooltip("part:N", title="Part"),
            altair.Tooltip("source:N", title="Figure"),
            altair.Tooltip("value:Q", title="Seconds", format=".1f"),
            altair.Tooltip("n:Q", title="Judgements"),
        ],
    )
    line = base.mark_line(strokeWidth=2)
    points = base.mark_point(filled=True, size=80, opacity=1)
    return as_specification(altair.layer(line, points).properties(width="container", height=240))


CHART = Chart(
    key="faithfulness-learning",
    title="Time along the task",
    lede="Active seconds a unit in each fifth of a summary's units, in the order in which they were asked.",
    missing="No time was recorded yet.",
    columns={"part": "Part", "source": "Figure", "value": "Seconds", "n": "Judgements"},
    rows=rows,
    forms={"value": ".1f"},
    specification=specification,
)
