"""Writing gold sets: what researchers decide about the marks on a summary.

A change takes its turn with one UPDATE that raises the set's version, and only while the set is open: lock and check in
one, the same on SQLite and PostgreSQL. Each change names the version of the decision that it was based on, and leaves
a `GoldEvent`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.access import Login, annotator_of, id_of
from annotation.models import (
    Annotation,
    AnnotationSet,
    ErrorType,
    GoldDecision,
    GoldErrorType,
    GoldEvent,
    GoldSet,
    GoldSource,
    GoldSpan,
    Study,
)
from annotation.selectors.gold import decision_content, marks_to_decide, read_decisions, undecided_marks
from annotation.services.mark_errors import InvalidMark, MarkConflict, MarkError, NotEditable
from annotation.services.mark_types import error_types_named
from annotation.services.spans import SpanInput, check_quotes, check_shapes, places, span_rows
from summarizer.models import Summary

Outcome = GoldDecision.Outcome
Act = GoldEvent.Act


class MarksDecidedAlready(MarkError):
    """Another decision, perhaps of a colleague, is about the same marks."""

    code = "decided"


class GoldUndecided(MarkError):
    """The set can't be finished while marks wait for a decision."""

    code = "incomplete"


@dataclass(frozen=True)
class GoldContent:
    """A decision: a mark of the gold set (`spans`, `questions`, types), or a rejection (`reason`).

    `sources` are ids of the marks that it is about; a mark without any is one that nobody had made.
    """

    outcome: str
    questions: str = ""
    error_types: Collection[str] = ()
    spans: Sequence[SpanInput] = ()
    sources: Collection[int] = field(default_factory=tuple)
    reason: str = ""


@transaction.atomic
def decide(
    *, study: Study, summary: Summary, user: Login, client_key: UUID, base_version: int, content: GoldContent
) -> GoldDecision:
    """Make a decision (`base_version` 0) or change the one with this `client_key`; a repeated send changes nothing.

    Raises `InvalidMark`, `MarkConflict` (with the current decision), `MarksDecidedAlready`, or `NotEditable`.
    """
    _check(summary, content)
    gold_set, _ = GoldSet.objects.get_or_create(study=study, summary=summary)
    version = _take_turn(gold_set)
    current = _find(gold_set, client_key)
    if current and _same(current, content):
        transaction.set_rollback(True)  # the turn taken above is given back
        return current
    if base_version != (current.version if current else 0):
        raise _conflict(current)
    _check_sources(gold_set, content, current)
    kept = set(current.error_types.all()) if current else set()
    error_types = error_types_named(content.error_types, kept=kept)
    decision = current or GoldDecision(gold_set=gold_set, client_key=client_key)
    decision.outcome, decision.questions = content.outcome, content.questions
    decision.reason, decision.version = content.reason.strip(), version
    decision.by_id, decision.pseudonym, decision.at = id_of(user), annotator_of(user).pseudonym, timezone.now()
    decision.save()
    _replace_details(decision, error_types, content)
    stored = read_decisions(gold_set).get(pk=decision.pk)
    _log(gold_set, version, Act.CHANGED if current else Act.DECIDED, user, stored)
    return stored


@transaction.atomic
def take_back(*, study: Study, summary: Summary, user: Login, client_key: UUID, base_version: int) -> None:
    """Take a decision back, so that its marks wait for one again. One that is gone already stays gone.

    Raises `MarkConflict` if it changed since `base_version`, or `NotEditable`.
    """
    gold_set = GoldSet.objects.filter(study=study, summary=summary).first()
    if gold_set is None:
        return
    version = _take_turn(gold_set)
    current = _find(gold_set, client_key)
    if current is None:
        transaction.set_rollback(True)
    elif current.version != base_version:
        raise _conflict(current)
    else:
        _log(gold_set, version, Act.TAKEN_BACK, user, current)
        current.delete()


@transaction.atomic
def finish(*, study: Study, summary: Summary, user: Login) -> None:
    """End the adjudication: all submitted marks of people are decided. A second time nothing changes.

    Raises `GoldUndecided`, also where nobody has submitted anything.
    """
    gold_set, _ = GoldSet.objects.get_or_create(study=study, summary=summary)
    if gold_set.state == GoldSet.State.FINISHED:
        return
    version = _take_turn(gold_set)
    sets, undecided = undecided_marks(study, summary)
    if not sets:
        raise GoldUndecided("Nobody has submitted marks on this summary yet, so there is nothing to decide.")
    if undecided:
        marks = "1 mark waits" if undecided == 1 else f"{undecided} marks wait"
        raise GoldUndecided(f"{marks} for a decision. Accept or reject what is left, then finish.")
    GoldSet.objects.filter(pk=gold_set.pk).update(state=GoldSet.State.FINISHED)
    _log(gold_set, version, Act.FINISHED, user)


@transaction.atomic
def reopen(*, study: Study, summary: Summary, user: Login) -> None:
    """Make a finished set take changes again; an open one stays as it is."""
    finished = GoldSet.objects.filter(study=study, summary=summary, state=GoldSet.State.FINISHED)
    if finished.update(state=GoldSet.State.OPEN, version=F("version") + 1):
        gold_set = GoldSet.objects.get(study=study, summary=summary)
        _log(gold_set, gold_set.version, Act.REOPENED, user)


def forget_marks(annotation_ids: Collection[int]) -> None:
    """Call this before marks are removed because their person withdrew: nothing decided about them alone stays.

    What was merged with marks of others stays without them; the log keeps who decided when, not the words.
    """
    # Locked first, so that a decision that is made meanwhile is stored before, and removed, or finds the marks gone.
    marks = Annotation.objects.select_for_update().filter(pk__in=annotation_ids).order_by("pk")
    gone = set(marks.values_list("pk", flat=True))
    summaries = AnnotationSet.objects.filter(annotations__in=gone).values("summary")
    for event in GoldEvent.objects.filter(gold_set__summary__in=summaries):
        if gone & set(event.content.get("sources", ())):
            GoldEvent.objects.filter(pk=event.pk).update(content={})
    touched = GoldDecision.objects.filter(sources__annotation__in=gone)
    others = GoldSource.objects.exclude(annotation__in=gone).values("decision")
    GoldDecision.objects.filter(pk__in=touched.values("pk")).exclude(pk__in=others).delete()


def _check(summary: Summary, content: GoldContent) -> None:
    if content.outcome == Outcome.MARK:
        if content.reason.strip():
            raise InvalidMark("Only a rejection has a reason.")
        check_shapes(content.spans)
        check_quotes(summary_id=summary.pk, spans=content.spans)
    elif content.outcome != Outcome.REJECTED:
        raise InvalidMark("A decision puts a mark into the gold set or rejects marks.")
    elif not content.reason.strip():
        raise InvalidMark("Say why it is rejected.")
    elif not content.sources or content.spans or content.questions or content.error_types:
        raise InvalidMark("A rejection is about marks that somebody made, and makes none.")


def _check_sources(gold_set: GoldSet, content: GoldContent, current: GoldDecision | None) -> None:
    """A new source must be a submitted mark on this summary that nothing was decided about."""
    wanted = set(content.sources)
    kept = {source.annotation_id for source in current.sources.all()} if current else set()
    others = GoldSource.objects.filter(gold_set=gold_set, annotation__in=wanted)
    if taken := others.exclude(decision=current).select_related("decision__by").first():
        by = taken.decision.by.username if taken.decision.by else taken.decision.pseudonym
        raise MarksDecidedAlready(
            f"{by} has decided about one of these marks meanwhile. Yours was not stored; look at that decision first."
        )
    # A mark whose person withdraws at this moment waits for us, or we for it.
    list(Annotation.objects.select_for_update().filter(pk__in=wanted).order_by("pk").values_list("pk"))
    there = set(marks_to_decide(gold_set.study, gold_set.summary).filter(pk__in=wanted).values_list("pk", flat=True))
    if wanted - there - kept:
        raise InvalidMark(
            "One of these marks is not submitted any more: its person reopened or withdrew it. Reload the page."
        )


def _take_turn(gold_set: GoldSet) -> int:
    """Lock the set and return its new version."""
    rows = GoldSet.objects.filter(pk=gold_set.pk)
    if not rows.filter(state=GoldSet.State.OPEN).update(version=F("version") + 1):
        raise NotEditable("finished", "This gold set is finished. Reopen it to change a decision.")
    return rows.values_list("version", flat=True).get()


def _conflict(current: GoldDecision | None) -> MarkConflict:
    what = "taken back" if current is None else "changed"
    return MarkConflict(current, f"This decision was {what} in another window or by a colleague. Yours was not stored.")


def _find(gold_set: GoldSet, client_key: UUID) -> GoldDecision | None:
    return read_decisions(gold_set).filter(client_key=client_key).first()


def _same(current: GoldDecision, content: GoldContent) -> bool:
    stored = decision_content(current)
    wanted: dict[str, Any] = {
        "outcome": content.outcome,
        "questions": content.questions,
        "error_types": set(content.error_types),
        "spans": places(content.spans),
        "sources": sorted(set(content.sources)),
        "reason": content.reason.strip(),
    }
    return {**stored, "error_types": set(stored["error_types"]), "spans": places(current.spans.all())} == wanted


def _replace_details(decision: GoldDecision, error_types: Iterable[ErrorType], content: GoldContent) -> None:
    for rows in (GoldErrorType, GoldSpan, GoldSource):
        rows.objects.filter(decision=decision).delete()
    GoldErrorType.objects.bulk_create(GoldErrorType(decision=decision, errortype=each) for each in error_types)
    GoldSpan.objects.bulk_create(GoldSpan(decision=decision, **fields) for fields in span_rows(content.spans))
    versions = dict(Annotation.objects.filter(pk__in=set(content.sources)).values_list("pk", "version"))
    GoldSource.objects.bulk_create(
        GoldSource(decision=decision, gold_set_id=decision.gold_set_id, annotation_id=pk, annotation_version=version)
        for pk, version in sorted(versions.items())
    )


def _log(gold_set: GoldSet, version: int, act: str, user: Login, decision: GoldDecision | None = None) -> None:
    GoldEvent.objects.create(
        gold_set=gold_set,
        version=version,
        act=act,
        by_id=id_of(user),
        pseudonym=annotator_of(user).pseudonym,
        client_key=decision.client_key if decision else None,
        content=decision_content(decision) if decision else {},
    )
