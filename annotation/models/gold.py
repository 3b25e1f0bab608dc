"""The gold set of a summary: what researchers decided about the marks of others. No figure counts it as a person's."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.marks import Annotation, ErrorType, TextSpan
from annotation.models.studies import Study
from summarizer.models import Summary


class GoldSet(models.Model):
    """All decisions on one summary of a study; made with the first of them."""

    class State(models.TextChoices):
        OPEN = "open", "Open"
        FINISHED = "finished", "Finished"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="gold_sets")
    summary = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="gold_sets")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    #: Grows with every change; each has a GoldEvent of that number.
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "summary"]
        constraints = [
            models.UniqueConstraint(fields=["study", "summary"], name="gold_set_once"),
            models.CheckConstraint(condition=Q(state__in=("open", "finished")), name="gold_set_state_known"),
        ]

    def __str__(self) -> str:
        return f"Gold set of {self.summary} in {self.study}"


class GoldDecision(models.Model):
    """A mark of the gold set, taken from marks of others or added; or that marks of others are not in it, and why."""

    class Outcome(models.TextChoices):
        MARK = "mark", "In the gold set"
        REJECTED = "rejected", "Rejected"

    gold_set = models.ForeignKey(GoldSet, on_delete=models.CASCADE, related_name="decisions")
    #: Made by the browser, so that a repeated send changes nothing.
    client_key = models.UUIDField()
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    questions = models.TextField(blank=True)
    error_types = models.ManyToManyField(ErrorType, through="GoldErrorType", related_name="gold_decisions", blank=True)
    #: Why marks were rejected.
    reason = models.CharField(max_length=1000, blank=True)
    #: The version of the set in which it last changed.
    version = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    #: Who that was, in exports and after the account is gone.
    pseudonym = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["gold_set", "client_key"], name="gold_decision_sent_once"),
            models.CheckConstraint(
                condition=Q(outcome="mark", reason="") | (Q(outcome="rejected") & ~Q(reason="")),
                name="gold_rejection_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.questions or self.reason}"


class GoldErrorType(models.Model):
    """A mark of the gold set has an error type, which can't be deleted while it does."""

    decision = models.ForeignKey(GoldDecision, on_delete=models.CASCADE, related_name="+")
    errortype = models.ForeignKey(ErrorType, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["decision", "errortype"], name="gold_error_type_once")]

    def __str__(self) -> str:
        return f"{self.decision}: {self.errortype}"


class GoldSpan(TextSpan):
    """A place of a mark of the gold set, or of two that it relates; a rejection has none."""

    decision = models.ForeignKey(GoldDecision, on_delete=models.CASCADE, related_name="spans")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["decision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["decision", "position"], name="gold_span_position_once"),
            models.CheckConstraint(condition=Q(position__in=(0, 1)), name="gold_span_first_or_second"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="gold_span_not_empty"),
        ]


class GoldSource(models.Model):
    """A mark that a decision is about, as it was then; it has one decision at most."""

    decision = models.ForeignKey(GoldDecision, on_delete=models.CASCADE, related_name="sources")
    gold_set = models.ForeignKey(GoldSet, on_delete=models.CASCADE, related_name="sources")
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="gold_sources")
    #: The mark's version; if it changed since, the page says so.
    annotation_version = models.PositiveIntegerField()

    class Meta:
        ordering = ["decision", "annotation"]
        constraints = [models.UniqueConstraint(fields=["gold_set", "annotation"], name="gold_source_decided_once")]

    def __str__(self) -> str:
        return f"{self.annotation} in {self.decision}"


class GoldEvent(models.Model):
    """Who did what when, in order. Only a withdrawal empties the content of those that hold words of whoever left."""

    class Act(models.TextChoices):
        DECIDED = "decided", "Decided"
        CHANGED = "changed", "Changed"
        TAKEN_BACK = "taken back", "Taken back"
        FINISHED = "finished", "Finished"
        REOPENED = "reopened", "Reopened"

    gold_set = models.ForeignKey(GoldSet, on_delete=models.CASCADE, related_name="events")
    #: The set's version that this act made.
    version = models.PositiveIntegerField()
    act = models.CharField(max_length=10, choices=Act.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    pseudonym = models.CharField(max_length=200)
    at = models.DateTimeField(auto_now_add=True)
    #: The decision that was made, changed or taken back; none where the set was finished or reopened.
    client_key = models.UUIDField(null=True, blank=True)
    #: The decision as it was after the act (before, if it was taken back): outcome, questions, error_types, spans,
    #: sources (ids of marks), reason.
    content = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["gold_set", "version"]
        constraints = [models.UniqueConstraint(fields=["gold_set", "version"], name="gold_event_version_once")]

    def __str__(self) -> str:
        return f"{self.act} {self.at}"
