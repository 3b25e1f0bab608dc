"""The act that ends a study's blind review: who opened the sources of its marks, when and why."""

from django.conf import settings
from django.db import models

from annotation.models.studies import Study


class Unblinding(models.Model):
    """Written once a study; from then on its sources can be seen and its review takes no more decisions."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="unblinding")
    #: Named on the study's page; gone with the login.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    #: The same person in what leaves the application; stays.
    pseudonym = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=1000)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.study} was unblinded"
