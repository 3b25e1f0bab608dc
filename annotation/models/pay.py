"""What people were paid."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models

from annotation.models.people import Annotator
from annotation.models.studies import Study


class Payment(models.Model):
    """A researcher noted that a person was paid. Never deleted: one that was noted by mistake is undone."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="payments")
    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="payments")
    #: US dollars.
    amount = models.DecimalField(max_digits=10, decimal_places=2, validators=[MinValueValidator(0)])
    paid_at = models.DateTimeField(auto_now_add=True)
    noted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study", "id"]
        constraints = [models.CheckConstraint(condition=models.Q(amount__gt=0), name="payment_of_something")]

    def __str__(self) -> str:
        return f"${self.amount} to {self.annotator}"
