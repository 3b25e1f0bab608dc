"""A study's plan for faithfulness: making it, its settings, and who does what."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.faithfulness.locking import locked_in_setup, require_running
from annotation.faithfulness.unit_sets import make_units
from annotation.faithfulness.units import UNIT_RULE
from annotation.models import FaithfulnessPlan, Study
from annotation.services.studies import StudyError

LARGEST_OVERLAP = 1000
SETTINGS = {
    "share",
    "units_per_summary",
    "fine_overlap",
    "coarse_overlap",
    "scale",
    "evidence_required",
    "hints",
}


@transaction.atomic
def create_plan(*, study: Study, **settings: Any) -> FaithfulnessPlan:
    """A plan in setup, with the units of the study's summaries cut by the rule. All units are asked if not said else.

    Raises StudyError for a study that has one already or is closed, or settings that can't be.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    require_running(study)
    if FaithfulnessPlan.objects.filter(study=study).exists():
        raise StudyError("This study has a plan for faithfulness already.")
    if "share" not in settings and "units_per_summary" not in settings:
        settings["share"] = 1.0
    plan = FaithfulnessPlan(study=study, unit_rule=UNIT_RULE)
    _set(plan, settings)
    plan.save(force_insert=True)
    make_units(plan=plan)
    return plan


@transaction.atomic
def update_plan(*, plan: FaithfulnessPlan, **changes: Any) -> FaithfulnessPlan:
    """Change settings. Only in setup: people's answers must all be to the same question."""
    plan = locked_in_setup(plan, "The plan has been opened, so its settings stay as people met them.")
    _set(plan, changes)
    plan.save()
    return plan


@transaction.atomic
def delete_plan(*, plan: FaithfulnessPlan) -> None:
    """Remove a plan that nobody has worked on, with its units; its people do nothing here any more."""
    plan = locked_in_setup(plan, "A plan that was opened stays.")
    plan.study.members.update(judges_units=False, rates=False)
    plan.delete()


def _set(plan: FaithfulnessPlan, settings: dict[str, Any]) -> None:
    if unknown := settings.keys() - SETTINGS:
        raise TypeError(f"no settings of a plan: {', '.join(sorted(unknown))}")
    for name, value in settings.items():
        setattr(plan, name, value)
    if settings.get("units_per_summary") is not None and "share" not in settings:
        plan.share = None
    if settings.get("share") is not None and "units_per_summary" not in settings:
        plan.units_per_summary = None
    if (plan.share is None) == (plan.units_per_summary is None):
        raise StudyError("Say how much of a summary each person is asked about: a share or a number of units.")
    if max(plan.fine_overlap, plan.coarse_overlap) > LARGEST_OVERLAP:
        raise StudyError(f"Ask at most {LARGEST_OVERLAP} people about each summary.")
    try:
        plan.full_clean(exclude=["study"], validate_unique=False)
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise StudyError(f"{name.replace('_', ' ').capitalize()}: {messages[0]}") from error
