"""Books: the canonical text that everything else refers to by offset."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Book(models.Model):
    """A book. Its text is canonical (see `summarizer.text`) and never changes: a new text is a new row.

    A book of an imported study may have no text (`text` empty), only its name and its summaries.
    """

    class Format(models.TextChoices):
        PLAIN_TEXT = "text", "Plain text"
        EPUB = "epub", "EPUB"
        NO_TEXT = "none", "No text (imported study)"

    title = models.CharField(max_length=500)
    author = models.CharField(max_length=500, blank=True)
    genres = models.JSONField(default=list, blank=True)
    #: When the book came out: a book older than an LLM's training data may be known to it (contamination).
    publication_date = models.DateField(null=True, blank=True)
    #: Name under which a study refers to the book, for example the file name in a public release.
    source_name = models.CharField(max_length=500, blank=True)
    source_format = models.CharField(max_length=10, choices=Format.choices)
    text = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64, blank=True)
    #: The hash of a text that is not here, because the study was imported without its books' texts.
    absent_text_sha256 = models.CharField(max_length=64, blank=True)
    #: cl100k tokens of the included sections.
    tokens = models.PositiveIntegerField(default=0)
    #: What the extraction left out or guessed, as sentences for the uploader.
    warnings = models.JSONField(default=list, blank=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["title", "id"]
        constraints = [
            models.UniqueConstraint(fields=["text_sha256"], condition=~Q(text_sha256=""), name="book_text_once"),
        ]

    def __str__(self) -> str:
        return self.title


class Section(models.Model):
    """A stretch `[start, end)` of a book's text that is summarized or left out. Sections cover the text in order."""

    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="sections")
    index = models.PositiveIntegerField()
    title = models.CharField(max_length=500, blank=True)
    #: The heading that the contents list puts above the title ("Part I").
    part = models.CharField(max_length=500, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    included = models.BooleanField(default=True)
    #: Why it is left out: as proposed, or by whom.
    reason = models.CharField(max_length=500, blank=True)
    #: Why the extraction proposed to leave it out (empty: it did not); stays when a person decides otherwise.
    proposed_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["book", "index"]
        constraints = [
            models.UniqueConstraint(fields=["book", "index"], name="section_index_once"),
            models.CheckConstraint(condition=Q(start__lte=F("end")), name="section_in_order"),
        ]

    def __str__(self) -> str:
        return self.title or f"Section {self.index + 1}"


class ReferenceSummary(models.Model):
    """A summary of a book by people, that summaries of systems are measured against. Canonical text, never changed."""

    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="references")
    #: Where it is from.
    source = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    text_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["book", "id"]
        verbose_name_plural = "reference summaries"
        constraints = [models.UniqueConstraint(fields=["book", "text_sha256"], name="reference_once_per_book")]

    def __str__(self) -> str:
        return f"Reference of {self.book}"
