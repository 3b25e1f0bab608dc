"""Rows and layers for estimates: a dot with its interval as whiskers."""

from collections.abc import Sequence
from typing import Any

import altair

from scoring.charts.chart import Row, Specification
from scoring.charts.encoding import as_specification, rows_data, source_colour, source_offset, source_shape, steps
from scoring.report.faithfulness.structure import COARSE, FINE
from scoring.statistics.estimate import Estimate


def ways_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """The ways of asking that have rows, in the same order everywhere."""
    return tuple(way for way in (FINE, COARSE) if any(row["source"] == way for row in rows))


def estimate_row(estimate: Estimate, *, decimals: int, **columns: Any) -> list[Row]:
    """One row with the figure, its interval and both in words; none where the figure is not defined."""
    value, low, high = estimate.figure.value, estimate.interval.low, estimate.interval.high
    if value is None:
        return []
    between = estimate.interval.reason if low is None else f"95 % interval {low:.{decimals}f} to {high:.{decimals}f}"
    words = f"{value:.{decimals}f} ({between})" if between else f"{value:.{decimals}f}"
    label = f"{value:.{decimals}f}"
    end = value if high is None else high
    return [{**columns, "value": value, "low": low, "high": high, "end": end, "label": label, "words": words}]


def dots(
    ways: Sequence[str],
    axis: altair.Axis,
    *,
    step: int = 15,
    tooltips: Sequence[altair.Tooltip] = (),
    scale: altair.Scale,
    sort: Sequence[str] | None = None,
    stacked: bool = False,
) -> Specification:
    """One line a name, on it a dot for each way of asking. `stacked`: the legend has one a line."""
    base = altair.Chart(rows_data()).encode(
        y=altair.Y(
            "name:N",
            title=None,
            sort=list(sort) if sort else "ascending",
            axis=altair.Axis(ticks=False, domain=False, labelPadding=10, labelLimit=220),
        ),
        yOffset=source_offset(ways),
        tooltip=list(tooltips),
    )
    legend = len(ways) > 1
    colour = source_colour(ways, legend=legend, stacked=stacked)
    shape = source_shape(ways, legend=legend, stacked=stacked)
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=colour)
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X("value:Q", axis=axis, scale=scale),
        color=colour,
        shape=shape,
    )
    labels = base.mark_text(align="left", dx=6, fontSize=11).encode(x="end:Q", text="label:N")
    drawn = altair.layer(whiskers, points, labels).properties(width="container", height=steps(step * max(2, len(ways))))
    return as_specification(drawn, right=48)
