"""One state of the database for as long as an export is read, without keeping anybody from writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """What is read inside is as it was at the first read. Nothing may be written inside.

    Inside a transaction that is open already, that one's state is read.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with _sqlite_read():
            yield


@contextmanager
def _sqlite_read() -> Iterator[None]:
    """`atomic` would take SQLite's one lock for writing, and everybody would wait for the export."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
