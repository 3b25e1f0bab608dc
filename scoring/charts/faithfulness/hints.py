"""What hints change, where they were drawn by lot."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data, source_colour
from scoring.report.faithfulness.structure import FINE, FaithfulnessReport
from scoring.statistics.hints import Comparison


def rows(report: FaithfulnessReport) -> list[Row]:
    found = report.hints.comparison
    if found is None:
        return []
    return [
        *_row("Right, %", found.accuracy, 100),
        *_row("Agreeing pairs, %", found.agreement, 100),
        *_row("Seconds a unit", found.seconds, 1),
    ]


def _row(name: str, compared: Comparison, factor: int) -> list[Row]:
    """`factor`: 100 where shares are shown in percent."""
    difference, interval = compared.difference.figure.value, compared.difference.interval
    with_hints, without = compared.with_hints.value, compared.without.value
    if difference is None or with_hints is None or without is None:
        return []
    low, high = (None if end is None else factor * end for end in (interval.low, interval.high))
    return [
        {
            "name": name,
            "source": FINE,
            "with_hints": factor * with_hints,
            "without": factor * without,
            "n_with": compared.n_with,
            "n_without": compared.n_without,
            "value": factor * difference,
            "low": low,
            "high": high,
        }
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(tuple(row["name"] for row in found))


@lru_cache
def _specification(names: tuple[str, ...]) -> Specification:
    base = altair.Chart().encode(
        tooltip=[
            altair.Tooltip("name:N", title="Figure"),
            altair.Tooltip("with_hints:Q", title="With hints", format=".1f"),
            altair.Tooltip("without:Q", title="Without", format=".1f"),
            altair.Tooltip("value:Q", title="With minus without", format="+.1f"),
            altair.Tooltip("low:Q", title="95 % interval from", format="+.1f"),
            altair.Tooltip("high:Q", title="to", format="+.1f"),
        ],
    )
    colour = source_colour((FINE,), legend=False)
    zero = altair.Chart().mark_rule(strokeDash=[3, 3]).encode(x=altair.datum(0))
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=colour)
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X("value:Q", title="With hints minus without", axis=altair.Axis(format="+", tickCount=4)),
        color=colour,
    )
    drawn = altair.layer(zero, whiskers, points, data=rows_data()).properties(width=230, height=50)
    faceted = drawn.facet(altair.Facet("name:N", title=None, sort=list(names)), columns=3)
    return as_specification(faceted.resolve_scale(x="independent"))


CHART = Chart(
    key="faithfulness-hints",
    title="With and without hints",
    lede="Tasks that had hints by lot beside tasks that had none: with minus without. Intervals are over people.",
    missing="It needs hints that are drawn by lot, and submitted tasks with and without them.",
    columns={
        "name": "Figure",
        "with_hints": "With hints",
        "without": "Without",
        "n_with": "n with",
        "n_without": "n without",
        "value": "Difference",
        "low": "Low",
        "high": "High",
    },
    rows=rows,
    forms={"with_hints": ".1f", "without": ".1f"} | dict.fromkeys(("value", "low", "high"), "+.1f"),
    specification=specification,
)
