"""People compare: rounds of comparisons, their questions, and what each person saw and answered."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.models.studies import Assignment, Study


class ComparisonRound(models.Model):
    """Comparisons that people are asked for together, under one set of questions."""

    class State(models.TextChoices):
        SETUP = "setup", "Being set up"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comparison_rounds")
    name = models.CharField(max_length=50)
    #: How many people compare each pair.
    overlap = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    state = models.CharField(max_length=10, choices=State.choices, default=State.SETUP)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="comparison_round_once")]

    def __str__(self) -> str:
        return self.name


class ComparisonQuestion(models.Model):
    """A question of a round. It can be changed until the round opens; an answer also keeps the words it was given to.

    An answer is stored under `key`, or under `key` with "-first" or "-second" where each of the two is asked about.
    """

    class Kind(models.TextChoices):
        CHOICE = "choice", "One of the two, or a draw"
        YES_NO = "yes-no", "Yes or no"
        EACH = "each", "Yes or no, about each of the two"

    round = models.ForeignKey(ComparisonRound, on_delete=models.CASCADE, related_name="questions")
    key = models.SlugField(max_length=40)
    words = models.CharField(max_length=300)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.CHOICE)
    order = models.PositiveIntegerField()
    asks_comment = models.BooleanField(default=True)
    required = models.BooleanField(default=True)

    class Meta:
        ordering = ["round", "order"]
        constraints = [
            models.UniqueConstraint(fields=["round", "key"], name="comparison_question_once"),
            models.UniqueConstraint(fields=["round", "order"], name="comparison_question_order_once"),
            models.CheckConstraint(
                condition=Q(kind__in=("choice", "yes-no", "each")), name="comparison_question_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.words


class ComparisonSheet(models.Model):
    """What one person sees and answers: which summary is A, and the answers in the person's own terms.

    These answers are a draft until the task is submitted; only then they become `ComparisonAnswer` rows.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="comparison_sheet")
    #: Whether summary A, on the left, is the comparison's first.
    first_is_a = models.BooleanField()
    #: By slot ("detail", "omission-a"): {"answer": "a" | "b" | "draw" | "yes" | "no" | "", "comment", "version"}.
    answers = models.JSONField(default=dict, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"Sheet of {self.assignment}"
