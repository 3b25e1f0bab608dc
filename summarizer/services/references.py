"""Reference summaries of books."""

from django.db import transaction

from summarizer.models import Book, ReferenceSummary
from summarizer.services.books import BookError
from summarizer.text import canonical_text, text_sha256

LONGEST_SOURCE = 500


def add_reference(*, book: Book, text: str, source: str = "") -> tuple[ReferenceSummary, bool]:
    """Store a reference as canonical text; (it, whether it is new): the same text is stored once for a book.

    Raises BookError for a text without a word.
    """
    canonical, _ = canonical_text(text)
    if not canonical.strip():
        raise BookError("The reference summary has no text.")
    with transaction.atomic():
        return ReferenceSummary.objects.get_or_create(
            book=book,
            text_sha256=text_sha256(canonical),
            defaults={"text": canonical, "source": " ".join(source.split())[:LONGEST_SOURCE]},
        )


def remove_reference(*, reference: ReferenceSummary) -> None:
    """Figures against it are computed anew from what is left."""
    reference.delete()
