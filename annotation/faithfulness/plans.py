"""A study's plan for faithfulness: making it, its settings, and who does what."""

from collections.abc import Collection
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.faithfulness.locking import locked_in_setup, locked_plan, require_no_judge, require_running
from annotation.faithfulness.qualifications import delete_qualification
from annotation.faithfulness.selectors import COARSE, FINE, checkers_of, checking_too, plan_problems
from annotation.faithfulness.tasks import fill_checking, give_back_tasks
from annotation.faithfulness.unit_sets import make_units
from annotation.faithfulness.units import UNIT_RULE
from annotation.models import Annotator, FaithfulnessPlan, Qualification, Study
from annotation.services.assignment import Filled, release_tasks
from annotation.services.studies import StudyError, add_member

State = FaithfulnessPlan.State
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
    """Remove a plan that nobody has worked on, with its units; its people do nothing here any more.

    Raises StudyError for one that was opened, or whose units a judge was asked about.
    """
    plan = locked_in_setup(plan, "A plan that was opened stays.")
    require_no_judge(plan)
    plan.study.members.update(judges_units=False, rates=False)
    if qualification := Qualification.objects.filter(plan=plan).first():
        delete_qualification(qualification=qualification)
    plan.delete()


@transaction.atomic
def set_checkers(*, plan: FaithfulnessPlan, fine: Collection[int], coarse: Collection[int]) -> None:
    """Say which members judge units and which rate, by annotator. Whoever no longer does loses open tasks to others.

    Raises StudyError where somebody would do both, or would change from one to the other with tasks submitted.
    """
    plan = locked_plan(plan)
    study = plan.study
    if plan.state == State.CLOSED:
        raise StudyError("The plan is closed. Reopen it to change who does what.")
    if both := set(fine) & set(coarse):
        names = _names(both)
        raise StudyError(f"{names} can’t do both: whoever judged units no longer rates at first sight. Choose one.")
    for member in study.members.select_related("annotator"):
        wanted = {"judges_units": member.annotator_id in set(fine), "rates": member.annotator_id in set(coarse)}
        if (member.judges_units, member.rates) == tuple(wanted.values()):
            continue
        if not (any(wanted.values()) or member.annotates or member.reviews or member.compares):
            raise StudyError(f"{member.annotator} would do nothing in this study. Take them out under People instead.")
        other = [task for task, does in ((COARSE, wanted["judges_units"]), (FINE, wanted["rates"])) if does]
        if study.assignments.filter(task__in=other, annotator=member.annotator_id).exists():
            raise StudyError(
                f"{member.annotator} was given tasks of the other kind in this study, so they can’t change sides: "
                "choose somebody else."
            )
        add_member(
            study=study, annotator=member.annotator, annotates=member.annotates, reviews=member.reviews, **wanted
        )


@transaction.atomic
def leave_only_checking(*, plan: FaithfulnessPlan) -> int:
    """Take annotating and reviewing from whoever judges units or rates; returns from how many people.

    Only while plan and study are set up: until then nobody has such work.
    """
    plan = locked_in_setup(plan, "This plan has been opened already.")
    if plan.study.phase != Study.Phase.SETUP:
        raise StudyError("Annotating has been opened. Change what people do under People.")
    members = checking_too(checkers_of(plan.study))
    for member in members:
        add_member(study=plan.study, annotator=member.annotator, annotates=False, reviews=False)
    return len(members)


@transaction.atomic
def open_plan(*, plan: FaithfulnessPlan) -> FaithfulnessPlan:
    """Give out the tasks. Raises StudyError where something is missing (see `plan_problems`)."""
    plan = locked_in_setup(plan, "This plan has been opened already.")
    if problems := plan_problems(plan):
        raise StudyError(" ".join(problems))
    _enter(plan, State.OPEN)
    fill_checking(study=plan.study)
    return plan


@transaction.atomic
def close_plan(*, plan: FaithfulnessPlan) -> FaithfulnessPlan:
    """End the work: open tasks end without counting, their drafts stay stored; what was submitted stays."""
    plan = locked_plan(plan)
    if plan.state == State.SETUP:
        raise StudyError("This plan has not been opened, so there is nothing to close.")
    _enter(plan, State.CLOSED)
    for task in (FINE, COARSE):
        release_tasks(study=plan.study, task=task)
    return plan


@transaction.atomic
def reopen_plan(*, plan: FaithfulnessPlan) -> Filled:
    """Go on: tasks that ended when it was closed go back to their people, the rest to others. Returns what was given.

    People who were shown results in between are asked nothing more about these books.
    """
    plan = locked_plan(plan)
    if plan.state != State.CLOSED:
        raise StudyError("Only a closed plan can be reopened.")
    if plan.is_imported:
        raise StudyError("These judgements were imported. To ask people here, make another study of the summaries.")
    _enter(plan, State.OPEN)
    back = give_back_tasks(plan)
    filled = fill_checking(study=plan.study)
    return Filled(given=back + filled.given, free=filled.free)


def _enter(plan: FaithfulnessPlan, state: str) -> None:
    plan.state = state
    plan.save(update_fields=["state"])


def _names(annotators: Collection[int]) -> str:
    return ", ".join(
        Annotator.objects.filter(pk__in=annotators).order_by("pseudonym").values_list("pseudonym", flat=True)
    )


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
