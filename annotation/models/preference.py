"""Blind comparison of two summaries of one book."""

from django.db import models
from django.db.models import F, Q

from annotation.models.guidelines import GuidelinesVersion
from annotation.models.people import Annotator
from annotation.models.studies import Study
from summarizer.models import Summary, System


class Comparison(models.Model):
    """Two summaries of one book. Answers name the summary, so the order a person saw does not matter here."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comparisons")
    round = models.CharField(max_length=50, default="formal")
    #: The round in which people are asked here; none for an imported comparison. `round` is its name.
    asked_in = models.ForeignKey(
        "annotation.ComparisonRound", null=True, blank=True, on_delete=models.CASCADE, related_name="comparisons"
    )
    first = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Summary, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["study", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "round", "first", "second"], name="comparison_once"),
            models.CheckConstraint(condition=~Q(first=F("second")), name="comparison_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.first} / {self.second}"


class ComparisonAnswer(models.Model):
    """A person's answer to one question about a comparison."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="answers")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="comparison_answers")
    question = models.CharField(max_length=50)
    #: The question's words when it was answered; empty for an imported answer.
    words = models.CharField(max_length=300, blank=True)
    #: "first", "second" or "draw"; "yes" or "no".
    answer = models.CharField(max_length=10)
    comment = models.TextField(blank=True)
    #: The version of the guidelines that the page showed; null where that was not recorded.
    guidelines = models.ForeignKey(
        GuidelinesVersion, null=True, blank=True, on_delete=models.RESTRICT, related_name="comparison_answers"
    )

    class Meta:
        ordering = ["comparison", "id"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "annotator", "question"], name="comparison_answer_once")
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"


class ComparisonTally(models.Model):
    """Answers of an imported round that exist only as counts."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comparison_tallies")
    round = models.CharField(max_length=50)
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="comparison_tallies")
    question = models.CharField(max_length=50)
    #: The preferred system (`answer` empty), or the one that a question answered "yes" or "no" is about; else null.
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    answer = models.CharField(max_length=10, blank=True)
    count = models.PositiveIntegerField()

    class Meta:
        ordering = ["study", "round", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "round", "annotator", "question", "system", "answer"],
                condition=Q(system__isnull=False),
                name="comparison_tally_system_once",
            ),
            models.UniqueConstraint(
                fields=["study", "round", "annotator", "question", "answer"],
                condition=Q(system__isnull=True),
                name="comparison_tally_answer_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.count}"
