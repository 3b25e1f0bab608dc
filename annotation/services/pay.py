"""Noting that people were paid, and taking such a note back."""

from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotation.access import Login, id_of
from annotation.models import Payment, Study
from annotation.selectors.pay import pay_of


class PayError(Exception):
    """What can't be noted, and why."""


@transaction.atomic
def note_payment(*, study: Study, annotator_id: int, amount: Decimal, by: Login) -> Payment:
    """The person was paid what is due to them. `amount` is what the page showed: a second click pays nothing twice.

    Raises PayError where another amount is due now.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    pay = pay_of(study, annotator_id)
    if pay is None or pay.due <= 0:
        raise PayError("Nothing is due to this person any more. The table shows how it is now.")
    if pay.due != amount:
        raise PayError(
            f"${pay.due} is due to {pay.annotator} now, no longer ${amount}: the work went on or the pay changed. "
            "Nothing was noted; look at the table again."
        )
    return Payment.objects.create(study=study, annotator_id=annotator_id, amount=amount, noted_by_id=id_of(by))


def undo_payment(*, study: Study, payment_id: int) -> None:
    """Take back the note of a payment; undone twice is undone once. Raises PayError for one of another study."""
    payments = Payment.objects.filter(study=study, pk=payment_id)
    if not payments.exists():
        raise PayError("There is no such payment in this study.")
    payments.filter(undone_at=None).update(undone_at=timezone.now())
