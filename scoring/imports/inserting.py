"""Rows written exactly as they are: dates too, which Django would set to now."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def insert_exactly(rows: Sequence[Row]) -> None:
    """Insert rows of one model and set their keys, in as few statements as the database takes."""
    if not rows:
        return
    model = type(rows[0])
    columns = [column for column in model._meta.concrete_fields if not column.primary_key]
    size = max(connection.ops.bulk_batch_size(columns, rows), 1)
    manager: Any = model._base_manager
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        inserted = manager.all()._insert(
            part, fields=columns, returning_fields=[model._meta.pk], using=connection.alias, raw=True
        )
        for row, (key,) in zip(part, inserted, strict=True):
            row.pk = key
