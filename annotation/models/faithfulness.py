"""Faithfulness, clause by clause: what people check against the book, what each is asked, and what they answer."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.models.guidelines import GuidelinesVersion
from annotation.models.marks import TextSpan
from annotation.models.people import Annotator
from annotation.models.studies import Assignment, Purpose, Study
from summarizer.models import LLMCall, Summary


class FaithfulnessPlan(models.Model):
    """A study asks how faithful its summaries are. Opens and closes on its own, beside the study's phases."""

    #: The rule of units that came with judgements from elsewhere.
    IMPORTED = "imported"

    class State(models.TextChoices):
        SETUP = "setup", "Being set up"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    class Scale(models.TextChoices):
        """Of whole-summary ratings; `annotation.faithfulness.scales` has their ends and the map to 0-100."""

        FROM_0_TO_5 = "0-5", "0 to 5"
        FROM_1_TO_5 = "1-5", "1 to 5"
        FROM_0_TO_100 = "0-100", "0 to 100"

    class Hints(models.TextChoices):
        ALWAYS = "always", "Always"
        NEVER = "never", "Never"
        RANDOMISED = "randomised", "For half of the tasks, by lot"

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="faithfulness")
    state = models.CharField(max_length=10, choices=State.choices, default=State.SETUP)
    #: Name and version of the rule that cut the units, or "imported".
    unit_rule = models.CharField(max_length=50)
    # How many units of a summary each person is asked about: a share of them, or a number.
    share = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0.01), MaxValueValidator(1.0)])
    units_per_summary = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    #: How many people judge the units of each summary, and how many rate it as a whole; 0 = that is not asked.
    fine_overlap = models.PositiveIntegerField(default=3)
    coarse_overlap = models.PositiveIntegerField(default=0)
    scale = models.CharField(max_length=10, choices=Scale.choices, default=Scale.FROM_0_TO_5)
    #: Who calls a unit supported has to show a place of the book.
    evidence_required = models.BooleanField(default=True)
    hints = models.CharField(max_length=12, choices=Hints.choices, default=Hints.ALWAYS)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study"]
        constraints = [
            models.CheckConstraint(
                condition=Q(share__isnull=False, units_per_summary__isnull=True)
                | Q(share__isnull=True, units_per_summary__isnull=False),
                name="faithfulness_share_or_number",
            ),
            models.CheckConstraint(
                condition=Q(share__isnull=True) | Q(share__gt=0, share__lte=1), name="faithfulness_share_of_one"
            ),
            models.CheckConstraint(
                condition=Q(units_per_summary__isnull=True) | Q(units_per_summary__gte=1),
                name="faithfulness_one_unit_at_least",
            ),
            models.CheckConstraint(condition=Q(state__in=("setup", "open", "closed")), name="faithfulness_state_known"),
            models.CheckConstraint(condition=Q(scale__in=("0-5", "1-5", "0-100")), name="faithfulness_scale_known"),
            models.CheckConstraint(
                condition=Q(hints__in=("always", "never", "randomised")), name="faithfulness_hints_known"
            ),
        ]

    def __str__(self) -> str:
        return f"Faithfulness of {self.study}"

    @property
    def is_imported(self) -> bool:
        """Its units and judgements came from elsewhere; nobody is asked or paid here."""
        return self.unit_rule == self.IMPORTED


class StudyUnits(models.Manager["Unit"]):
    def get_queryset(self) -> models.QuerySet["Unit"]:
        return super().get_queryset().filter(purpose=Purpose.STUDY)


class Unit(TextSpan):
    """A clause-like piece of a summary, inside one sentence. The units of a summary cover all but its white space.

    `objects`, and so `plan.units`, has those of the study's summaries; those of its qualification test are in
    `all_purposes` alone.
    """

    plan = models.ForeignKey(FaithfulnessPlan, on_delete=models.CASCADE, related_name="units")
    summary = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="units")
    purpose = models.CharField(max_length=10, choices=Purpose.choices, default=Purpose.STUDY)
    index = models.PositiveIntegerField()
    #: The first unit of the summary that says the same. Who judges that one has judged this one too: it is not asked
    #: again, and counts again.
    same_as = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="repeats")
    #: A researcher chose where it begins or ends.
    by_hand = models.BooleanField(default=False)
    #: Whether the book supports it, as a researcher found; None where that is not known. It measures people, is never
    #: shown to them and counts in no score.
    expected = models.BooleanField(null=True, blank=True)

    objects = StudyUnits()
    all_purposes: models.Manager["Unit"] = models.Manager()

    class Meta:
        ordering = ["plan", "summary", "index"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "summary", "index"], name="unit_index_once"),
            models.UniqueConstraint(fields=["plan", "summary", "start"], name="unit_start_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="unit_not_empty"),
            models.CheckConstraint(condition=~Q(same_as=F("id")), name="unit_not_same_as_itself"),
        ]


class UnitHints(models.Model):
    """The places of the book that a rule found for a unit: made once, so that everybody is shown the same."""

    unit = models.OneToOneField(Unit, on_delete=models.CASCADE, related_name="hints")
    #: The unit's text that was asked about, and the name and version of the rule.
    asked = models.TextField()
    rule = models.CharField(max_length=100)
    #: `[[start, end], ...]` in the BOOK's text, the likeliest first.
    places = models.JSONField(default=list)

    class Meta:
        ordering = ["unit"]
        verbose_name_plural = "unit hints"

    def __str__(self) -> str:
        return f"Hints for {self.unit}"


class UnitSample(models.Model):
    """How the units of a FINE task were drawn, and whether its person is shown hints."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="unit_sample")
    #: Drawing again with it from the same units gives the same ones (`annotation.faithfulness.sampling`).
    seed = models.CharField(max_length=200)
    hints_shown = models.BooleanField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"Sample of {self.assignment}"


class SampledUnit(models.Model):
    """A unit that a FINE task asks about; never one that is the same as another (see `Unit.same_as`)."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="sampled_units")
    unit = models.ForeignKey(Unit, on_delete=models.RESTRICT, related_name="sampled")
    #: In which place it is asked, counted from 0: they are asked in the order of the text.
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["assignment", "position"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "unit"], name="sampled_unit_once"),
            models.UniqueConstraint(fields=["assignment", "position"], name="sampled_unit_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.unit} in {self.assignment}"


class UnitJudgement(models.Model):
    """A person on a unit: does the book support it? A draft until the task is submitted."""

    sampled = models.OneToOneField(SampledUnit, on_delete=models.CASCADE, related_name="judgement")
    #: None while there is no answer yet, but a comment, evidence or time.
    supported = models.BooleanField(null=True, blank=True)
    comment = models.TextField(blank=True)
    #: The time that the unit was in view and the person at work.
    active_seconds = models.PositiveIntegerField(default=0)
    #: How many hints the person looked at for it.
    hints_viewed = models.PositiveIntegerField(default=0)
    #: Grows with every change; a change states the version it was based on.
    version = models.PositiveIntegerField(default=0)
    #: When the answer was given, or last changed; null where an imported one says nothing of it.
    judged_at = models.DateTimeField(null=True, blank=True)
    #: The version of the guidelines that the page showed when it last changed; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="unit_judgements"
    )

    class Meta:
        ordering = ["sampled"]
        constraints = [
            models.CheckConstraint(
                condition=Q(supported__isnull=False) | Q(judged_at__isnull=True), name="unit_judgement_dated_if_given"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sampled}: {self.supported}"


class Evidence(TextSpan):
    """Where the book supports a unit: offsets into the BOOK's text. `quote` is empty where that text is not here."""

    judgement = models.ForeignKey(UnitJudgement, on_delete=models.CASCADE, related_name="evidence")
    #: The rank of the hint that it was taken from, counted from 1; null where the person marked the place themselves.
    hint_rank = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["judgement", "start", "end"]
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(fields=["judgement", "start", "end"], name="evidence_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="evidence_not_empty"),
            models.CheckConstraint(
                condition=Q(hint_rank__isnull=True) | Q(hint_rank__gte=1), name="evidence_rank_from_one"
            ),
        ]


class Rating(models.Model):
    """A person on a summary as a whole, on the plan's scale. A draft until the task is submitted."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="rating")
    #: None while there is no answer yet.
    value = models.PositiveIntegerField(null=True, blank=True, validators=[MaxValueValidator(100)])
    comment = models.TextField(blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    rated_at = models.DateTimeField(null=True, blank=True)
    #: What it was before the person looked at their ratings of the book's summaries together and changed it.
    first_value = models.PositiveIntegerField(null=True, blank=True, validators=[MaxValueValidator(100)])
    recalibrated_at = models.DateTimeField(null=True, blank=True)
    #: The version of the guidelines that the page showed when it last changed; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="ratings"
    )

    class Meta:
        ordering = ["assignment"]
        constraints = [
            models.CheckConstraint(condition=Q(value__isnull=True) | Q(value__lte=100), name="rating_at_most_100"),
            models.CheckConstraint(
                condition=Q(first_value__isnull=True) | Q(first_value__lte=100), name="rating_first_at_most_100"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | Q(rated_at__isnull=True, first_value__isnull=True),
                name="rating_dated_if_given",
            ),
            models.CheckConstraint(
                condition=Q(first_value__isnull=True, recalibrated_at__isnull=True)
                | Q(first_value__isnull=False, recalibrated_at__isnull=False),
                name="rating_recalibration_dated",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}: {self.value}"


class UnitVerdict(models.Model):
    """A judge on a unit, from passages of the book. Unparsed is never supported, and never unsupported either."""

    class State(models.TextChoices):
        SUPPORTED = "supported", "Supported"
        UNSUPPORTED = "unsupported", "Not supported"
        UNPARSED = "unparsed", "Unparsed"

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="unit_verdicts")
    #: Never one that is the same as another (see `Unit.same_as`).
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="verdicts")
    state = models.CharField(max_length=11, choices=State.choices)
    call = models.ForeignKey(LLMCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="unit_verdicts")
    #: `[[start, end], ...]` in the BOOK's text: what the judge was shown of it, in its order.
    passages = models.JSONField(default=list)
    #: Name and version of the rule that chose them.
    rule = models.CharField(max_length=100)
    #: Why an answer could not be read.
    problem = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["annotator", "unit"]
        constraints = [
            models.UniqueConstraint(fields=["annotator", "unit"], name="unit_verdict_once"),
            models.CheckConstraint(
                condition=Q(state__in=("supported", "unsupported", "unparsed")), name="unit_verdict_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state="unparsed") | Q(problem=""), name="unit_verdict_problem_only_if_unparsed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator} on {self.unit}: {self.state}"
