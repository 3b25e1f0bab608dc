"""How many marks of each source reviewers uphold."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, share_words, sources_of
from scoring.charts.encoding import as_specification, percent_axis, rows_data, source_colour, source_shape, steps
from scoring.report.structure import Report


def rows(report: Report) -> list[Row]:
    return [
        {
            "source": source.source,
            "precision": source.precision.value,
            "low": source.interval.low,
            "high": source.interval.high,
            "strict": source.strict.value,
            "agree": source.decisions.agree,
            "partial": source.decisions.partial,
            "disagree": source.decisions.disagree,
            "n": source.decisions.total,
            "undecided": source.undecided,
            "label": f"{100 * source.precision.value:.1f} (n {source.decisions.total})",
            "words": share_words(source.precision, source.interval, source.decisions.total),
        }
        for source in report.precision
        if source.precision.value is not None
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(tuple(sources_of(found)))


@lru_cache
def _specification(sources: tuple[str, ...]) -> Specification:
    base = altair.Chart(rows_data()).encode(
        y=altair.Y(
            "source:N", title=None, sort=list(sources), axis=altair.Axis(ticks=False, domain=False, labelPadding=8)
        ),
        tooltip=[
            altair.Tooltip("source:N", title="Marks by"),
            altair.Tooltip("words:N", title="Upheld"),
            altair.Tooltip("strict:Q", title="Agreed in full", format=".1%"),
        ],
    )
    colour, shape = source_colour(sources, legend=False), source_shape(sources, legend=False)
    scale = altair.Scale(domain=[0, 1])
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=colour)
    upheld = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X("precision:Q", scale=scale, axis=percent_axis("Upheld by reviewers", tickCount=5)),
        color=colour,
        shape=shape,
    )
    strict = base.mark_tick(thickness=2, size=12).encode(x="strict:Q", color=colour)
    labels = base.mark_text(dy=-13, fontSize=11).encode(x="precision:Q", text="label:N")
    return as_specification(
        altair.layer(whiskers, strict, upheld, labels).properties(width="container", height=steps(38))
    )


CHART = Chart(
    key="precision",
    title="Precision",
    lede="Share of marks that reviewers agree with, in full or in part; the tick stands for full agreement alone.",
    missing="No review is submitted yet.",
    columns={
        "source": "Marks by",
        "precision": "Upheld",
        "low": "Low",
        "high": "High",
        "strict": "Agreed in full",
        "agree": "Agree",
        "partial": "Partially",
        "disagree": "Disagree",
        "n": "Decided",
        "undecided": "Undecided",
    },
    rows=rows,
    specification=specification,
)
