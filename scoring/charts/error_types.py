"""How often people and judges mark each type of error, system by system."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, sources_of
from scoring.charts.encoding import (
    as_specification,
    percent_axis,
    rows_data,
    source_colour,
    source_offset,
    source_shape,
    steps,
)
from scoring.report.structure import Report


def rows(report: Report) -> list[Row]:
    return [
        {"system": system.name, "type": key, "source": source, "share": shares.get(key, 0.0)}
        for system in report.systems
        for source, shares in system.error_types.items()
        for key in report.error_types
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(tuple(sources_of(found)), tuple(dict.fromkeys(row["type"] for row in found)))


@lru_cache
def _specification(sources: tuple[str, ...], types: tuple[str, ...]) -> Specification:
    base = altair.Chart().encode(
        y=altair.Y("type:N", title=None, sort=list(types), axis=altair.Axis(ticks=False, domain=False, labelPadding=6)),
        yOffset=source_offset(sources),
        x=altair.X("share:Q", axis=percent_axis("Marks per sentence", tickCount=4)),
        tooltip=[
            altair.Tooltip("system:N", title="System"),
            altair.Tooltip("source:N", title="Marked by"),
            altair.Tooltip("type:N", title="Type"),
            altair.Tooltip("share:Q", title="Marks per sentence", format=".1%"),
        ],
    )
    stems = base.mark_rule(strokeWidth=3).encode(x2=altair.datum(0), color=source_colour(sources))
    heads = base.mark_point(filled=True, size=45, opacity=1).encode(
        color=source_colour(sources), shape=source_shape(sources)
    )
    panel = altair.layer(stems, heads, data=rows_data()).properties(width=210, height=steps(9 * max(2, len(sources))))
    return as_specification(panel.facet(altair.Facet("system:N", title=None), columns=3))


CHART = Chart(
    key="error-types",
    title="Error types",
    lede="Marks with each type, per sentence that the source looked at.",
    missing="No mark has an error type yet.",
    columns={"system": "System", "type": "Type", "source": "Marked by", "share": "Marks per sentence"},
    rows=rows,
    specification=specification,
)
