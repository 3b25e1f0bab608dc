"""Setting up a study and leading it through its phases: setup -> annotating -> reviewing -> closed."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from secrets import randbelow
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.core.validators import slug_re
from django.db import IntegrityError, transaction

from annotation.deadlines import DEADLINE_FIELDS
from annotation.error_types import ensure_error_types
from annotation.faithfulness.tasks import fill_checking
from annotation.models import (
    Annotator,
    Assignment,
    ComparisonRound,
    FaithfulnessPlan,
    ReviewItem,
    Study,
    StudyMember,
)
from annotation.pay import PAY_FIELDS
from annotation.selectors.known import planted_marks
from annotation.selectors.review import marks_to_review
from annotation.selectors.studies import annotating_problems, coming_review_problems, review_gaps, review_problems
from annotation.services.assignment import Filled, fill_tasks, release_tasks
from annotation.services.comparison_tasks import fill_comparisons
from annotation.services.guidelines import first_version
from summarizer.models import Summary

DEFAULT_GUIDELINES = Path(__file__).parents[1] / "default_guidelines.md"
RESERVED_NAMES = {"new"}

REVIEW_SETTINGS = {"review_overlap", "review_shown_as", "types_shown_in_review"}
#: Settings that can be changed in a phase; a later phase must not change what was already answered under them.
CHANGEABLE = {
    Study.Phase.SETUP: {"title", "annotation_overlap", "asks_about_book", *REVIEW_SETTINGS},
    Study.Phase.ANNOTATING: {"title", "asks_about_book", *REVIEW_SETTINGS},
    Study.Phase.REVIEWING: {"title", "asks_about_book"},
    Study.Phase.CLOSED: {"title"},
}


#: Settings that can be changed in every phase.
TERMS = {"completion_code", "completion_url", *DEADLINE_FIELDS, *PAY_FIELDS}


#: What a member does -> the tasks for it.
TASK_OF_ROLE = {
    "annotates": Assignment.Task.ANNOTATE,
    "reviews": Assignment.Task.REVIEW,
    "compares": Assignment.Task.COMPARE,
    "judges_units": Assignment.Task.FINE,
    "rates": Assignment.Task.COARSE,
}
LONGEST_LABEL = 100


class StudyError(Exception):
    """What can't be done with a study now, and what to do instead."""


def default_guidelines() -> str:
    """What a new study starts with; researchers change it as they like."""
    return DEFAULT_GUIDELINES.read_text(encoding="utf-8")


def are_untouched(guidelines: str) -> bool:
    """Whether these are the ones that a study begins with. They tell how to mark, and not to look the book up."""
    return guidelines.strip() == default_guidelines().strip()


def create_study(*, name: str, title: str = "", **settings: Any) -> Study:
    """A study in setup. `settings` are further fields of `Study`; the title defaults to the name.

    Raises StudyError for a name that is taken or is no slug.
    """
    check_new_name(name)
    # A form sends CRLF; versions are told apart by their text.
    settings["guidelines"] = settings.get("guidelines", default_guidelines()).replace("\r\n", "\n")
    settings.setdefault("seed", randbelow(2**31))
    study = Study(name=name, title=title.strip() or name, **settings)
    try:
        with transaction.atomic():
            ensure_error_types()
            study.full_clean(exclude=["created_by"], validate_unique=False)
            study.save(force_insert=True)
            first_version(study=study, author_id=study.created_by_id)
    except ValidationError as error:
        raise StudyError(_first_message(error)) from error
    except IntegrityError as error:
        raise StudyError(f"There is already a study named “{name}”. Choose another name.") from error
    return study


def check_new_name(name: str) -> None:
    """Raises StudyError for a name that no study can have."""
    if not slug_re.fullmatch(name):
        raise StudyError(f"“{name}” can't name a study. Use letters, digits, hyphens and underscores, no spaces.")
    if name in RESERVED_NAMES:
        raise StudyError(f"“{name}” is used in addresses. Choose another name.")


@transaction.atomic
def update_study(*, study: Study, **changes: Any) -> Study:
    """Change settings. Raises StudyError for one that can't be changed in the study's phase."""
    study = _locked(study)
    changed = {name: value for name, value in changes.items() if getattr(study, name) != value}
    if fixed := sorted(set(changed) - CHANGEABLE[Study.Phase(study.phase)] - TERMS):
        names = ", ".join(name.replace("_", " ") for name in fixed)
        raise StudyError(f"Work on this study has begun, so this can no longer be changed: {names}.")
    fewer_reviewers = changed.get("review_overlap", study.review_overlap) <= study.review_overlap
    for name, value in changed.items():
        setattr(study, name, value)
    if not fewer_reviewers and (problems := coming_review_problems(study)):
        raise StudyError(" ".join(problems))
    try:
        study.full_clean(validate_unique=False)
    except ValidationError as error:
        raise StudyError(_first_message(error)) from error
    study.save(update_fields=list(changed))
    return study


@transaction.atomic
def add_summaries(*, study: Study, summaries: Iterable[Summary]) -> int:
    """Returns how many were new to the study."""
    study = _locked(study)
    _require(study, "Summaries can be added only while a study is being set up.", Study.Phase.SETUP)
    _require_unopened_plan(study)
    before = study.summaries.count()
    study.summaries.add(*summaries)
    if title := _met_twice(study):
        raise StudyError(
            f"A known summary of “{title}” is in this study, as an attention check or for training. Take it out "
            "first, or leave summaries of this book out of the study."
        )
    return study.summaries.count() - before


def _met_twice(study: Study) -> str:
    """The title of a known summary whose book is the study's too. Known texts have a book of their own: titles tell."""
    own = {title.casefold() for title in study.summaries.values_list("book__title", flat=True)}
    known = study.known_summaries.values_list("summary__book__title", flat=True)
    return next((title for title in known if title.casefold() in own), "")


@transaction.atomic
def remove_summaries(*, study: Study, summaries: Iterable[Summary]) -> None:
    study = _locked(study)
    _require(study, "Summaries can be taken out only while a study is being set up.", Study.Phase.SETUP)
    _require_unopened_plan(study)
    study.summaries.remove(*summaries)


def add_judge(*, study: Study, judge: Annotator) -> None:
    """Count the judge's marks in the study. A review that is open already does not change."""
    if judge.kind != Annotator.Kind.JUDGE:
        raise StudyError(f"{judge} is a person, not a judge. Add people as members.")
    if judge.mode == Annotator.Mode.UNIT:
        raise StudyError(f"{judge} judges units and makes no marks. Its verdicts stand with the study's faithfulness.")
    study.judges.add(judge)


@transaction.atomic
def remove_judge(*, study: Study, judge: Annotator) -> None:
    study = _locked(study)
    if study.review_items.filter(annotation__annotation_set__annotator=judge).exists():
        raise StudyError(f"Marks of {judge} are in this study's review, so it can no longer be taken out.")
    study.judges.remove(judge)


@transaction.atomic
def add_member(
    *,
    study: Study,
    annotator: Annotator,
    annotates: bool = True,
    reviews: bool = True,
    compares: bool | None = None,
    judges_units: bool | None = None,
    rates: bool | None = None,
) -> StudyMember:
    """Make a person a member, or change what a member does; what may be None stays as it is if not given.

    While people work, free tasks are given out at once; tasks of a kind that the person no longer does are released
    for others.
    """
    study = _locked(study)
    if annotator.kind != Annotator.Kind.PERSON:
        raise StudyError(f"{annotator} is a judge, not a person. Add it under judges.")
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; nobody can join it any more.")
    if study.withdrawals.filter(annotator=annotator).exists():
        raise StudyError(f"{annotator} withdrew from this study and can't take part in it again: they know its texts.")
    now = study.members.filter(annotator=annotator).first() or StudyMember(study=study, annotator=annotator)
    does = {
        "annotates": annotates,
        "reviews": reviews,
        "compares": now.compares if compares is None else compares,
        "judges_units": now.judges_units if judges_units is None else judges_units,
        "rates": now.rates if rates is None else rates,
    }
    if not any(does.values()):
        raise StudyError("Choose what this person does: annotate, review or compare.")
    if does["judges_units"] and does["rates"]:
        raise StudyError("Nobody judges units and rates in one study. Choose one of the two.")
    member, _ = StudyMember.objects.update_or_create(study=study, annotator=annotator, defaults=does)
    for role, task in TASK_OF_ROLE.items():
        if not does[role]:
            release_tasks(study=study, annotator_id=annotator.pk, task=task)
    fill_free_tasks(study=study)
    return member


@transaction.atomic
def add_members(*, study: Study, annotators: Iterable[Annotator]) -> None:
    """Make people members who annotate and review; who is one already stays as they are. Tasks are given out once."""
    study = _locked(study)
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; nobody can join it any more.")
    people = {annotator.pk: annotator for annotator in annotators}
    if gone := study.withdrawals.filter(annotator__in=people).select_related("annotator").first():
        raise StudyError(f"{gone.annotator} withdrew from this study and can't take part in it again.")
    inside = set(study.members.filter(annotator__in=people).values_list("annotator", flat=True))
    StudyMember.objects.bulk_create(StudyMember(study=study, annotator_id=pk) for pk in people if pk not in inside)
    fill_free_tasks(study=study)


@transaction.atomic
def label_members(*, study: Study, labels: Mapping[int, str]) -> None:
    """What researchers call groups of people: by member; an empty label takes it away. Raises StudyError."""
    study = _locked(study)
    for pk, text in labels.items():
        label = " ".join(text.replace("\0", "").split())
        if len(label) > LONGEST_LABEL:
            raise StudyError(f"A label has at most {LONGEST_LABEL} characters.")
        study.members.filter(pk=pk).exclude(label=label).update(label=label)


@transaction.atomic
def remove_member(*, study: Study, member: StudyMember) -> Filled:
    """A person leaves: what they handed in stays, their open tasks go to others. Returns what could be given out."""
    study = _locked(study)
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; its members stay as they are.")
    release_tasks(study=study, annotator_id=member.annotator_id)
    member.delete()
    return fill_free_tasks(study=study)


def fill_free_tasks(*, study: Study) -> Filled:
    """Give out tasks that nobody has, of the kind that the study's phase allows, of open rounds and of an open plan."""
    annotating = study.phase == Study.Phase.ANNOTATING
    filled = fill_tasks(study=study, task=Assignment.Task.ANNOTATE if annotating else Assignment.Task.REVIEW)
    compared = fill_comparisons(study=study)
    checking = fill_checking(study=study)
    return Filled(given=filled.given + compared.given + checking.given, free=checking.free)


@transaction.atomic
def open_annotating(*, study: Study) -> Study:
    """Give out the annotation tasks. Raises StudyError where something is missing (see `annotating_problems`)."""
    study = _locked(study)
    _require(study, "Annotating can be opened only once, from a study that is being set up.", Study.Phase.SETUP)
    if problems := annotating_problems(study):
        raise StudyError(" ".join(problems))
    _enter(study, Study.Phase.ANNOTATING)
    fill_tasks(study=study, task=Assignment.Task.ANNOTATE)
    return study


@transaction.atomic
def open_review(*, study: Study, accept_incomplete: bool = False) -> Study:
    """Make the review: all marks in a stored random order that mixes their sources, and the reviewers' tasks.

    Raises StudyError where something is missing (`review_problems`), or where work is not finished (`review_gaps`)
    unless `accept_incomplete`: then open annotation tasks end without counting.
    """
    study = _locked(study)
    _require(study, "The review can be opened only while the study is annotating.", Study.Phase.ANNOTATING)
    if problems := review_problems(study):
        raise StudyError(" ".join(problems))
    gaps = review_gaps(study)
    if gaps and not accept_incomplete:
        raise StudyError(" ".join([*gaps, "Wait for the rest, or confirm that the review goes without it."]))
    release_tasks(study=study, task=Assignment.Task.ANNOTATE)
    _make_review_items(study)
    _enter(study, Study.Phase.REVIEWING)
    fill_tasks(study=study, task=Assignment.Task.REVIEW)
    return study


@transaction.atomic
def close_study(*, study: Study) -> Study:
    """End all work. Open tasks end without counting; what was handed in stays."""
    study = _locked(study)
    rounds = study.comparison_rounds.all()
    plans = FaithfulnessPlan.objects.filter(study=study)
    begun = rounds.exclude(state=ComparisonRound.State.SETUP).exists()
    begun = begun or plans.exclude(state=FaithfulnessPlan.State.SETUP).exists()
    if study.phase == Study.Phase.SETUP and not begun:
        raise StudyError("This study has not begun, so there is nothing to close.")
    if study.phase == Study.Phase.CLOSED:
        return study
    release_tasks(study=study)
    rounds.filter(state=ComparisonRound.State.OPEN).update(state=ComparisonRound.State.CLOSED)
    plans.filter(state=FaithfulnessPlan.State.OPEN).update(state=FaithfulnessPlan.State.CLOSED)
    _enter(study, Study.Phase.CLOSED)
    return study


def _make_review_items(study: Study) -> None:
    """Planted marks come where there are others, so that no summary is reviewed for their sake alone."""
    found = dict(marks_to_review(study).order_by("pk").values_list("pk", "annotation_set__summary"))
    planted = set(planted_marks(study, list(set(found.values()))))
    marks = [*found, *sorted(planted)]
    Random(f"{study.seed} review").shuffle(marks)
    ReviewItem.objects.bulk_create(
        ReviewItem(key=uuid4(), study=study, annotation_id=mark, order=order, planted=mark in planted)
        for order, mark in enumerate(marks)
    )


def _locked(study: Study) -> Study:
    return Study.objects.select_for_update().get(pk=study.pk)


def _require(study: Study, otherwise: str, phase: str) -> None:
    if study.phase != phase:
        raise StudyError(f"{otherwise} This study is: {study.get_phase_display().lower()}.")


def _require_unopened_plan(study: Study) -> None:
    if FaithfulnessPlan.objects.filter(study=study).exclude(state=FaithfulnessPlan.State.SETUP).exists():
        raise StudyError("People were asked how faithful the summaries of this study are, so these stay as they are.")


def _enter(study: Study, phase: str) -> None:
    study.phase = phase
    study.save(update_fields=["phase"])


def _first_message(error: ValidationError) -> str:
    field, messages = next(iter(error.message_dict.items()))
    return f"{field.replace('_', ' ').capitalize()}: {messages[0]}"
