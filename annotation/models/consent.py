"""What people agreed to before their first task of a study, and whether they knew a book before they read about it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.people import Annotator
from annotation.models.studies import Study
from summarizer.models import Book


class ConsentText(models.Model):
    """A study's consent text from one change to the next; never changed. An empty newest one asks for nothing."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_texts")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="consent_text_once")]

    def __str__(self) -> str:
        return f"Version {self.number}"


class Consent(models.Model):
    """A person accepted a version of a study's consent text; withdrawn ones stay with their dates."""

    text = models.ForeignKey(ConsentText, on_delete=models.RESTRICT, related_name="consents")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="consents")
    accepted_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["text", "annotator"], condition=Q(withdrawn_at__isnull=True), name="consent_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotator} accepted {self.text}"


class BookKnowledge(models.Model):
    """Whether a person had read a book before their first task on it; asked once, for all studies."""

    class Answer(models.TextChoices):
        NO = "no", "No"
        PARTLY = "partly", "Partly, or I don’t remember"
        YES = "yes", "Yes"

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="books_known")
    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="+")
    answer = models.CharField(max_length=10, choices=Answer.choices)
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "book knowledge"
        constraints = [
            models.UniqueConstraint(fields=["annotator", "book"], name="book_knowledge_once"),
            models.CheckConstraint(condition=Q(answer__in=("no", "partly", "yes")), name="book_knowledge_known"),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.book}: {self.answer}"
