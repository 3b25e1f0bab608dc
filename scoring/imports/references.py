"""Reference summaries from files."""

from typing import Any

from django.db import transaction

from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow
from scoring.imports.summaries import book_named, rows_of
from summarizer.services.books import BookError
from summarizer.services.references import add_reference


def import_references(*, data: bytes, filename: str) -> dict[str, Any]:
    """Store references from JSON `{book: reference, or a list of them}`, or JSONL or CSV with `book` and `summary`.

    A row may say where it is from, as `source`. `book` is the name of a book's file, or its title; a book that is not
    here is made, without its text. A second import of the same file changes nothing. Returns {"references", "new"}.
    Raises ImportRefused, naming the line, and then nothing is stored.
    """
    rows = [each for row in rows_of(data, filename) for each in _each(row)]
    if not rows:
        raise ImportRefused(f"{filename} holds no references.")
    with transaction.atomic():
        new = sum(_store(row) for row in rows)
    return {"references": len(rows), "new": new}


def _each(row: FileRow) -> list[FileRow]:
    """A row for each of several references of a book."""
    texts = row.values.get("summary")
    if not isinstance(texts, list):
        return [row]
    return [FileRow(row.where, {**row.values, "summary": text}) for text in texts]


def _store(row: FileRow) -> bool:
    source = row.values.get("source")
    try:
        _, is_new = add_reference(
            book=book_named(row, row.name("book")),
            text=row.text("summary"),
            source=source if isinstance(source, str) else "",
        )
    except BookError as error:
        row.refuse(str(error))
    return is_new
