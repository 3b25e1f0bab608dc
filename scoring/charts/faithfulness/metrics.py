"""People's scores of summaries beside automatic metrics."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data, source_colour, source_offset, source_shape, steps
from scoring.charts.faithfulness.estimates import estimate_row, ways_of
from scoring.report.faithfulness.structure import COARSE, FINE, FaithfulnessReport

MEASURES = ["Pearson's r", "Kendall's tau-b"]


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        row
        for metric in report.metrics
        for way, found in ((FINE, metric.fine), (COARSE, metric.coarse))
        if found is not None
        for measure, estimate in zip(MEASURES, (found.pearson, found.kendall), strict=True)
        for row in estimate_row(estimate, decimals=2, name=metric.metric, source=way, measure=measure, n=found.n)
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(ways_of(found), tuple(dict.fromkeys(row["name"] for row in found)))


@lru_cache
def _specification(ways: tuple[str, ...], metrics: tuple[str, ...]) -> Specification:
    base = altair.Chart().encode(
        y=altair.Y(
            "name:N",
            title=None,
            sort=list(metrics),
            axis=altair.Axis(ticks=False, domain=False, labelPadding=8, labelLimit=180),
        ),
        yOffset=source_offset(ways),
        tooltip=[
            altair.Tooltip("name:N", title="Metric"),
            altair.Tooltip("source:N", title="People asked"),
            altair.Tooltip("measure:N", title="Correlation"),
            altair.Tooltip("words:N", title="Value"),
            altair.Tooltip("n:Q", title="Summaries"),
        ],
    )
    legend = len(ways) > 1
    colour, shape = source_colour(ways, legend=legend), source_shape(ways, legend=legend)
    zero = altair.Chart().mark_rule(strokeDash=[3, 3]).encode(x=altair.datum(0))
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=colour)
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=altair.X("value:Q", title="Correlation", scale=altair.Scale(domain=[-1, 1]), axis=altair.Axis(tickCount=5)),
        color=colour,
        shape=shape,
    )
    drawn = altair.layer(zero, whiskers, points, data=rows_data()).properties(width=270, height=steps(30))
    return as_specification(drawn.facet(altair.Facet("measure:N", title=None, sort=MEASURES), columns=2))


CHART = Chart(
    key="faithfulness-metrics",
    title="Automatic metrics beside people",
    lede="Correlation over summaries between people's score and a metric. Intervals are over the people of each "
    "summary: a narrow one says that other people would have given the same answer.",
    missing="It needs three summaries that people scored and that have a metric, with scores that differ.",
    columns={
        "name": "Metric",
        "source": "People asked",
        "measure": "Correlation",
        "n": "Summaries",
        "value": "Coefficient",
        "low": "Low",
        "high": "High",
    },
    rows=rows,
    forms=dict.fromkeys(("value", "low", "high"), ".3f"),
    specification=specification,
)
