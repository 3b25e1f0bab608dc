"""Marks on summaries: what confused a reader, where, and why. People and judges write the same rows."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.models.guidelines import GuidelinesVersion
from annotation.models.people import Annotator
from annotation.models.studies import Purpose, Study
from summarizer.models import LLMCall, Sentence, Summary


class ErrorType(models.Model):
    """One of the coherence error types. A used one can be retired, never deleted."""

    key = models.CharField(max_length=50, unique=True)
    name = models.CharField(max_length=100)
    #: Two letters for those who can't tell the colours apart.
    tag = models.CharField(max_length=2)
    definition = models.TextField()
    example = models.TextField(blank=True)
    #: Name of a colour token in static/css/tokens.css.
    colour = models.CharField(max_length=30)
    order = models.PositiveIntegerField()
    retired = models.BooleanField(default=False)

    class Meta:
        ordering = ["order"]

    def __str__(self) -> str:
        return self.name


class StudySets(models.Manager["AnnotationSet"]):
    def get_queryset(self) -> models.QuerySet[AnnotationSet]:
        return super().get_queryset().filter(purpose=Purpose.STUDY)


class AnnotationSet(models.Model):
    """All marks of one annotator on one summary. Submitted and empty means "looked and found nothing".

    A person's set belongs to a study; a judge's to none, because a judge marks a summary once for all studies.
    `objects`, and so `study.annotation_sets`, has the sets that count; attention checks are in `all_purposes` alone.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        SUBMITTED = "submitted", "Submitted"
        SKIPPED = "skipped", "Skipped"

    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="annotation_sets")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="annotation_sets")
    summary = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="annotation_sets")
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.STUDY)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    #: Grows with every change; a change states the version it was based on.
    version = models.PositiveIntegerField(default=0)
    active_seconds = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    #: Why a person left a summary out.
    skip_reason = models.CharField(max_length=500, blank=True)
    #: The version of the guidelines that the page showed when it was submitted; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="annotation_sets"
    )

    objects = StudySets()
    all_purposes: models.Manager[AnnotationSet] = models.Manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "annotator", "summary"], name="annotation_set_once"),
            models.UniqueConstraint(
                fields=["annotator", "summary"], condition=Q(study__isnull=True), name="judge_annotation_set_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.summary}"


class Annotation(models.Model):
    """One mark: questions about one span, or about two spans together (a relation)."""

    annotation_set = models.ForeignKey(AnnotationSet, on_delete=models.CASCADE, related_name="annotations")
    #: Made by whoever writes it (the browser), so that a repeated send changes nothing.
    client_key = models.UUIDField()
    questions = models.TextField(blank=True)
    error_types = models.ManyToManyField(
        ErrorType, through="AnnotationErrorType", related_name="annotations", blank=True
    )
    #: The version of the set in which this mark last changed, so that no number ever stands for two contents.
    version = models.PositiveIntegerField(default=1)
    #: What an import had to guess, for example "span occurs 3 times".
    flags = models.JSONField(default=list, blank=True)
    #: The version of the guidelines that the page showed when it last changed; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="annotations"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["annotation_set", "client_key"], name="annotation_sent_once")]

    def __str__(self) -> str:
        return f"Mark {self.pk}"


class AnnotationErrorType(models.Model):
    """A mark has an error type. The type can't be deleted while it does, or the mark would lose it without a word."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="+")
    errortype = models.ForeignKey(ErrorType, on_delete=models.PROTECT, related_name="+")

    class Meta:
        db_table = "annotation_annotation_error_types"
        unique_together = [("annotation", "errortype")]

    def __str__(self) -> str:
        return f"{self.annotation}: {self.errortype}"


class TextSpan(models.Model):
    """`[start, end)` in code points of the summary's text; `quote` is exactly that slice."""

    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"[{self.start}, {self.end})"


class Span(TextSpan):
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="spans")
    #: 0, or 1 for the second span of a relation.
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["annotation", "position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "position"], name="span_position_once"),
            models.CheckConstraint(condition=Q(position__in=(0, 1)), name="span_position_first_or_second"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="span_not_empty"),
        ]


class Verdict(models.Model):
    """A judge on one sentence. Unparsed is never clean."""

    class State(models.TextChoices):
        CLEAN = "clean", "Clean"
        CONFUSED = "confused", "Confused"
        UNPARSED = "unparsed", "Unparsed"

    annotation_set = models.ForeignKey(AnnotationSet, on_delete=models.CASCADE, related_name="verdicts")
    sentence = models.ForeignKey(Sentence, on_delete=models.CASCADE, related_name="verdicts")
    state = models.CharField(max_length=10, choices=State.choices)
    #: The mark of a confused sentence.
    annotation = models.OneToOneField(
        Annotation, null=True, blank=True, on_delete=models.CASCADE, related_name="verdict"
    )
    call = models.ForeignKey(LLMCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="verdicts")
    #: Why an answer could not be read.
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["annotation_set", "sentence"]
        constraints = [
            models.UniqueConstraint(fields=["annotation_set", "sentence"], name="verdict_once"),
            models.CheckConstraint(
                condition=Q(state="confused") | Q(annotation__isnull=True), name="only_confused_has_mark"
            ),
            models.CheckConstraint(
                condition=~Q(state="confused") | Q(annotation__isnull=False), name="confused_has_mark"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sentence}: {self.state}"
