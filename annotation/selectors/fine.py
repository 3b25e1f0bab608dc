"""A FINE task as its person may see it: the summary with the units that are asked about, and their own judgements."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.models import Assignment, SampledUnit, UnitJudgement
from annotation.selectors.faithfulness_tasks import task_state
from annotation.selectors.marks import span_content

NO_JUDGEMENT: dict[str, Any] = {
    "supported": None,
    "comment": "",
    "evidence": [],
    "active_seconds": 0,
    "hints_viewed": 0,
    "version": 0,
}


@dataclass(frozen=True)
class SummaryPiece:
    """A stretch of the summary; `position` is the place in the task of the unit that it is, if it is asked about."""

    text: str
    position: int | None = None


def summary_pieces(text: str, sampled: Iterable[SampledUnit]) -> list[SummaryPiece]:
    """The summary cut at the units that are asked about, in order."""
    pieces, at = [], 0
    for each in sorted(sampled, key=lambda each: each.unit.start):
        pieces += [SummaryPiece(text[at : each.unit.start])] if each.unit.start > at else []
        pieces.append(SummaryPiece(text[each.unit.start : each.unit.end], each.position))
        at = each.unit.end
    return pieces + ([SummaryPiece(text[at:])] if at < len(text) else [])


def sampled_units(assignment: Assignment) -> list[SampledUnit]:
    """The units that are asked about, in the order of the task."""
    rows = SampledUnit.objects.filter(assignment=assignment).select_related("unit", "judgement")
    return list(rows.prefetch_related("judgement__evidence").order_by("position"))


def fine_state(assignment: Assignment) -> dict[str, Any]:
    """{state, editable, reopenable, judgements}: of every unit that is asked about what `judgement_content` gives."""
    judgements = [_content(each) for each in sampled_units(assignment)]
    return {**task_state(assignment), "judgements": judgements}


def judgement_content(judgement: UnitJudgement) -> dict[str, Any]:
    return {
        "key": str(judgement.sampled.position),
        "supported": judgement.supported,
        "comment": judgement.comment,
        "evidence": [
            span_content(each) | {"hint_rank": each.hint_rank}
            for each in sorted(judgement.evidence.all(), key=lambda each: (each.start, each.end))
        ],
        "active_seconds": judgement.active_seconds,
        "hints_viewed": judgement.hints_viewed,
        "version": judgement.version,
    }


def is_missing(sampled: SampledUnit, *, evidence_required: bool) -> bool:
    """Whether the unit lacks an answer, or the evidence for one."""
    judgement = judgement_of(sampled)
    if judgement is None or judgement.supported is None:
        return True
    return evidence_required and judgement.supported and not judgement.evidence.all()


def judgement_of(sampled: SampledUnit) -> UnitJudgement | None:
    """None where nothing was stored for the unit yet."""
    return getattr(sampled, "judgement", None)


def _content(sampled: SampledUnit) -> dict[str, Any]:
    judgement = judgement_of(sampled)
    if judgement is None:
        return {"key": str(sampled.position)} | NO_JUDGEMENT
    judgement.sampled = sampled
    return judgement_content(judgement)
