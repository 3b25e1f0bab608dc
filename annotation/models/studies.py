"""Studies: which summaries people and judges mark, who does what, and how far it is."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.validators import MinValueValidator, URLValidator
from django.db import models
from django.db.models import Q

from annotation.models.people import Annotator
from summarizer.models import Summary

if TYPE_CHECKING:
    from annotation.models.preference import Comparison


class ShownAs(models.TextChoices):
    """How a review shows the places of marks."""

    MARKED = "marked", "As they were marked"
    SNAPPED = "snapped", "Snapped to their sentences"


class Purpose(models.TextChoices):
    """What a task, or a set of marks, is for. Only those of the study itself count in its figures."""

    STUDY = "study", "The study"
    CHECK = "check", "Attention check"
    TRAINING = "training", "Training"
    PLANTED = "planted", "Planted for a review"
    QUALIFICATION = "qualify", "Qualification test"


#: Tasks that come before a person's own: no work, not paid, in no list of tasks.
BEFORE_TASKS = (Purpose.TRAINING, Purpose.QUALIFICATION)


def money_field() -> models.DecimalField[Decimal | str | float | None, Decimal | None]:
    return models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(Decimal(0))]
    )


class Study(models.Model):
    class Phase(models.TextChoices):
        SETUP = "setup", "Being set up"
        ANNOTATING = "annotating", "Annotating"
        REVIEWING = "reviewing", "Reviewing"
        CLOSED = "closed", "Closed"

    name = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=300)
    #: Markdown, shown to annotators: the text of the newest GuidelinesVersion.
    guidelines = models.TextField(blank=True)
    phase = models.CharField(max_length=12, choices=Phase.choices, default=Phase.SETUP)
    summaries = models.ManyToManyField(Summary, related_name="studies", blank=True)
    #: Judges whose marks count in this study. A judge marks a summary once, for all studies.
    judges = models.ManyToManyField(
        Annotator, related_name="judged_studies", blank=True, limit_choices_to={"kind": "judge"}
    )
    #: How many people annotate each summary, and how many review each mark.
    annotation_overlap = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    #: 0 = the study has no review.
    review_overlap = models.PositiveIntegerField(default=1)
    #: The blind review.
    types_shown_in_review = models.BooleanField(default=False)
    review_shown_as = models.CharField(max_length=10, choices=ShownAs.choices, default=ShownAs.MARKED)
    # Deadlines: the last day of each kind of task (see `annotation.deadlines`).
    annotate_by = models.DateField(null=True, blank=True)
    review_by = models.DateField(null=True, blank=True)
    compare_by = models.DateField(null=True, blank=True)
    faithfulness_by = models.DateField(null=True, blank=True)
    # Pay in US dollars; null = not paid. Each kind of work is paid by what is done or by the hour, annotating never
    # by the mark.
    pay_per_summary = money_field()
    pay_per_hour = money_field()
    pay_per_reviewed_summary = money_field()
    pay_per_reviewed_mark = money_field()
    pay_per_review_hour = money_field()
    pay_per_comparison = money_field()
    pay_per_comparison_hour = money_field()
    pay_per_unit = money_field()
    pay_per_unit_hour = money_field()
    pay_per_rating = money_field()
    pay_per_rating_hour = money_field()
    # People: people are asked, once for each book, whether they had read it before their first task on it.
    asks_about_book = models.BooleanField(default=False)
    #: What a platform asks of people who have done all their tasks, and where they go back to.
    completion_code = models.CharField(max_length=100, blank=True)
    completion_url = models.CharField(max_length=500, blank=True, validators=[URLValidator(schemes=["https"])])
    #: Seeds the order of review items and the assignment.
    seed = models.PositiveIntegerField(default=0)
    #: What an import could not take over or had to guess: [{"where", "what"}].
    import_notes = models.JSONField(default=list, blank=True)
    is_sample = models.BooleanField(default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(pay_per_summary__isnull=True) | Q(pay_per_hour__isnull=True), name="study_pays_one_way"
            ),
            models.CheckConstraint(
                condition=Q(pay_per_review_hour__isnull=True)
                | Q(pay_per_reviewed_summary__isnull=True, pay_per_reviewed_mark__isnull=True),
                name="study_pays_reviews_one_way",
            ),
            models.CheckConstraint(
                condition=Q(pay_per_comparison__isnull=True) | Q(pay_per_comparison_hour__isnull=True),
                name="study_pays_comparisons_one_way",
            ),
            models.CheckConstraint(
                condition=Q(pay_per_unit__isnull=True) | Q(pay_per_unit_hour__isnull=True),
                name="study_pays_units_one_way",
            ),
            models.CheckConstraint(
                condition=Q(pay_per_rating__isnull=True) | Q(pay_per_rating_hour__isnull=True),
                name="study_pays_ratings_one_way",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class StudyMember(models.Model):
    """A person's part in a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="members")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="memberships")
    annotates = models.BooleanField(default=True)
    reviews = models.BooleanField(default=True)
    #: Compares summaries in the study's comparison rounds.
    compares = models.BooleanField(default=False)
    # In the study's faithfulness plan: judges units (FINE), or rates whole summaries (COARSE). Nobody does both in one
    # study, because whoever checked a summary clause by clause no longer rates it at first sight, and the reverse.
    judges_units = models.BooleanField(default=False)
    rates = models.BooleanField(default=False)
    # How people came, by which groups of them are compared: the link, or what researchers call the group instead.
    invitation = models.ForeignKey(
        "annotation.Invitation", null=True, blank=True, on_delete=models.SET_NULL, related_name="members"
    )
    label = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["study", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "annotator"], name="study_member_once"),
            models.CheckConstraint(
                condition=Q(judges_units=False) | Q(rates=False), name="study_member_judges_units_or_rates"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} in {self.study}"


class MarksSeen(models.Model):
    """A person was shown who marked what on a summary, so they can no longer judge it on their own."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="+")
    first_seen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "marks seen"
        constraints = [models.UniqueConstraint(fields=["user", "summary"], name="marks_seen_once")]

    def __str__(self) -> str:
        return f"{self.user} saw the marks on {self.summary}"


class StudyTasks(models.Manager["Assignment"]):
    def get_queryset(self) -> models.QuerySet[Assignment]:
        return super().get_queryset().filter(purpose=Purpose.STUDY)


class Assignment(models.Model):
    """One task of one person: annotate a summary, review all marks on it, check it against the book, or compare two.

    Checked against the book is a summary unit by unit (FINE) or as a whole (COARSE).

    `key` is opaque and is the only name of the task in addresses. `objects`, and so `study.assignments`, has the tasks
    that count; a person's own pages and pay ask `all_purposes`, in which attention checks are tasks like others.
    """

    class Task(models.TextChoices):
        ANNOTATE = "annotate", "Annotate"
        REVIEW = "review", "Review"
        COMPARE = "compare", "Compare"
        FINE = "fine", "Judge units"
        COARSE = "coarse", "Rate"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        SUBMITTED = "submitted", "Submitted"
        SKIPPED = "skipped", "Skipped"

    key = models.UUIDField(unique=True)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="assignments")
    task = models.CharField(max_length=10, choices=Task.choices)
    #: None where two summaries are compared.
    summary = models.ForeignKey(Summary, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments")
    comparison = models.ForeignKey(
        "annotation.Comparison", null=True, blank=True, on_delete=models.PROTECT, related_name="assignments"
    )
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.STUDY)
    #: Position in the person's list.
    order = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    #: Active time on a review; sets of marks, sheets of comparisons, judgements of units and ratings have their own.
    active_seconds = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    #: Marks that were reviewed in this task before their maker withdrew: paid for, and counted nowhere else.
    withdrawn_marks = models.PositiveIntegerField(default=0)

    objects = StudyTasks()
    all_purposes: models.Manager[Assignment] = models.Manager()

    class Meta:
        ordering = ["study", "annotator", "order", "id"]
        constraints = [
            # Every attempt at a qualification test is a task of its own.
            models.UniqueConstraint(
                fields=["study", "annotator", "task", "summary"],
                condition=~Q(purpose="qualify"),
                name="assignment_once",
            ),
            models.UniqueConstraint(
                fields=["study", "annotator", "order"], condition=Q(purpose="qualify"), name="assignment_attempt_once"
            ),
            models.UniqueConstraint(fields=["study", "annotator", "comparison"], name="assignment_compared_once"),
            models.CheckConstraint(
                condition=Q(task="compare", summary__isnull=True, comparison__isnull=False)
                | Q(~Q(task="compare"), summary__isnull=False, comparison__isnull=True),
                name="assignment_of_summary_or_comparison",
            ),
            models.CheckConstraint(
                condition=Q(state="open", ended_at__isnull=True) | Q(~Q(state="open"), ended_at__isnull=False),
                name="assignment_end_dated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.task} {self.summary or self.comparison}"

    @property
    def only_summary(self) -> Summary:
        """The summary of a task that is about one (annotate, review)."""
        if self.summary is None:
            raise TypeError(f"{self} is not about one summary.")
        return self.summary

    @property
    def compared(self) -> Comparison:
        """The two summaries of a task that compares them."""
        if self.comparison is None:
            raise TypeError(f"{self} compares no summaries.")
        return self.comparison
