"""Annotators: people and judges write the same rows."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from summarizer.models import Endpoint, PromptSet


class Annotator(models.Model):
    """A person or a judge, under a pseudonym.

    A judge is an endpoint with a prompt set, a mode and parameters; a second run of it (`repeat`) is a second judge.
    One that judges units (`UnitVerdict`) marks nothing, so no figure has it beside those that judge sentences. A judge
    without an endpoint was imported. A person without a user was imported, is a sample, or has left.
    """

    class Kind(models.TextChoices):
        PERSON = "person", "Person"
        JUDGE = "judge", "Judge"

    class Mode(models.TextChoices):
        SENTENCE = "sentence", "Sentence by sentence"
        BATCH = "batch", "Several sentences a call"
        UNIT = "unit", "Unit by unit, beside the book"

    class AbsentRule(models.TextChoices):
        """What a summary that an imported judge's file does not list means."""

        PUBLISHED = "published", "The prompt's demonstrations are not judged, all others had nothing found"
        NOTHING_FOUND = "nothing-found", "Judged, nothing found"
        NOT_JUDGED = "not-judged", "Not judged"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: Shown to researchers and in exports: a person's pseudonym, a judge's name.
    pseudonym = models.CharField(max_length=200, unique=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="annotator"
    )
    #: When the person's account was deleted: the data stays under the pseudonym, and nobody is behind it any more.
    left_at = models.DateTimeField(null=True, blank=True)
    #: Made up for the demo; every figure that uses it says so.
    is_sample = models.BooleanField(default=False)
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="judges")
    prompt_set = models.ForeignKey(PromptSet, null=True, blank=True, on_delete=models.PROTECT, related_name="judges")
    model = models.CharField(max_length=200, blank=True)
    mode = models.CharField(max_length=10, choices=Mode.choices, blank=True)
    #: Sentences that a call asks about at most: in batch mode; 1 where that means nothing or is not known.
    batch_size = models.PositiveIntegerField(default=1)
    #: Passages of the book that a call shows at most, for a judge of units; 0 for others.
    passages = models.PositiveIntegerField(default=0)
    temperature = models.FloatField(null=True, blank=True)
    max_answer_tokens = models.PositiveIntegerField(null=True, blank=True)
    repeat = models.PositiveIntegerField(default=1)
    absent_rule = models.CharField(max_length=20, choices=AbsentRule.choices, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pseudonym"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "endpoint",
                    "model",
                    "prompt_set",
                    "mode",
                    "batch_size",
                    "passages",
                    "temperature",
                    "max_answer_tokens",
                    "repeat",
                ],
                condition=Q(kind="judge", endpoint__isnull=False),
                name="judge_parameters_once",
            ),
            models.CheckConstraint(condition=Q(kind="person") | Q(user__isnull=True), name="judge_has_no_login"),
            models.CheckConstraint(condition=Q(kind="judge") | Q(endpoint__isnull=True), name="person_has_no_endpoint"),
            models.CheckConstraint(condition=Q(left_at__isnull=True) | Q(user__isnull=True), name="left_has_no_login"),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def is_baseline(self) -> bool:
        """A judge that needs no LLM; every page that shows its marks says so (but never a blind one)."""
        return self.endpoint is not None and not self.endpoint.is_llm
