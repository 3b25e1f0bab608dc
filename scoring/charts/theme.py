"""How charts look when they are drawn on the server. In the browser the same roles take the page's colours."""

from dataclasses import dataclass
from typing import Any

FONT = "Liberation Sans, Arial, sans-serif"


@dataclass(frozen=True)
class Colours:
    ink: str
    soft: str
    line: str
    ground: str
    #: People, then judges in order (Okabe-Ito).
    series: tuple[str, ...]


LIGHT = Colours("#1f1e1b", "#5f5b54", "#e2dfd8", "#ffffff", ("#0072b2", "#c25600", "#008863", "#aa658b", "#7a7a7a"))
DARK = Colours("#ece9e2", "#a9a59b", "#383732", "#20201d", ("#56b4e9", "#e69f00", "#2fbf95", "#cc79a7", "#8e8e8e"))


def configuration(colours: Colours) -> dict[str, Any]:
    """Vega-Lite configuration; `static/js/charts.js` builds the same from the page's tokens."""
    return {
        "background": colours.ground,
        "font": FONT,
        "view": {"stroke": None},
        "range": {"category": list(colours.series)},
        "axis": {
            "labelColor": colours.ink,
            "titleColor": colours.soft,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
            "gridColor": colours.line,
            "domainColor": colours.line,
            "tickColor": colours.line,
        },
        "legend": {"labelColor": colours.ink, "labelFontSize": 12, "symbolSize": 90},
        "header": {"labelColor": colours.ink, "labelFontSize": 12, "labelFontWeight": "bold"},
        "text": {"color": colours.ink},
        "rule": {"color": colours.soft},
        "style": {"apart": {"stroke": colours.ground}},
    }
