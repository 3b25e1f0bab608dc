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
from scoring.report.structure import PEOPLE, Report, SystemFigures
from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic

#: Pixels of a row for each source, in a chart that has room; and where many systems share the first screen.
STEP, LEAST_STEP = 15, 9
MOST_HEIGHT = 440


def rows(report: Report) -> list[Row]:
    found: list[Row] = []
    for system in report.systems:
        human = system.human
        found += _row(system, PEOPLE, human.sentence, human.sentence_interval, human.n)
        for judge in system.judges:
            found += _row(system, judge.judge.label, judge.score, judge.interval, judge.n)
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
            "end": score.value if interval.high is None else interval.high,
            "label": f"{100 * score.value:.1f} (n {n})",
            "words": share_words(score, interval, n),
        }
    ]


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
    scale = altair.Scale(zero=False, nice=True, padding=12)
    joined = base.mark_line(strokeWidth=1.5, opacity=0.5, color="#888").encode(x="score:Q", detail="shown:N")
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", color=source_colour(sources))
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=altair.X("score:Q", scale=scale, axis=percent_axis("BooookScore, by sentence", tickCount=8)),
        color=source_colour(sources),
        shape=source_shape(sources),
    )
    labels = base.mark_text(align="left", dx=6, fontSize=11).encode(x="end:Q", text="label:N")
    return as_specification(
        altair.layer(joined, whiskers, dots, labels).properties(width="container", height=steps(step)), right=60
    )


CHART = Chart(
    key="scores",
    title="BooookScore by system",
    lede="Share of sentences that confuse nobody: people by the sentence rule, beside each judge.",
    missing="No summary has a score yet. Scores appear when people submit their marks, or a judge has finished.",
    columns={"system": "System", "source": "By", "score": "Score", "low": "Low", "high": "High", "n": "Summaries"},
    rows=rows,
    specification=specification,
)
