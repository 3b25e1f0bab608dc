"""Summaries, how each was built, and their sentences."""

from django.db import models
from django.db.models import F, Q

from summarizer.models.books import Book
from summarizer.models.jobs import JobItem, LLMCall
from summarizer.models.systems import System


class Summary(models.Model):
    """A summary of a book by a system: canonical text that never changes. Made together with its sentences."""

    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="summaries")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="summaries")
    text = models.TextField(blank=True)
    text_sha256 = models.CharField(max_length=64)
    #: cl100k tokens.
    tokens = models.PositiveIntegerField()
    #: Name and version of the sentence splitter, for example "punkt-en 2.2.1".
    splitter = models.CharField(max_length=100)
    job_item = models.OneToOneField(
        JobItem, null=True, blank=True, on_delete=models.SET_NULL, related_name="summary_made"
    )
    #: The summary this one was cleaned from, which stays as its system's summary of the book.
    cleaned_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="cleaned_versions"
    )
    #: The source did not fit and was cut to the window (one-pass systems): read were the first `source_tokens_read` of
    #: the `source_tokens` of the book's included text.
    source_cut = models.BooleanField(default=False)
    source_tokens = models.PositiveIntegerField(null=True, blank=True)
    source_tokens_read = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["book", "system"]
        verbose_name_plural = "summaries"
        constraints = [models.UniqueConstraint(fields=["book", "system"], name="summary_once_per_book_and_system")]

    def __str__(self) -> str:
        return f"{self.book} - {self.system}"


class Sentence(models.Model):
    """Sentence `index` of a summary, as offsets `[start, end)`. Everything refers to it by key, never by text."""

    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="sentences")
    index = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        ordering = ["summary", "index"]
        constraints = [
            models.UniqueConstraint(fields=["summary", "index"], name="sentence_index_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="sentence_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.summary}, sentence {self.index + 1}"


class SummaryNode(models.Model):
    """One intermediate (or the final) summary on the way to a summary."""

    class Kind(models.TextChoices):
        CHUNK = "chunk", "Summary of a chunk"
        MERGE = "merge", "Merge"
        UPDATE = "update", "Update"
        COMPRESSION = "compression", "Compression"
        CLEANING = "cleaning", "Cleaning"

    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="nodes")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    level = models.PositiveIntegerField()
    index = models.PositiveIntegerField()
    text = models.TextField()
    tokens = models.PositiveIntegerField()
    #: Words asked for at first, where the strategy sets them step by step.
    asked_words = models.PositiveIntegerField(null=True, blank=True)
    #: What was taken out of the answer because the prompt set says so, one piece a line; the ledger has it whole.
    removed = models.TextField(blank=True)
    #: The stretch of the book's text it was made from, where it was made from the book itself.
    chunk_start = models.PositiveIntegerField(null=True, blank=True)
    chunk_end = models.PositiveIntegerField(null=True, blank=True)
    #: The nodes it merged, updated or compressed, and those shown before them as prior context.
    sources = models.ManyToManyField("self", symmetrical=False, related_name="used_by", blank=True)
    context = models.ManyToManyField("self", symmetrical=False, related_name="context_of", blank=True)
    call = models.ForeignKey(LLMCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="nodes")

    class Meta:
        ordering = ["summary", "level", "index"]
        constraints = [models.UniqueConstraint(fields=["summary", "level", "index"], name="summary_node_once")]

    def __str__(self) -> str:
        return f"{self.summary}, level {self.level}, {self.index + 1}"
