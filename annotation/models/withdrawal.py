"""The log of people who withdrew from a study: that it happened, and how much was removed."""

from django.conf import settings
from django.db import models

from annotation.models.people import Annotator
from annotation.models.studies import Study


class Withdrawal(models.Model):
    """Nothing that the person did in the study is stored any more; never deleted, and never undone."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="withdrawals")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="withdrawals")
    at = models.DateTimeField(auto_now_add=True)
    #: The researcher who did it; none where the person did, or the login is gone.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by_themselves = models.BooleanField()
    #: How many rows of each kind were removed (see `selectors.withdrawals.PersonData`).
    removed = models.JSONField(default=dict)
    #: US dollars, as it was before the work was removed: what had been paid, and what was still due.
    paid = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    due = models.DecimalField(max_digits=10, decimal_places=2, default=0)

    class Meta:
        ordering = ["study", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "annotator"], name="withdrawal_once")]

    def __str__(self) -> str:
        return f"{self.annotator} withdrew from {self.study}"
