"""Qualification: people judge statements of which it is known whether a book supports them, before their first task.

The test is a made summary of a story. A researcher begins with one whose statements are all supported, and changes
about half of them; what people see is the text with these changes. Its `Unit`s have the purpose of qualification, and
so have the tasks on them, so no figure of the study knows of either.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.models.faithfulness import FaithfulnessPlan
from annotation.models.marks import TextSpan
from annotation.models.people import Annotator
from annotation.models.studies import Assignment, Study
from summarizer.models import Summary


class Qualification(models.Model):
    """A plan asks for a test before the first task. Being made until `test` is there; fixed once the plan opens."""

    plan = models.OneToOneField(FaithfulnessPlan, on_delete=models.CASCADE, related_name="qualification")
    #: What the test is made from; its statements are supported.
    original = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="+")
    #: The text as people see it, with all accepted changes; None while it is being made.
    test = models.ForeignKey(Summary, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    #: To pass: at least this share of the statements answered as expected, in percent.
    pass_percent = models.PositiveIntegerField(default=85, validators=[MinValueValidator(1), MaxValueValidator(100)])
    attempts = models.PositiveIntegerField(default=2, validators=[MinValueValidator(1), MaxValueValidator(10)])
    #: How many statements an attempt asks, another draw for each; null = all.
    units_asked = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(2)])
    #: Whoever is done with it (passed, or no attempt left) is shown what was expected.
    answers_shown = models.BooleanField(default=False)
    #: Who said that the book supports every statement that was not changed, and when.
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    checked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["plan"]
        constraints = [
            models.CheckConstraint(
                condition=Q(pass_percent__gte=1, pass_percent__lte=100), name="qualification_pass_is_a_share"
            ),
            models.CheckConstraint(condition=Q(attempts__gte=1), name="qualification_one_attempt_at_least"),
            models.CheckConstraint(
                condition=Q(test__isnull=True, checked_at__isnull=True)
                | Q(test__isnull=False, checked_at__isnull=False),
                name="qualification_checked_if_made",
            ),
        ]

    def __str__(self) -> str:
        return f"Test of {self.plan.study}"


class QualificationUnit(TextSpan):
    """A statement of the original; with an accepted change, people are asked about that instead."""

    qualification = models.ForeignKey(Qualification, on_delete=models.CASCADE, related_name="statements")
    index = models.PositiveIntegerField()
    #: Whether people are asked about it; what is left out stays in the text.
    asked = models.BooleanField(default=True)

    class Meta:
        ordering = ["qualification", "index"]
        constraints = [
            models.UniqueConstraint(fields=["qualification", "index"], name="qualification_unit_index_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="qualification_unit_not_empty"),
        ]


class Perturbation(models.Model):
    """A change of a statement, after which the book does not support it: proposed by a rule or an LLM, or by hand.

    None counts before a researcher accepted it; what was dropped is kept, and not proposed again. So is that an LLM was
    asked and gave no answer that can be used: then there is no text.
    """

    class Kind(models.TextChoices):
        NAMES = "names", "Names swapped"
        NUMBERS = "numbers", "Number changed"
        NEGATION = "negation", "Negation added or removed"
        ANTONYM = "antonym", "Opposite word"
        LLM = "llm", "Changed by an LLM"
        HAND = "hand", "Written by hand"

    class State(models.TextChoices):
        PROPOSED = "proposed", "Proposed"
        ACCEPTED = "accepted", "Accepted"
        DROPPED = "dropped", "Dropped"
        UNREAD = "unread", "No usable answer"

    #: States of a change that stands: a statement has one at most.
    STANDING = (State.PROPOSED, State.ACCEPTED)

    unit = models.ForeignKey(QualificationUnit, on_delete=models.CASCADE, related_name="perturbations")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: What was proposed, and the name of the rules or the model; both empty where a researcher wrote it.
    proposed = models.TextField(blank=True)
    rule = models.CharField(max_length=300, blank=True)
    #: The statement as it is asked, if accepted.
    text = models.TextField(blank=True)
    #: Why an answer can't be used.
    problem = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROPOSED)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["unit", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["unit"], condition=Q(state__in=("proposed", "accepted")), name="perturbation_one_stands"
            ),
            models.CheckConstraint(
                condition=Q(Q(state__in=("proposed", "accepted", "dropped"), problem="") & ~Q(text=""))
                | Q(~Q(problem=""), state="unread", text=""),
                name="perturbation_text_or_problem",
            ),
            models.CheckConstraint(
                condition=Q(state="proposed", decided_at__isnull=True)
                | Q(~Q(state="proposed"), decided_at__isnull=False),
                name="perturbation_decision_dated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.text}"

    @property
    def is_edited(self) -> bool:
        """A researcher changed what was proposed."""
        return bool(self.proposed) and self.proposed != self.text


class QualificationAttempt(models.Model):
    """A person submitted the test; never changed. The answers are the judgements of its task."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="qualification_attempt")
    #: Counted from 1.
    number = models.PositiveIntegerField()
    correct = models.PositiveIntegerField()
    total = models.PositiveIntegerField()
    passed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(correct__lte=F("total")), name="qualification_attempt_within_total"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment.annotator}: {self.correct} of {self.total}"


class QualificationPass(models.Model):
    """A researcher let a person pass: who, when and why."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="qualification_passes")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="qualification_passes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "qualification passes"
        constraints = [models.UniqueConstraint(fields=["study", "annotator"], name="qualification_pass_once")]

    def __str__(self) -> str:
        return f"{self.annotator} passed by hand"
