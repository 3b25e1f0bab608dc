"""Human minus judge score, paired over the summaries that both scored."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, sources_of
from scoring.charts.encoding import as_specification, rows_data, source_colour, source_offset, source_shape, steps
from scoring.report.structure import Report


def rows(report: Report) -> list[Row]:
    return [
        {
            "system": system.name,
            "source": judge.judge.label,
            "difference": judge.paired.difference.value,
            "low": judge.paired.difference_interval.low,
            "high": judge.paired.difference_interval.high,
            "n": judge.paired.n,
            "human_sentence": judge.paired.human_sentence.value,
            "judge": judge.paired.judge.value,
            "human_published": judge.paired.human_published.value,
            "pearson": judge.paired.pearson.value,
            "spearman": judge.paired.spearman.value,
            "kendall": judge.paired.kendall.value,
            "sentences": judge.paired.sentences,
            "kappa": judge.paired.kappa.value,
            "precision": judge.paired.precision.value,
            "recall": judge.paired.recall.value,
            "f1": judge.paired.f1.value,
            "prevalence_human": judge.paired.prevalence_human.value,
            "prevalence_judge": judge.paired.prevalence_judge.value,
        }
        for system in report.systems
        for judge in system.judges
        if judge.paired.difference.value is not None
    ]


def specification(found: list[Row]) -> Specification:
    return _specification(tuple(sources_of(found)))


@lru_cache
def _specification(sources: tuple[str, ...]) -> Specification:
    base = altair.Chart(rows_data()).encode(
        y=altair.Y(
            "system:N", title=None, axis=altair.Axis(ticks=False, domain=False, labelPadding=10, labelLimit=220)
        ),
        yOffset=source_offset(sources),
        tooltip=[
            altair.Tooltip("system:N", title="System"),
            altair.Tooltip("source:N", title="Judge"),
            altair.Tooltip("difference:Q", title="People minus judge", format="+.1%"),
            altair.Tooltip("low:Q", title="95 % interval from", format="+.1%"),
            altair.Tooltip("high:Q", title="to", format="+.1%"),
            altair.Tooltip("n:Q", title="Summaries"),
        ],
    )
    # People are in the domain only to leave the first colour and shape to them, as in the other charts.
    known = ("human", *sources)
    colour, shape = source_colour(known, legend=False), source_shape(known, legend=False)
    zero = altair.Chart(rows_data()).mark_rule(strokeDash=[3, 3]).encode(x=altair.datum(0))
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=colour)
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X(
            "difference:Q",
            axis=altair.Axis(format="+.0%", title="People minus judge", tickMinStep=0.01),
            scale=altair.Scale(padding=12),
        ),
        color=colour,
        shape=shape,
    )
    return as_specification(
        altair.layer(zero, whiskers, dots).properties(width="container", height=steps(22 * max(2, len(sources))))
    )


CHART = Chart(
    key="differences",
    title="Difference of the means",
    lede="People by sentence minus judge, over the summaries that both scored.",
    missing="No summary was scored by both people and a judge.",
    columns={
        "system": "System",
        "source": "Judge",
        "n": "Summaries",
        "human_published": "People, published rule",
        "human_sentence": "People, by sentence",
        "judge": "Judge's score",
        "difference": "Difference",
        "low": "Low",
        "high": "High",
        "pearson": "Pearson",
        "spearman": "Spearman",
        "kendall": "Kendall",
        "sentences": "Sentences",
        "kappa": "Kappa",
        "precision": "Precision",
        "recall": "Recall",
        "f1": "F1",
        "prevalence_human": "Marked by people",
        "prevalence_judge": "Marked by judge",
    },
    rows=rows,
    specification=specification,
)
