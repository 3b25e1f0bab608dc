"""What is true of units, as researchers found it: people are measured by it."""

from collections.abc import Mapping

from django.db import transaction

from annotation.models import FaithfulnessPlan
from annotation.services.studies import StudyError
from summarizer.models import Summary

UNITS_MAY_CHANGE = "Open the plan first: until then units can be cut anew, and what you said about them would be lost."


@transaction.atomic
def set_truths(*, plan: FaithfulnessPlan, summary: Summary, truths: Mapping[int, bool | None]) -> None:
    """`truths`: id of a unit of the summary -> whether the book supports it, or None for not known; others stay.

    Raises StudyError while the plan is being set up.
    """
    if plan.state == FaithfulnessPlan.State.SETUP:
        raise StudyError(UNITS_MAY_CHANGE)
    units = plan.units.filter(summary=summary, same_as=None)
    for value in (True, False, None):
        units.filter(pk__in=[unit for unit, truth in truths.items() if truth is value]).update(expected=value)
