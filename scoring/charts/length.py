"""Score against the length of a summary."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, sources_of
from scoring.charts.encoding import as_specification, percent_axis, rows_data, source_colour, source_shape
from scoring.report.structure import PEOPLE, Report, SummaryFigures
from scoring.statistics.correlation import pearson


def rows(report: Report) -> list[Row]:
    found = [row for summary in report.summaries for row in _of_summary(summary)]
    for source in sources_of(found):
        own = [row for row in found if row["source"] == source]
        r = pearson([float(row["tokens"]) for row in own], [row["score"] for row in own])
        panel = f"{source}: r = {r.value:.2f}, n = {len(own)}" if r.value is not None else f"{source}: n = {len(own)}"
        for row in own:
            row["panel"] = panel
    return found


def _of_summary(summary: SummaryFigures) -> list[Row]:
    scores: list[tuple[str, float | None]] = [
        *([(PEOPLE, summary.human.sentence)] if summary.human else []),
        *((label, judged.score) for label, judged in summary.judges.items()),
    ]
    return [
        {
            "summary": summary.id,
            "book": summary.book,
            "system": summary.system,
            "source": source,
            "tokens": summary.tokens,
            "score": score,
        }
        for source, score in scores
        if score is not None
    ]


def specification(found: list[Row]) -> Specification:
    sources = sources_of(found)
    panels = dict.fromkeys(row["panel"] for source in sources for row in found if row["source"] == source)
    return _specification(tuple(sources), tuple(panels))


@lru_cache
def _specification(sources: tuple[str, ...], panels: tuple[str, ...]) -> Specification:
    colour, shape = source_colour(sources, legend=False), source_shape(sources, legend=False)
    panel = (
        altair.Chart(rows_data())
        .mark_point(filled=True, size=30, opacity=0.5)
        .encode(
            x=altair.X("tokens:Q", title="Tokens of the summary", scale=altair.Scale(zero=False, nice=True)),
            y=altair.Y(
                "score:Q", axis=percent_axis("BooookScore", tickMinStep=0.01), scale=altair.Scale(zero=False, nice=True)
            ),
            color=colour,
            shape=shape,
            tooltip=[
                altair.Tooltip("book:N", title="Book"),
                altair.Tooltip("system:N", title="System"),
                altair.Tooltip("source:N", title="By"),
                altair.Tooltip("tokens:Q", title="Tokens", format=","),
                altair.Tooltip("score:Q", title="Score", format=".1%"),
            ],
        )
        .properties(width=270, height=220)
    )
    return as_specification(panel.facet(altair.Facet("panel:N", title=None, sort=list(panels)), columns=3))


CHART = Chart(
    key="length",
    title="Score against length",
    lede="One point a summary and source, with Pearson's r over all summaries of the source. What a judge has "
    "not judged completely has no point.",
    missing="No summary has a score yet.",
    columns={"book": "Book", "system": "System", "source": "By", "tokens": "Tokens", "score": "Score"},
    rows=rows,
    specification=specification,
)
