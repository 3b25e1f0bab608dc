"""Queries that everybody asks every few seconds: written once a process, planned once a connection.

Django writes the SQL of a query anew each time, and PostgreSQL plans it anew; where a query has conditions on related
rows, both take longer than to run it. A `Statement` is an ordinary query with `Parameter`s for the values that differ.
Its SQL is written when it first runs. PostgreSQL gets it with the values apart, so that it is prepared there once it
has run a few times (`prepare_threshold` in the settings).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import Expression, Field, QuerySet
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler


class Parameter(Expression):
    """The place of a value that is given when the statement runs."""

    def __init__(self, name: str, output_field: "Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]


class Statement:
    """`build` makes the query, once; `changes` make it an UPDATE of its rows, and it gives their column `returning`."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]], returning: str = "", **changes: Any) -> None:
        self._build = build
        self._returning = returning
        self._changes = changes

    def row(self, **values: Any) -> tuple[Any, ...] | None:
        """The first row as the database gives it, without conversions: for numbers and texts."""
        with self._run(values) as cursor:
            row: tuple[Any, ...] | None = cursor.fetchone()
        return row

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """All rows, as `row` gives one."""
        with self._run(values) as cursor:
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    @cached_property
    def _sql(self) -> tuple[str, Sequence[Any]]:
        query: Any = self._build().query
        if self._changes:
            query = query.chain(UpdateQuery)
            query.add_update_values(self._changes)
        sql, parameters = query.get_compiler(connection=connection).as_sql()
        if self._returning:
            sql = f"{sql} RETURNING {connection.ops.quote_name(self._returning)}"
        return sql, parameters

    def _run(self, values: dict[str, Any]) -> Any:
        sql, parameters = self._sql
        cursor = _cursor()
        cursor.execute(sql, [_value(parameter, values) for parameter in parameters])
        return cursor


def _value(parameter: Any, values: dict[str, Any]) -> Any:
    if isinstance(parameter, Parameter):
        return parameter.output_field.get_db_prep_value(values[parameter.name], connection)
    return parameter


def _cursor() -> Any:
    """One that sends values apart; where queries are logged, an ordinary one that can show them."""
    if connection.vendor != "postgresql" or connection.queries_logged:
        return connection.cursor()
    from django.db.backends.postgresql import base

    # As Django does before a request's first query, which may be this one: a server that restarted is met anew.
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    values_apart: Any = base.ServerBindingCursor
    return connection.make_cursor(values_apart(connection.connection))
