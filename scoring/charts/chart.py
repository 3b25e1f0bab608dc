"""What every chart is made of."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic

Row = dict[str, Any]
Specification = dict[str, Any]

#: Name of the data that a specification draws; whoever renders it puts the rows there.
DATA = "rows"


@dataclass(frozen=True)
class Chart:
    key: str
    title: str
    #: What the chart shows, in a sentence.
    lede: str
    #: Why there is nothing to draw, where `rows` gives none.
    missing: str
    #: Columns of its table and CSV: key of the row -> heading.
    columns: dict[str, str]
    #: From the report that the chart belongs to: a `Report`, or a `FaithfulnessReport`.
    rows: Callable[[Any], list[Row]]
    specification: Callable[[list[Row]], Specification]
    #: Columns that are no share of 1, and how the table on a page shows them, for example ".1f".
    forms: dict[str, str] = field(default_factory=dict)


def share_words(figure: Statistic, interval: Interval, n: int) -> str:
    """ "79.4 (95 % interval 76.8 to 82.0, n = 100)", in percent."""
    if figure.value is None:
        return figure.reason
    between = "no interval" if interval.low is None else f"95 % interval {_percent(interval.low)} to "
    if interval.high is not None:
        between += _percent(interval.high)
    return f"{_percent(figure.value)} ({between}, n = {n})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def sources_of(rows: list[Row]) -> list[str]:
    """Sources in the order of first appearance, people first."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    return sorted(sources, key=lambda source: source != "human")
