"""In which order books, people and summaries are taken where figures are resampled.

A seeded resample is the same again only if it takes the same things in the same order. Row ids differ from database to
database, so the order comes from what an export keeps: it is that of the lines of the file. Text is compared here,
because databases differ in how they do it.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet

from annotation.models import Study
from summarizer.models import Book, Summary

#: What the order of a book is found from; the id comes last.
_BOOK = ("title", "author", "source_name", "text_sha256", "absent_text_sha256", "created_at", "pk")
_BookRow = tuple[Any, ...]


def places_of_books(books: QuerySet[Book]) -> dict[int, int]:
    """Book -> its place among them, from 0, in that order: by title, author, name of the file and hash. One query."""
    return _places(books.order_by().values_list(*_BOOK))


def summaries_in_order(study: Study, *columns: str) -> list[tuple[Any, ...]]:
    """(id, place of its book, *columns) of each summary of the study, by name of the system, then by book.

    One query.
    """
    found = Summary.objects.filter(studies=study).order_by()
    rows = list(found.values_list(*(f"book__{name}" for name in _BOOK), "system__name", "id", *columns))
    width = len(_BOOK)
    places = _places(row[:width] for row in rows)
    # A book has one summary of a system, so what comes behind these two decides nothing.
    rows.sort(key=lambda row: (row[width], places[row[width - 1]]))
    return [(row[width + 1], places[row[width - 1]], *row[width + 2 :]) for row in rows]


def _places(books: Iterable[_BookRow]) -> dict[int, int]:
    ordered = sorted(set(books), key=lambda row: (*row[:3], row[3] or row[4], *row[5:]))
    return {row[-1]: place for place, row in enumerate(ordered)}
