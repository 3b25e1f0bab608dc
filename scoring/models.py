"""What the application keeps about results of its own and of others."""

from typing import Any

from django.conf import settings
from django.db import models

from annotation.models import Study
from summarizer.models import Summary


class MetricValue(models.Model):
    """A figure about a summary that was computed elsewhere: ROUGE, BLANC, SUPERT, ..."""

    summary = models.ForeignKey(Summary, on_delete=models.CASCADE, related_name="metric_values")
    name = models.CharField(max_length=100)
    value = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["summary", "name"]
        constraints = [models.UniqueConstraint(fields=["summary", "name"], name="metric_value_once")]

    def __str__(self) -> str:
        return f"{self.name} of {self.summary}: {self.value}"


class StudyExport(models.Model):
    """A file that a worker makes of a study; it can be downloaded until it expires."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Being made"
        DONE = "done", "Ready"
        FAILED = "failed", "Failed"

    #: States in which something is still to come.
    UNFINISHED = (State.QUEUED, State.RUNNING)

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    #: Key of a format in `scoring.exports.formats`.
    form = models.CharField(max_length=20)
    with_source = models.BooleanField(default=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    #: The last sign of life of the worker that makes it, and how often one began.
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveIntegerField(default=0)
    #: Records written so far.
    records = models.PositiveIntegerField(default=0)
    #: Bytes of the file.
    size = models.PositiveBigIntegerField(null=True, blank=True)
    problem = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: When the state of the study was read that the file holds.
    read_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.form} of {self.study}"

    @property
    def under_way(self) -> bool:
        return self.state in self.UNFINISHED


class ExportPiece(models.Model):
    """A stretch of an export's file, compressed by itself. In the database, which all machines share."""

    export = models.ForeignKey(StudyExport, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["export", "number"]
        constraints = [models.UniqueConstraint(fields=["export", "number"], name="export_piece_once")]

    def __str__(self) -> str:
        return f"{self.export}, piece {self.number + 1}"


class Report(models.Model):
    """The report of a study as it was on a day: version `number`. Written once, never changed.

    `content` is JSON as text (see `scoring.report.frozen`): figures, tables and pictures, and what they were made with.
    People are in it as "Person 1" and so on, and there is nothing that anybody wrote about a summary, so it stays as it
    is when somebody withdraws.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    number = models.PositiveIntegerField()
    note = models.CharField(max_length=1000)
    content = models.TextField()
    #: Of the content in UTF-8.
    content_sha256 = models.CharField(max_length=64)
    #: Named on pages; gone with the login.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    #: The same person in what leaves the application; stays.
    pseudonym = models.CharField(max_length=200)
    #: When its figures were read.
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "-number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="report_number_once")]

    def __str__(self) -> str:
        return f"Report {self.number} of {self.study}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises TypeError for a report that is stored already."""
        if not self._state.adding:
            raise TypeError("A frozen report never changes.")
        super().save(*args, **kwargs)
