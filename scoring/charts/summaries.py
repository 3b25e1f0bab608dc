"""Every summary that people and a judge scored: one score against the other."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, sources_of
from scoring.charts.encoding import as_specification, percent_axis, rows_data, source_colour, source_shape
from scoring.report.structure import Report

#: Pixels of a panel, by the number of panels.
PANEL_SIDES = {1: 420, 2: 340}


def rows(report: Report) -> list[Row]:
    return [
        {
            "summary": summary.id,
            "book": summary.book,
            "system": summary.system,
            "source": label,
            "human": summary.human.sentence,
            "published": summary.human.published,
            "judge": judged.score,
            "sentences": summary.sentences,
        }
        for summary in report.summaries
        if summary.human
        for label, judged in summary.judges.items()
        if judged.score is not None
    ]


def specification(found: list[Row]) -> Specification:
    lowest = min((min(row["human"], row["judge"]) for row in found), default=0)
    return _specification(("human", *sources_of(found)), min(lowest, 0.95), len({row["system"] for row in found}))


@lru_cache
def _specification(sources: tuple[str, ...], lowest: float, panels: int) -> Specification:
    scale = altair.Scale(domain=[lowest, 1], nice=True)
    colour, shape = source_colour(sources, legend=False), source_shape(sources, legend=False)
    points = (
        altair.Chart()
        .mark_point(filled=True, size=50, opacity=0.65)
        .encode(
            x=altair.X("human:Q", scale=scale, axis=percent_axis("People, by sentence", tickCount=5)),
            y=altair.Y("judge:Q", scale=scale, axis=percent_axis("Judge", tickCount=5)),
            color=colour,
            shape=shape,
            tooltip=[
                altair.Tooltip("book:N", title="Book"),
                altair.Tooltip("system:N", title="System"),
                altair.Tooltip("source:N", title="Judge"),
                altair.Tooltip("human:Q", title="People", format=".1%"),
                altair.Tooltip("judge:Q", title="Judge's score", format=".1%"),
                altair.Tooltip("sentences:Q", title="Sentences"),
            ],
        )
    )
    ends: list[Row] = [{"x": lowest}, {"x": 1}]
    diagonal = (
        altair.Chart(altair.InlineData(values=ends))
        .mark_line(strokeDash=[3, 3], strokeWidth=1, color="#888")
        .encode(x=altair.X("x:Q", scale=scale), y=altair.Y("x:Q", scale=scale))
    )
    side = PANEL_SIDES.get(panels, 240)
    drawn = altair.layer(diagonal, points, data=rows_data()).properties(width=side, height=side)
    return as_specification(drawn.facet(altair.Facet("system:N", title=None), columns=3))


CHART = Chart(
    key="summaries",
    title="Summary by summary",
    lede="One point a summary; on the dashed line people and judge agree. A point leads to the sentences behind it. "
    "What a judge has not judged completely has no point.",
    missing="No summary was scored by both people and a judge.",
    columns={
        "book": "Book",
        "system": "System",
        "source": "Judge",
        "published": "People, published rule",
        "human": "People, by sentence",
        "judge": "Judge's score",
        "sentences": "Sentences",
    },
    rows=rows,
    specification=specification,
)
