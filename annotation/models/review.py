"""Blind review: marks shown without their origin."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.guidelines import GuidelinesVersion
from annotation.models.marks import Annotation
from annotation.models.people import Annotator
from annotation.models.studies import ShownAs, Study


class StudyItems(models.Manager["ReviewItem"]):
    def get_queryset(self) -> models.QuerySet[ReviewItem]:
        return super().get_queryset().filter(planted=False)


class ReviewItem(models.Model):
    """A mark to review. `key` is opaque and `order` a stored shuffle; neither depends on the mark's source.

    `objects`, and so `study.review_items`, has the marks that count; `with_planted` what reviewers get and
    are paid for.
    """

    key = models.UUIDField(unique=True)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="review_items")
    annotation = models.ForeignKey(Annotation, on_delete=models.PROTECT, related_name="review_items")
    order = models.PositiveIntegerField()
    #: Planted by a researcher, as an attention check.
    planted = models.BooleanField(default=False)

    objects = StudyItems()
    with_planted: models.Manager[ReviewItem] = models.Manager()

    class Meta:
        ordering = ["study", "order"]
        constraints = [
            models.UniqueConstraint(fields=["study", "annotation"], name="review_item_once"),
            models.UniqueConstraint(fields=["study", "order"], name="review_item_order_once"),
        ]

    def __str__(self) -> str:
        return f"Review item {self.order + 1}"


class StudyDecisions(models.Manager["ReviewDecision"]):
    def get_queryset(self) -> models.QuerySet[ReviewDecision]:
        return super().get_queryset().filter(item__planted=False)


class ReviewDecision(models.Model):
    """What a reviewer thinks of a mark. It can be changed until the reviewer submits the task.

    `objects` has the decisions that count; those on planted marks are in `with_planted` alone.
    """

    class Agreement(models.TextChoices):
        AGREE = "agree", "Agree"
        PARTIAL = "partial", "Partially agree"
        DISAGREE = "disagree", "Disagree"

    class Reason(models.TextChoices):
        """The standards that a question can fail (BooookScore, appendix J)."""

        NOT_RELEVANT = "not-relevant", "Not relevant to the span"
        ANSWERED = "answered", "Answered in the summary"
        DOES_NOT_MATTER = "does-not-matter", "Not about something that matters"
        OTHER = "other", "Other"

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="decisions")
    reviewer = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="review_decisions")
    agreement = models.CharField(max_length=10, choices=Agreement.choices)
    #: Keys of `Reason`, for partial agreement.
    reasons = models.JSONField(default=list, blank=True)
    comment = models.TextField(blank=True)
    #: The version of the guidelines that the page showed; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="review_decisions"
    )
    #: How the reviewer saw the place of the mark.
    shown_as = models.CharField(max_length=10, choices=ShownAs.choices, default=ShownAs.MARKED)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = StudyDecisions()
    with_planted: models.Manager[ReviewDecision] = models.Manager()

    class Meta:
        ordering = ["item", "id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "reviewer"], name="review_decision_once"),
            models.CheckConstraint(
                condition=Q(agreement__in=("agree", "partial", "disagree")), name="review_agreement_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.agreement}"
