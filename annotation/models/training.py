"""Training: people mark known summaries and are told what was expected, before their first task of a study."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from annotation.models.known import KnownSummary
from annotation.models.people import Annotator
from annotation.models.studies import Study


class Training(models.Model):
    """A study asks for training, on its known summaries of that purpose, one after the other.

    If it qualifies, a person is done with the first of them that they pass, and out after the last that they don't.
    If not, they are done after the last.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="training")
    qualifies = models.BooleanField(default=False)
    #: To pass: at least this share of the known places touched, in percent.
    pass_percent = models.PositiveIntegerField(default=50, validators=[MinValueValidator(1), MaxValueValidator(100)])
    #: And at most so many marks elsewhere per 100 sentences without a known place; null = any number.
    marks_allowed = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["study"]

    def __str__(self) -> str:
        return f"Training of {self.study}"


class TrainingAttempt(models.Model):
    """A person submitted a training summary; never changed. Its marks are the person's set on that summary."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="training_attempts")
    known = models.ForeignKey(KnownSummary, on_delete=models.PROTECT, related_name="attempts")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="training_attempts")
    places = models.PositiveIntegerField()
    touched = models.PositiveIntegerField()
    marks_elsewhere = models.PositiveIntegerField()
    sentences_elsewhere = models.PositiveIntegerField()
    #: The person is done with the training by it.
    passed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["known", "annotator"], name="training_attempt_once")]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.touched} of {self.places}"

    @property
    def per_hundred(self) -> float | None:
        """Marks per 100 sentences without a known place; None where there are no such sentences."""
        return 100 * self.marks_elsewhere / self.sentences_elsewhere if self.sentences_elsewhere else None


class TrainingPass(models.Model):
    """A researcher let a person pass: who, when and why."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="training_passes")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="training_passes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "training passes"
        constraints = [models.UniqueConstraint(fields=["study", "annotator"], name="training_pass_once")]

    def __str__(self) -> str:
        return f"{self.annotator} passed by hand"
