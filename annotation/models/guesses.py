"""Whether a review was blind: reviewers guess at its end who made some of the marks."""

from django.db import models
from django.db.models import Q

from annotation.models.review import ReviewItem
from annotation.models.studies import Assignment


class OriginGuess(models.Model):
    """A mark that was drawn from a review task, and what its reviewer guessed; the row is the stored draw."""

    class Guess(models.TextChoices):
        PERSON = "person", "A person"
        LLM = "llm", "An LLM"
        UNKNOWN = "unknown", "Can’t tell"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="origin_guesses")
    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="origin_guesses")
    order = models.PositiveIntegerField()
    #: Empty until it is given.
    guess = models.CharField(max_length=10, choices=Guess.choices, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["assignment", "order"]
        verbose_name_plural = "origin guesses"
        constraints = [
            models.UniqueConstraint(fields=["assignment", "item"], name="origin_guess_once"),
            models.CheckConstraint(condition=Q(guess__in=("", "person", "llm", "unknown")), name="origin_guess_known"),
        ]

    def __str__(self) -> str:
        return f"{self.item}: {self.guess or 'not guessed yet'}"
