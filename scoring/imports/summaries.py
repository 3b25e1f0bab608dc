"""Summaries that were made elsewhere, as those of an imported system."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from annotation.models import Study
from annotation.services.studies import StudyError, add_summaries
from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow, csv_rows, file_format, json_value, jsonl_rows, read_text
from summarizer.models import Book, Summary, System
from summarizer.services.summaries import create_summary
from summarizer.text import canonical_text, storable, text_sha256


def import_summaries(*, data: bytes, filename: str, system_name: str, study: Study | None = None) -> dict[str, Any]:
    """Store summaries from JSON `{book: summary}`, or from JSONL or CSV with `book` and `summary`.

    `book` is the name of a book's file, or its title; a book that is not here is made, without its text. With `study`
    the summaries are put into it. A second import of the same file changes nothing.
    Returns {"system", "summaries": [{"book", "summary", "new"}], "books": how many are new}.
    Raises ImportRefused, naming the line, and then nothing is stored.
    """
    rows = list(rows_of(data, filename))
    if not rows:
        raise ImportRefused(f"{filename} holds no summaries.")
    try:
        with transaction.atomic():
            return _store(rows, imported_system(system_name), study)
    except StudyError as error:
        raise ImportRefused(str(error)) from error


def rows_of(data: bytes, filename: str) -> Iterator[FileRow]:
    form = file_format(filename)
    text = read_text(data)
    if form == "csv":
        yield from csv_rows(text, ("book", "summary"))
    elif form == "jsonl":
        yield from jsonl_rows(text)
    else:
        summaries = json_value(text, filename)
        if not isinstance(summaries, dict):
            raise ImportRefused(f"{filename} must hold one JSON object: book, then its summary.")
        for book, summary in summaries.items():
            yield FileRow(f"“{storable(book)}”", {"book": book, "summary": summary})


def imported_system(name: str) -> System:
    if not name.strip() or len(name) > 200 or storable(name) != name:
        raise ImportRefused("The system needs a name of at most 200 characters, none of them NUL or half of a pair.")
    system, _ = System.objects.get_or_create(name=name.strip(), defaults={"strategy": System.Strategy.IMPORTED})
    if system.strategy != System.Strategy.IMPORTED:
        raise ImportRefused(f"The system {name} makes its summaries here. Choose another name for those of this file.")
    return system


def _store(rows: list[FileRow], system: System, study: Study | None) -> dict[str, Any]:
    stored: list[tuple[Summary, bool]] = []
    seen: dict[int, str] = {}
    books = Book.objects.count()
    for row in rows:
        book = book_named(row, row.name("book"))
        if book.pk in seen:
            row.refuse(f"“{book.title}” has a summary in {seen[book.pk].lower()} already.")
        seen[book.pk] = row.where
        stored.append(store_summary(row, book, system, row.text("summary")))
    if study is not None:
        put_into(study, [summary for summary, _ in stored])
    return {
        "system": system.name,
        "summaries": [{"book": summary.book.title, "summary": summary.pk, "new": is_new} for summary, is_new in stored],
        "books": Book.objects.count() - books,
    }


def put_into(study: Study, summaries: list[Summary]) -> None:
    there = set(study.summaries.filter(pk__in=[each.pk for each in summaries]).values_list("pk", flat=True))
    if missing := [each for each in summaries if each.pk not in there]:
        add_summaries(study=study, summaries=missing)


def book_named(row: FileRow, name: str) -> Book:
    """The book with this file name or title; a new one without text where there is none."""
    if len(name) > 500:
        row.refuse("the name of a book has at most 500 characters.")
    for column in ("source_name", "title"):
        found = list(Book.objects.filter(**{column: name}).defer("text")[:2])
        if len(found) == 2:
            row.refuse(f"there are several books with the {column.replace('_', ' ')} “{name}”.")
        if found:
            return found[0]
    return Book.objects.create(title=name, source_name=name, source_format=Book.Format.NO_TEXT)


def store_summary(row: FileRow, book: Book, system: System, text: str) -> tuple[Summary, bool]:
    """The summary, and whether it is new. Refuses the row where another one of the book by the system is here."""
    canonical = canonical_text(text)[0]
    found = Summary.objects.filter(book=book, system=system).first()
    if found is None:
        return create_summary(book=book, system=system, text=canonical), True
    if found.text_sha256 != text_sha256(canonical):
        row.refuse(f"there is another summary of “{book.title}” by {system.name} here, and a summary never changes.")
    return found, False
