"""Every summary on the line of its system."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data, source_colour, source_offset, source_shape, steps
from scoring.charts.faithfulness.estimates import ways_of
from scoring.report.faithfulness.structure import COARSE, FINE, FaithfulnessReport


def rows(report: FaithfulnessReport) -> list[Row]:
    return [
        {
            "summary": each.id,
            "book": each.book,
            "name": each.system,
            "source": way,
            "units": each.units,
            "people": scored.people,
            "value": scored.score,
            "deviation": scored.spread.deviation if scored.spread else None,
            "range": scored.spread.extent if scored.spread else None,
        }
        for each in report.summaries
        for way, scored in ((FINE, each.fine), (COARSE, each.coarse))
        if scored is not None
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(ways_of(found))


@lru_cache
def _specification(ways: tuple[str, ...]) -> Specification:
    legend = len(ways) > 1
    points = (
        altair.Chart(rows_data())
        .mark_point(filled=True, size=60, opacity=0.6)
        .encode(
            x=altair.X(
                "value:Q",
                title="Faithfulness, 0 to 100",
                scale=altair.Scale(zero=False, nice=True, domainMax=100),
                axis=altair.Axis(tickCount=8),
            ),
            y=altair.Y(
                "name:N", title=None, axis=altair.Axis(ticks=False, domain=False, labelPadding=10, labelLimit=220)
            ),
            yOffset=source_offset(ways),
            color=source_colour(ways, legend=legend),
            shape=source_shape(ways, legend=legend),
            tooltip=[
                altair.Tooltip("book:N", title="Book"),
                altair.Tooltip("name:N", title="System"),
                altair.Tooltip("source:N", title="Asked"),
                altair.Tooltip("value:Q", title="Faithfulness", format=".1f"),
                altair.Tooltip("people:Q", title="People"),
                altair.Tooltip("deviation:Q", title="Standard deviation", format=".1f"),
            ],
        )
    )
    return as_specification(altair.layer(points).properties(width="container", height=steps(36)))


CHART = Chart(
    key="faithfulness-summaries",
    title="Summary by summary",
    lede="One point a summary: the mean of its people. A point leads to what each of them answered.",
    missing="Nobody has submitted a task yet.",
    columns={
        "book": "Book",
        "name": "System",
        "source": "Asked",
        "units": "Units",
        "people": "People",
        "value": "Faithfulness",
        "deviation": "Standard deviation",
        "range": "Highest minus lowest",
    },
    rows=rows,
    forms=dict.fromkeys(("value", "deviation", "range"), ".1f"),
    specification=specification,
)
