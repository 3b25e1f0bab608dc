"""Summaries come into being here, together with their sentences."""

from django.conf import settings
from django.db import IntegrityError, transaction

from summarizer.models import Book, JobItem, Sentence, Summary, System
from summarizer.sentences import SPLITTERS
from summarizer.text import canonical_text, text_sha256
from summarizer.tokens import count_tokens


class SummaryExists(Exception):
    """The system has a summary of this book already."""

    def __init__(self, book: Book, system: System) -> None:
        super().__init__(f"“{system}” has a summary of “{book}” already. A summary never changes once it is made.")


def create_summary(
    *,
    book: Book,
    system: System,
    text: str,
    job_item: JobItem | None = None,
    cleaned_from: Summary | None = None,
    source_cut: bool = False,
    source_tokens: int | None = None,
    source_tokens_read: int | None = None,
) -> Summary:
    """Store a summary as canonical text, with its tokens and its sentences, in one transaction.

    `source_tokens` of the book's included text were there to be read at once, `source_tokens_read` fitted.

    Raises SummaryExists when the system has one of this book, and nothing is stored.
    """
    canonical, _ = canonical_text(text)
    splitter = SPLITTERS[settings.SENTENCE_SPLITTER]
    summary = Summary(
        book=book,
        system=system,
        text=canonical,
        text_sha256=text_sha256(canonical),
        tokens=count_tokens(canonical),
        splitter=splitter.name,
        job_item=job_item,
        cleaned_from=cleaned_from,
        source_cut=source_cut,
        source_tokens=source_tokens,
        source_tokens_read=source_tokens_read,
    )
    spans = splitter.split(canonical)
    try:
        with transaction.atomic():
            summary.save(force_insert=True)
            Sentence.objects.bulk_create(
                Sentence(summary=summary, index=index, start=start, end=end) for index, (start, end) in enumerate(spans)
            )
    except IntegrityError as error:
        if Summary.objects.filter(book=book, system=system).exists():
            raise SummaryExists(book, system) from error
        raise
    return summary
