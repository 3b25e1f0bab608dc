"""Encodings that charts share, so that a source looks the same everywhere: by colour and by shape."""

from collections.abc import Sequence
from typing import Any

import altair

#: In the order of the sources: people, then judges.
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]


def rows_data() -> altair.NamedData:
    return altair.NamedData("rows")


def source_colour(sources: Sequence[str], *, legend: bool = True, stacked: bool = False) -> altair.Color:
    """The colours come from the theme's categorical range, in the order of the sources. `stacked`: long names, one a
    line."""
    drawn = _legend(stacked=stacked) if legend else None
    return altair.Color("source:N", scale=altair.Scale(domain=list(sources)), legend=drawn)


def source_shape(sources: Sequence[str], *, legend: bool = True, stacked: bool = False) -> altair.Shape:
    shapes = [SHAPES[index % len(SHAPES)] for index in range(len(sources))]
    scale = altair.Scale(domain=list(sources), range=shapes)
    return altair.Shape("source:N", scale=scale, legend=_legend(stacked=stacked) if legend else None)


def source_offset(sources: Sequence[str]) -> altair.YOffset:
    return altair.YOffset("source:N", sort=list(sources))


def percent_axis(title: str, **options: Any) -> altair.Axis:
    return altair.Axis(format=".0%", title=title, **options)


def _legend(*, stacked: bool) -> altair.Legend:
    if stacked:
        return altair.Legend(title=None, orient="top", direction="vertical", labelLimit=300)
    return altair.Legend(title=None, orient="top", direction="horizontal")


def steps(pixels: int) -> altair.Step:
    """That much height for each category, however many there are."""
    return altair.Step(pixels, **{"for": "position"})


def as_specification(chart: Any, *, right: int = 12) -> dict[str, Any]:
    """`right`: pixels kept free on the right, for labels that stand beyond the last dot."""
    specification: dict[str, Any] = chart.to_dict()
    if specification.get("width") == "container":
        # The width is the page's, the height that of the steps.
        padding = {"left": 0, "top": 5, "bottom": 5, "right": right}
        specification |= {"autosize": {"type": "fit-x", "contains": "padding"}, "padding": padding}
    specification.pop("config", None)  # the theme is put in by whoever renders it
    return specification
