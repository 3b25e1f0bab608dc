"""Human and judge score of each system: two dots joined by a line, intervals as whiskers."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification, share_words, sources_of
from scoring.charts.encoding import (
    as_specification,
    percent_axis,
    rows_data,
    source_colour,
    source_offset,
    source_shape,
    steps,
)
from scoring.report.incomplete import coverage_of, incomplete_words
from scoring.report.structure import PEOPLE, JudgeFigures, Report, SystemFigures
from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic

#: Pixels of a row for each source, in a chart that has room; and where many systems share the first screen.
STEP, LEAST_STEP = 15, 9
MOST_HEIGHT = 440


def rows(report: Report) -> list[Row]:
    found: list[Row] = []
    for system in report.systems:
        human = system.human
        own = _row(system, PEOPLE, human.sentence, human.sentence_interval, human.n)
        for judge in system.judges:
            row = _row(system, judge.judge.label, judge.score, judge.interval, judge.n)
            own += [{**each, **_incomplete(judge, each["words"])} for each in row]
        if len(own) > 1:  # the line to the others leaves the lowest dot on its right
            min(own, key=lambda row: float(row["score"]))["label_side"] = "left"
        found += own
    return found


def _row(system: SystemFigures, source: str, score: Statistic, interval: Interval, n: int) -> list[Row]:
    if score.value is None:
        return []
    return [
        {
            "system": system.name,
            "shown": f"{system.name} (no LLM)" if system.is_baseline else system.name,
            "source": source,
            "score": score.value,
            "low": interval.low,
            "high": interval.high,
            "n": n,
            "start": score.value if interval.low is None else interval.low,
            "end": score.value if interval.high is None else interval.high,
            "label_side": "right",
            "label": f"{100 * score.value:.1f} (n {n})",
            "words": share_words(score, interval, n),
        }
    ]


def _incomplete(judge: JudgeFigures, words: str) -> Row:
    """Coverage and bounds beside a judge's score, which is only over the summaries that are complete."""
    more = incomplete_words(judge)
    return {
        "coverage": coverage_of(judge),
        "lowest": judge.low.value,
        "highest": judge.high.value,
        "words": f"{words}; {more}" if more else words,
    }


def specification(found: list[Row]) -> Specification:
    sources, systems = sources_of(found), len({row["system"] for row in found})
    step = max(MOST_HEIGHT // max(1, systems), LEAST_STEP * len(sources))
    return _specification(tuple(sources), min(step, STEP * max(2, len(sources))))


@lru_cache
def _specification(sources: tuple[str, ...], step: int) -> Specification:
    base = altair.Chart(rows_data()).encode(
        y=altair.Y("shown:N", title=None, axis=altair.Axis(ticks=False, domain=False, labelPadding=10, labelLimit=220)),
        yOffset=source_offset(sources),
        tooltip=[
            altair.Tooltip("system:N", title="System"),
            altair.Tooltip("source:N", title="By"),
            altair.Tooltip("words:N", title="BooookScore"),
        ],
    )
    scale = altair.Scale(zero=False, nice=True, padding=40)
    joined = base.mark_line(strokeWidth=1.5, opacity=0.5, color="#888").encode(x="score:Q", detail="shown:N")
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=source_colour(sources))
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X(
            "score:Q", scale=scale, axis=percent_axis("BooookScore, by sentence", tickCount=8, tickMinStep=0.01)
        ),
        color=source_colour(sources),
        shape=source_shape(sources),
    )
    right = base.mark_text(align="left", dx=6, fontSize=11).encode(x="end:Q", text="label:N")
    left = base.mark_text(align="right", dx=-6, fontSize=11).encode(x="start:Q", text="label:N")
    labels = [
        right.transform_filter(altair.datum.label_side == "right"),
        left.transform_filter(altair.datum.label_side == "left"),
    ]
    return as_specification(
        altair.layer(joined, whiskers, dots, *labels).properties(width="container", height=steps(step)), right=60
    )


CHART = Chart(
    key="scores",
    title="BooookScore by system",
    lede="Share of sentences that confuse nobody: people by the sentence rule, beside each judge.",
    missing="No summary has a score yet. Scores appear when people submit their marks, or a judge has finished.",
    columns={
        "system": "System",
        "source": "By",
        "score": "Score",
        "low": "Low",
        "high": "High",
        "n": "Summaries",
        "coverage": "Coverage",
        "lowest": "Lower bound",
        "highest": "Upper bound",
    },
    rows=rows,
    specification=specification,
)
