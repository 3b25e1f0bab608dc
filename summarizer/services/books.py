"""Books in and out: the only place that writes `Book` and `Section` rows."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet

from summarizer.chunking import join_touching
from summarizer.extraction import ExtractedBook, extract
from summarizer.models import Book, JobItem, Section
from summarizer.text import canonical_text, text_sha256
from summarizer.tokens import count_tokens

_LONGEST_NAME = 500


class BookError(Exception):
    """What was asked of a book can't be done. `str()` is a sentence for the user."""


class BookExists(BookError):
    """The same text is here already, as `book`."""

    def __init__(self, book: Book) -> None:
        super().__init__(f"This text is here already, as “{book.title}” (book {book.pk}). Nothing was added.")
        self.book = book


class BookInUse(BookError):
    """Summaries or jobs refer to the book."""


def add_book(
    *,
    data: bytes,
    filename: str,
    title: str | None = None,
    author: str | None = None,
    genres: Sequence[str] = (),
    publication_date: date | None = None,
    added_by: AbstractBaseUser | AnonymousUser | None = None,
) -> Book:
    """Read a file as a book and store it with its sections; what is given goes before what the file says.

    Raises ExtractionError for a file that can't be read as a book and BookExists for a text that is here already.
    """
    extracted = extract(data, filename, limit_bytes=settings.UPLOAD_LIMIT_BYTES)
    sha256 = text_sha256(extracted.text)
    _refuse_known(sha256)
    book = Book(
        title=_name(title) or _name(extracted.title) or "Untitled",
        author=_name(author) or _name(extracted.author),
        genres=[name for genre in genres if (name := _name(genre))],
        publication_date=publication_date,
        source_name=_name(filename),
        source_format=Book.Format(extracted.source_format),
        text=extracted.text,
        text_sha256=sha256,
        tokens=included_tokens(extracted.text, extracted.included),
        warnings=extracted.warnings,
        added_by_id=added_by.pk if added_by else None,
    )
    try:
        with transaction.atomic():
            book.save(force_insert=True)
            Section.objects.bulk_create(_sections(book, extracted))
    except IntegrityError:
        _refuse_known(sha256)
        raise
    return book


def change_details(
    *, book: Book, title: str, author: str = "", genres: Sequence[str] = (), publication_date: date | None = None
) -> None:
    """Change what is known of a book beside its text, which never changes. Raises BookError for an empty title."""
    if not _name(title):
        raise BookError("A book needs a title.")
    Book.objects.filter(pk=book.pk).update(
        title=_name(title),
        author=_name(author),
        genres=[name for genre in genres if (name := _name(genre))],
        publication_date=publication_date,
    )


def lock_books(ids: Iterable[int] | QuerySet[Any, Any]) -> None:
    """Lock books until the transaction ends, in one order, so that two who do it never wait for each other."""
    list(Book.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))


def choose_sections(*, book: Book, included: Collection[int], chosen_by: str) -> int:
    """Include exactly the sections with these indexes; returns how many changed.

    Summaries that exist keep what they were made from. Raises BookError when nothing would be left to summarize and
    BookInUse while a job works on the book: its later calls would see another text than its first ones.
    """
    with transaction.atomic():
        book = Book.objects.select_for_update().get(pk=book.pk)
        sections = list(book.sections.order_by("index"))
        changed = [section for section in sections if section.included != (section.index in included)]
        if not changed:
            return 0
        if book.job_items.filter(state__in=JobItem.UNFINISHED).exists():
            raise BookInUse("A job works on this book. Wait for its end, or cancel it, then change the sections.")
        for section in changed:
            section.included = not section.included
            section.reason = _reason(section, chosen_by)
        ranges = [(section.start, section.end) for section in sections if section.included]
        if not any(book.text[start:end].strip() for start, end in ranges):
            raise BookError("At least one section with text must stay included, or there is nothing to summarize.")
        Section.objects.bulk_update(changed, ["included", "reason"])
        Book.objects.filter(pk=book.pk).update(tokens=included_tokens(book.text, ranges))
    return len(changed)


def delete_book(*, book: Book) -> None:
    """Raises BookInUse for a book that has summaries or that a job worked on."""
    try:
        with transaction.atomic():
            book.delete()
    except ProtectedError as error:
        raise BookInUse(f"“{book.title}” has summaries or jobs and can't be deleted.") from error


def included_tokens(text: str, included: Sequence[tuple[int, int]]) -> int:
    """cl100k tokens of the included stretches; stretches that touch are counted as one."""
    return sum(count_tokens(text[start:end]) for start, end in join_touching(included))


def _refuse_known(sha256: str) -> None:
    if known := Book.objects.filter(text_sha256=sha256).defer("text").first():
        raise BookExists(known)


def _sections(book: Book, extracted: ExtractedBook) -> list[Section]:
    return [
        Section(
            book=book,
            index=index,
            title=_name(section.title),
            part=_name(section.part),
            start=section.start,
            end=section.end,
            included=section.included,
            reason=section.reason,
            proposed_reason=section.reason,
        )
        for index, section in enumerate(extracted.sections)
    ]


def _reason(section: Section, chosen_by: str) -> str:
    if section.included:
        return ""
    return section.proposed_reason or _name(f"left out by {chosen_by}")


def _name(value: str | None) -> str:
    """A name fit for a line and its column: canonical, single spaces, at most 500 characters."""
    text, _ = canonical_text(value or "")
    return " ".join(text.split())[:_LONGEST_NAME]
