"""Faithfulness in an export: which fields leave, and what hangs on units and judgements."""

from annotation import models as annotation
from scoring.exports.kind import Kind, same

#: After the tasks, on which they hang.
FAITHFULNESS = (
    Kind(
        "plan",
        annotation.FaithfulnessPlan,
        (
            "state",
            "unit_rule",
            "share",
            "units_per_summary",
            "fine_overlap",
            "coarse_overlap",
            "scale",
            "evidence_required",
            "hints",
            "created_at",
        ),
    ),
    Kind(
        "unit",
        annotation.Unit,
        ("index", "start", "end", "quote", "by_hand", "expected"),
        same(plan="plan", summary="summary"),
        nested=("same_as",),  # the index of a unit of the same summary
        left_out=("purpose",),  # tests stay inside
    ),
    Kind(
        "unit_verdict",
        annotation.UnitVerdict,
        ("state", "passages", "rule", "problem", "created_at"),  # passages are places of the book
        same(annotator="annotator", unit="unit", call="call"),
    ),
    Kind("sample", annotation.UnitSample, ("seed", "hints_shown"), {"task": ("assignment", "task")}),
    Kind(
        "sampled_unit",
        annotation.SampledUnit,
        ("position",),
        {"task": ("assignment", "task"), "unit": ("unit", "unit")},
    ),
    Kind(
        "judgement",
        annotation.UnitJudgement,
        ("supported", "comment", "active_seconds", "hints_viewed", "version", "judged_at"),
        {"sampled_unit": ("sampled", "sampled_unit"), "guidelines": ("guidelines", "guidelines")},
        nested=("evidence",),  # places of the book
        source_nested=("evidence_quotes",),
    ),
    Kind(
        "rating",
        annotation.Rating,
        ("value", "comment", "active_seconds", "version", "rated_at", "first_value", "recalibrated_at"),
        {"task": ("assignment", "task"), "guidelines": ("guidelines", "guidelines")},
    ),
)
