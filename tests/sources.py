"""Summaries of books that have a text, to check against it."""

import hashlib
from collections.abc import Sequence

from summarizer.models import Book, Section, Summary
from tests.factories import make_summary

SOURCE = (
    "Contents\nOne. Two.\n"
    "Emma lived in the mill.\n\nShe left it at dawn, \N{DROPLET} and café Zoe\u0308 was closed.\n\n"
    "Rolf stayed in the boathouse. <b>Nobody</b> called."
)
CONTENTS_END = SOURCE.index("Emma")


def with_source(
    summary: Summary, source: str = SOURCE, *, left_out: Sequence[tuple[int, int]] = ((0, CONTENTS_END),)
) -> Summary:
    """The summary, whose book now has this text; the stretches at its beginning are left out."""
    sha256 = hashlib.sha256(source.encode()).hexdigest()
    Book.objects.filter(pk=summary.book_id).update(text=source, text_sha256=sha256, source_format="text")
    summary.book.refresh_from_db()
    begin = left_out[-1][1] if left_out else 0
    for index, (start, end) in enumerate([*left_out, (begin, len(source))]):
        included = start == begin
        title = "The story" if included else "Contents"
        Section.objects.create(book=summary.book, index=index, title=title, start=start, end=end, included=included)
    return summary


def checked_summary(text: str, source: str = SOURCE) -> Summary:
    """A new summary of a new book with this source, whose list of contents is left out."""
    left_out = [(0, CONTENTS_END)] if source == SOURCE else []
    return with_source(make_summary(text), source, left_out=left_out)


def another_summary(text: str, of: Summary) -> Summary:
    """One more of the same book, by another system."""
    summary = make_summary(text)
    unused, summary.book = summary.book, of.book
    summary.save(update_fields=["book"])
    unused.delete()
    return summary
