"""A person's judgements of the units of a summary: kept as a draft with each change, counted once it is submitted.

A change locks the task's row, so that no answer crosses a submission or the end of the plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Length, Substr
from django.utils import timezone

from annotation.faithfulness.qualifying import record_attempt
from annotation.models import Assignment, Evidence, Purpose, SampledUnit, Study, UnitHints, UnitJudgement
from annotation.selectors.faithfulness_source import source_ranges
from annotation.selectors.faithfulness_tasks import plan_of
from annotation.selectors.fine import is_missing
from annotation.services.faithfulness_errors import (
    FaithfulnessConflict,
    FaithfulnessError,
    FaithfulnessIncomplete,
)
from annotation.services.faithfulness_tasks import end, locked, open_again, require_open
from annotation.services.spans import LARGEST_OFFSET
from summarizer.models import Book

LONGEST_COMMENT = 5000
MOST_EVIDENCE = 50


@dataclass(frozen=True, order=True)
class EvidenceInput:
    """A place `[start, end)` of the book's text, what the sender saw there, and the hint that it was taken from."""

    start: int
    end: int
    quote: str
    hint_rank: int | None = None


@transaction.atomic
def save_judgement(
    *,
    assignment: Assignment,
    position: int,
    base_version: int,
    supported: bool | None,
    comment: str,
    evidence: Sequence[EvidenceInput],
    guidelines_id: int | None = None,
) -> UnitJudgement:
    """Keep a judgement as a draft; `supported` is None while there is no answer. A repeated send changes nothing.

    Raises FaithfulnessError, FaithfulnessConflict or FaithfulnessLocked.
    """
    current = locked(assignment)
    require_open(current)
    places = sorted(evidence)
    _check_evidence(current, places, supported=supported)
    judgement = _judgement(current, position)
    _check_hints(current, judgement, places)
    if _same(judgement, supported, comment, places):
        return judgement
    if base_version != judgement.version:
        raise FaithfulnessConflict(judgement)
    if supported != judgement.supported:
        judgement.judged_at = None if supported is None else timezone.now()
    judgement.supported, judgement.comment = supported, comment
    judgement.version += 1
    judgement.guidelines_id = guidelines_id
    judgement.save(update_fields=["supported", "comment", "judged_at", "version", "guidelines"])
    judgement.evidence.all().delete()
    Evidence.objects.bulk_create(
        Evidence(judgement=judgement, start=each.start, end=each.end, quote=each.quote, hint_rank=each.hint_rank)
        for each in places
    )
    return judgement


@transaction.atomic
def submit_judgements(*, assignment: Assignment) -> Assignment:
    """Make the judgements count, or those of a test an attempt at it. A second submit changes nothing.

    Raises FaithfulnessIncomplete (which units lack something) or FaithfulnessLocked.
    """
    is_test = assignment.purpose == Purpose.QUALIFICATION
    if is_test:  # it decides about tasks: study, then task, as everywhere
        Study.objects.select_for_update().get(pk=assignment.study_id)
    current = locked(assignment)
    if current.state == Assignment.State.SUBMITTED:
        return current
    require_open(current)
    plan = plan_of(current)
    sampled = current.sampled_units.select_related("judgement").prefetch_related("judgement__evidence")
    missing = [str(each.position) for each in sampled if is_missing(each, evidence_required=plan.evidence_required)]
    if missing:
        count = "1 statement is" if len(missing) == 1 else f"{len(missing)} statements are"
        raise FaithfulnessIncomplete(f"{count} not done yet.", missing)
    end(current)
    if is_test:
        record_attempt(current)
    return current


@transaction.atomic
def reopen_judgements(*, assignment: Assignment) -> Assignment:
    """Take a submission back while the plan is open: its judgements are a draft again."""
    return open_again(assignment)


@transaction.atomic
def record_unit_time(
    *, assignment: Assignment, position: int, known_seconds: int, total_seconds: int, hints_viewed: int
) -> UnitJudgement:
    """Set a unit's active time to `total_seconds` if it still is the `known_seconds` that the page last heard of.

    Compare-and-set, so that a repeated send adds nothing twice. `hints_viewed` is the rank of the farthest hint that
    the person looked at; it only grows. Returns what is stored now.
    """
    if total_seconds < known_seconds:
        raise FaithfulnessError("Active time can only grow.")
    current = locked(assignment)
    judgement = _judgement(current, position)
    if current.state == Assignment.State.OPEN and judgement.active_seconds == known_seconds:
        judgement.active_seconds = total_seconds
        judgement.hints_viewed = max(judgement.hints_viewed, hints_viewed)
        judgement.save(update_fields=["active_seconds", "hints_viewed"])
    return judgement


def _judgement(current: Assignment, position: int) -> UnitJudgement:
    sampled = SampledUnit.objects.filter(assignment=current, position=position).first()
    if sampled is None:
        raise FaithfulnessError("This statement is not part of your task.")
    judgement, _ = UnitJudgement.objects.get_or_create(sampled=sampled)
    return judgement


def _same(judgement: UnitJudgement, supported: bool | None, comment: str, places: Sequence[EvidenceInput]) -> bool:
    stored = judgement.evidence.values_list("start", "end", "quote", "hint_rank").order_by("start", "end")
    given = [(each.start, each.end, each.quote, each.hint_rank) for each in places]
    return (judgement.supported, judgement.comment, list(stored)) == (supported, comment, given)


def _check_evidence(current: Assignment, places: Sequence[EvidenceInput], *, supported: bool | None) -> None:
    """Raise FaithfulnessError unless each place lies in the source and quotes it exactly."""
    if not places:
        return
    if not supported:
        raise FaithfulnessError(
            "Evidence shows where the source supports a statement. Answer “supported”, or remove it."
        )
    if len(places) > MOST_EVIDENCE:
        raise FaithfulnessError(f"{MOST_EVIDENCE} places are the most. Remove some of them.")
    if len({(each.start, each.end) for each in places}) < len(places):
        raise FaithfulnessError("The same place is there twice. Remove one of them.")
    book = Book.objects.defer("text").get(summaries=current.summary_id)
    ranges = source_ranges(book)
    for each in places:
        if not 0 <= each.start < each.end <= LARGEST_OFFSET:
            raise FaithfulnessError(f"[{each.start}, {each.end}) is no place: it must end after its start.")
        if not any(start <= each.start and each.end <= end for start, end in ranges):
            raise FaithfulnessError("This place is not in the source: its section is left out. Mark another one.")
        if not each.quote.strip():
            raise FaithfulnessError("This place holds only white space. Mark some words.")
    _check_quotes(book, places)


def _check_hints(current: Assignment, judgement: UnitJudgement, places: Sequence[EvidenceInput]) -> None:
    """Raise FaithfulnessError unless each place that names a hint is that hint: what hints change is reported."""
    ranked = [([each.start, each.end], each.hint_rank) for each in places if each.hint_rank is not None]
    if not ranked:
        return
    if not current.unit_sample.hints_shown:
        raise FaithfulnessError("This task is done without hints.")
    stored = UnitHints.objects.filter(unit=judgement.sampled.unit_id).values_list("places", flat=True).first() or []
    if any(place not in stored[rank - 1 : rank] for place, rank in ranked):
        raise FaithfulnessError("This place is not the hint that it is said to be. Reload the page.")


def _check_quotes(book: Book, places: Sequence[EvidenceInput]) -> None:
    """The database cuts the text, so the book is not loaded for a save."""
    slices = [Substr("text", each.start + 1, each.end - each.start) for each in places]
    length, *texts = Book.objects.values_list(Length("text"), *slices).get(pk=book.pk)
    for each, text in zip(places, texts, strict=True):
        if each.end > length or each.quote != text:
            raise FaithfulnessError(
                f"The source at [{each.start}, {each.end}) is {text!r}, not {each.quote!r}. Reload the page."
            )
