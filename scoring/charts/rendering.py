"""Charts as files: SVG and PNG drawn on the server, CSV and JSON of the rows."""

import csv
import io
import json

import vl_convert

from scoring.charts.chart import DATA, Chart, Row, Specification
from scoring.charts.theme import DARK, LIGHT, configuration
from scoring.exports.tables import safe_cell

#: Width in pixels of a chart that fills its place on the page.
WIDTH = 720


def complete(specification: Specification, rows: list[Row], *, dark: bool = False) -> Specification:
    """The specification with rows and theme, to be drawn on the server."""
    complete = {**specification, "datasets": {DATA: rows}, "config": configuration(DARK if dark else LIGHT)}
    if complete.get("width") == "container":
        complete["width"] = WIDTH
    return complete


def as_svg(chart: Chart, rows: list[Row], *, dark: bool = False) -> str:
    return str(vl_convert.vegalite_to_svg(complete(chart.specification(rows), rows, dark=dark)))


def as_png(chart: Chart, rows: list[Row], *, dark: bool = False) -> bytes:
    return bytes(vl_convert.vegalite_to_png(complete(chart.specification(rows), rows, dark=dark), scale=2))


def as_csv(columns: dict[str, str], rows: list[Row]) -> str:
    """Rows under the keys of the columns; shares stay fractions of 1."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(key)) for key in columns] for row in rows)
    return target.getvalue()


def as_json(rows: list[Row]) -> str:
    return json.dumps(rows, ensure_ascii=False, allow_nan=False)


def _cell(value: object) -> object:
    return "" if value is None else safe_cell(value)
