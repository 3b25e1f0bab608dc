"""In which order books, people and summaries are taken where figures are resampled.

A seeded resample is the same again only if it takes the same things in the same order. Row ids differ from database to
database, so the order comes from what an export keeps: it is that of the lines of the file. Text is compared here,
because databases differ in how they do it.
"""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Study
from summarizer.models import Book, Summary


def places_of_books(books: QuerySet[Book]) -> dict[int, int]:
    """Book -> its place among them, from 0, in that order: by title, author, name of the file and hash. One query."""
    columns = ("title", "author", "source_name", "text_sha256", "absent_text_sha256", "created_at", "pk")
    rows = books.order_by().distinct().values_list(*columns)
    ordered = sorted(rows, key=lambda row: (*row[:3], row[3] or row[4], *row[5:]))
    return {row[-1]: place for place, row in enumerate(ordered)}


def summaries_in_order(study: Study, *columns: str) -> list[tuple[Any, ...]]:
    """(id, place of its book, *columns) of each summary of the study, by name of the system, then by book.

    Two queries.
    """
    found = Summary.objects.filter(studies=study).order_by()
    rows = list(found.values_list("system__name", "book_id", "id", *columns))
    places = places_of_books(Book.objects.filter(pk__in={row[1] for row in rows}))
    ordered = sorted(rows, key=lambda row: (row[0], places[row[1]]))
    return [(pk, places[book], *values) for _, book, pk, *values in ordered]
