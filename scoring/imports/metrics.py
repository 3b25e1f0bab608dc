"""Figures about summaries that were computed elsewhere."""

import math
from typing import Any

from django.db import transaction

from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow, csv_rows, read_text
from scoring.models import MetricValue
from summarizer.models import Summary

COLUMNS = ("book", "system", "name", "value")


def import_metrics(*, data: bytes) -> dict[str, Any]:
    """Store figures from CSV with the columns book, system, name and value.

    `book` is a book's file name or title. A value that is there already under this name is replaced. Returns {"new",
    "changed", "unchanged"}. Raises ImportRefused, naming the line, and then nothing is stored.
    """
    counts = {"new": 0, "changed": 0, "unchanged": 0}
    seen: set[tuple[int, str]] = set()
    with transaction.atomic():
        for row in csv_rows(read_text(data), COLUMNS):
            summary, name, value = _summary(row), row.text("name").strip(), _number(row)
            if len(name) > 100:
                row.refuse("the name has at most 100 characters.")
            if (summary, name) in seen:
                row.refuse(f"{name} of this summary stands in an earlier line already.")
            seen.add((summary, name))
            counts[_store(summary, name, value)] += 1
    if not seen:
        raise ImportRefused("The file holds no figures.")
    return counts


def _store(summary: int, name: str, value: float) -> str:
    found, is_new = MetricValue.objects.get_or_create(summary_id=summary, name=name, defaults={"value": value})
    if is_new or found.value == value:
        return "new" if is_new else "unchanged"
    MetricValue.objects.filter(pk=found.pk).update(value=value)
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
    book, system = row.text("book"), row.text("system").strip()
    for column in ("book__source_name", "book__title"):
        found = Summary.objects.filter(**{column: book}, system__name=system).values_list("pk", flat=True)[:2]
        if len(found) > 1:
            row.refuse(f"several books here are called “{book}”.")
        if found:
            return found[0]
    return row.refuse(f"there is no summary of “{book}” by {system}.")
