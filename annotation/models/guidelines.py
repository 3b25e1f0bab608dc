"""The versions of a study's guidelines, and which one a person has read."""

from django.conf import settings
from django.db import models

from annotation.models.people import Annotator
from annotation.models.studies import Study


class GuidelinesVersion(models.Model):
    """Guidelines as they were from one change to the next; never changed. The newest one's text is the study's."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="guidelines_versions")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    #: What changed, for those who have read the version before.
    note = models.CharField(max_length=500, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="guidelines_version_once")]

    def __str__(self) -> str:
        return f"Version {self.number}"


class GuidelinesRead(models.Model):
    """The newest version that was put before a person, so that they are told of a change until they look at it."""

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="+")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    version = models.ForeignKey(GuidelinesVersion, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["annotator", "study"], name="guidelines_read_once")]

    def __str__(self) -> str:
        return f"{self.annotator} has read {self.version}"
