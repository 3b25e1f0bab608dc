"""Summaries whose confusing places are known, as attention checks or for training, and marks planted in a review.

What people make of them is in no figure: their tasks, sets and review items are no rows of `objects` (see `Purpose`).
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.marks import Annotation, ErrorType, TextSpan
from annotation.models.studies import Purpose, Study
from summarizer.models import Summary


class KnownSummary(models.Model):
    """A summary whose confusing places researchers know; it is none of the study's own summaries."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="known_summaries")
    summary = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="known_in")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "known summaries"
        constraints = [models.UniqueConstraint(fields=["study", "summary"], name="known_summary_once")]

    def __str__(self) -> str:
        return f"{self.summary} ({self.get_purpose_display()})"


class KnownPlace(TextSpan):
    """A confusing place."""

    known = models.ForeignKey(KnownSummary, on_delete=models.CASCADE, related_name="places")
    #: For training: why it confuses, and the kinds of error that fit.
    explanation = models.TextField(blank=True)
    error_types = models.ManyToManyField(ErrorType, related_name="+", blank=True)

    class Meta:
        ordering = ["known", "start", "end"]
        constraints = [
            models.UniqueConstraint(fields=["known", "start", "end"], name="known_place_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="known_place_not_empty"),
        ]


class PlantedMark(models.Model):
    """A mark that a researcher wrote for a review, and the answer that it should get."""

    class Expected(models.TextChoices):
        AGREE = "agree", "Agree: the question is plainly right"
        DISAGREE = "disagree", "Disagree: the question is plainly wrong"

    annotation = models.OneToOneField(Annotation, on_delete=models.CASCADE, related_name="planted")
    expected = models.CharField(max_length=10, choices=Expected.choices)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(expected__in=("agree", "disagree")), name="planted_mark_expected_known")
        ]

    def __str__(self) -> str:
        return f"{self.annotation}: {self.expected}"
