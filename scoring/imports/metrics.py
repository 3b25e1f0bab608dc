"""Figures about summaries that were computed elsewhere."""

import math
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.access import Login, require_not_blind
from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow, csv_rows, read_text
from scoring.models import MetricValue
from summarizer.models import Summary

COLUMNS = ("book", "system", "name", "value")


@dataclass(frozen=True, slots=True)
class _Figure:
    summary: int
    name: str
    value: float


def import_metrics(*, data: bytes, by: Login | None = None) -> dict[str, Any]:
    """Store figures from CSV with the columns book, system, name and value.

    `book` is a book's file name or title. A value that is there already under this name is replaced. Returns {"new",
    "changed", "unchanged"}, which tells of what is stored: so `by`, who sends it, must not be blind to these summaries.
    Raises ImportRefused, naming the line, or Blinded, and then nothing is stored.
    """
    figures = _figures(data)
    if not figures:
        raise ImportRefused("The file holds no figures.")
    if by is not None:
        require_not_blind(by, summary_ids={each.summary for each in figures})
    counts = {"new": 0, "changed": 0, "unchanged": 0}
    with transaction.atomic():
        for figure in figures:
            counts[_store(figure)] += 1
    return counts


def _figures(data: bytes) -> list[_Figure]:
    figures: dict[tuple[int, str], _Figure] = {}
    for row in csv_rows(read_text(data), COLUMNS):
        figure = _Figure(_summary(row), row.name("name").strip(), _number(row))
        if len(figure.name) > 100:
            row.refuse("the name has at most 100 characters.")
        if (figure.summary, figure.name) in figures:
            row.refuse(f"{figure.name} of this summary stands in an earlier line already.")
        figures[figure.summary, figure.name] = figure
    return list(figures.values())


def _store(figure: _Figure) -> str:
    found, is_new = MetricValue.objects.get_or_create(
        summary_id=figure.summary, name=figure.name, defaults={"value": figure.value}
    )
    if is_new or found.value == figure.value:
        return "new" if is_new else "unchanged"
    MetricValue.objects.filter(pk=found.pk).update(value=figure.value)
    return "changed"


def _number(row: FileRow) -> float:
    try:
        value = float(row.text("value").strip())
    except ValueError:
        row.refuse(f"the value “{row.values['value']}” is no number (write it with a decimal point).")
    if not math.isfinite(value):
        row.refuse(f"the value “{row.values['value']}” is no finite number.")
    return value


def _summary(row: FileRow) -> int:
    book, system = row.name("book"), row.name("system").strip()
    for column in ("book__source_name", "book__title"):
        found = Summary.objects.filter(**{column: book}, system__name=system).values_list("pk", flat=True)[:2]
        if len(found) > 1:
            row.refuse(f"several books here are called “{book}”.")
        if found:
            return found[0]
    return row.refuse(f"there is no summary of “{book}” by {system}.")
