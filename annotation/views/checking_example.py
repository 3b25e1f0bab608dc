"""An example of the tasks about faithfulness, on which a person tries them out before the first.

The pages are the real ones with the settings of the person's study, for an invented story. Their script answers in the
server's place and keeps everything in the window (`static/js/walk_through.js`): nothing of it is stored.
"""

from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from annotation.access import FAITHFULNESS, NoSuchTask, task_to_begin
from annotation.faithfulness.blocks import blocks
from annotation.faithfulness.example import (
    OTHER_RATING,
    OTHER_SUMMARY,
    SOURCE,
    STATEMENTS,
    SUMMARY,
    TITLE,
    example_hints,
)
from annotation.faithfulness.scale_words import SUPPORTED, scale_shown
from annotation.models import Assignment, FaithfulnessPlan, UnitSample
from annotation.selectors.coarse import NOTHING
from annotation.selectors.faithfulness_source import Piece, Source
from annotation.selectors.faithfulness_tasks import plan_of
from annotation.selectors.fine import NO_JUDGEMENT, SummaryPiece

#: As a page has a task that can be worked on.
OPEN = {"state": Assignment.State.OPEN.value, "editable": True, "reopenable": False}


@require_safe
@cache_control(private=True, no_store=True)
def example_fine(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = _task(request, key)
    plan = plan_of(assignment)
    hints_shown = _hints_shown(assignment, plan)
    data = _page_data("fine")
    context = _context(assignment) | {
        "pieces": _pieces(),
        "units": len(STATEMENTS),
        "selects": True,
        "hints_shown": hints_shown,
        "evidence_required": plan.evidence_required,
        "supported": SUPPORTED,
        "page_data": data
        | {
            "units": [{"key": str(at), "quote": quote} for at, quote in enumerate(STATEMENTS)],
            "hints": f"{data['api']}hints/" if hints_shown else None,
            "evidenceRequired": plan.evidence_required,
            "result": None,
            "state": OPEN | {"judgements": [{"key": str(at)} | NO_JUDGEMENT for at in range(len(STATEMENTS))]},
            "example": {"hints": example_hints()},
        },
    }
    return render(request, "annotation/faithfulness/fine.html", context)


@require_safe
@cache_control(private=True, no_store=True)
def example_coarse(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = _task(request, key)
    context = (
        _context(assignment)
        | scale_shown(plan_of(assignment).scale)
        | {
            "page_data": _page_data("coarse")
            | {
                "together": reverse("annotation:example-coarse-together", args=[key]),
                "state": OPEN | {"ratings": [{"key": "rating"} | NOTHING]},
                "example": {},
            },
        }
    )
    return render(request, "annotation/faithfulness/coarse.html", context)


@require_safe
@cache_control(private=True, no_store=True)
def example_together(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = _task(request, key)
    scale = plan_of(assignment).scale
    rated: dict[str, Any] = NOTHING | {"value": OTHER_RATING[scale], "version": 1}
    texts = {"own": SUMMARY, "other": OTHER_SUMMARY}
    tasks: list[dict[str, Any]] = [{"key": name, "summary": {"text": text}} for name, text in texts.items()]
    context = (
        _context(assignment)
        | scale_shown(scale)
        | {
            "tasks": tasks,
            "page_data": _page_data("coarse-together")
            | {
                "state": OPEN | {"ratings": [{"key": each["key"]} | rated for each in tasks]},
                "example": {"rated": "own"},
            },
        }
    )
    return render(request, "annotation/faithfulness/together.html", context)


def _task(request: HttpRequest, key: UUID) -> Assignment:
    """The person's own task to check a summary, also before its test: its study says what the example is like."""
    assignment = task_to_begin(request.user, key)
    if assignment.task not in FAITHFULNESS:
        raise NoSuchTask("You have no such task. What you have to do is under My tasks.")
    return assignment


def _hints_shown(assignment: Assignment, plan: FaithfulnessPlan) -> bool:
    """As in the task; a test has hints wherever some tasks of its study have."""
    sample = UnitSample.objects.filter(assignment=assignment).first()
    return sample.hints_shown if sample else plan.hints != FaithfulnessPlan.Hints.NEVER


def _context(assignment: Assignment) -> dict[str, Any]:
    """`assignment` leads to the guidelines of its study; nothing else of it is shown."""
    pieces = [Piece(first, last, SOURCE[first:last]) for first, last in blocks(SOURCE, 0, len(SOURCE))]
    return {
        "example": True,
        "assignment": assignment,
        "book": TITLE,
        "summary": {"text": SUMMARY},
        "source": Source(pieces, ()),
    }


def _page_data(name: str) -> dict[str, Any]:
    """Under a key that nobody has: whatever the page might send or keep in the browser belongs to no task."""
    key = uuid4()
    return {"task": str(key), "api": reverse(f"annotation-api:{name}", args=[key]), "login": reverse("login")}


def _pieces() -> list[SummaryPiece]:
    pieces = []
    for at, quote in enumerate(STATEMENTS):
        pieces += [SummaryPiece(quote, at), SummaryPiece(" ")]
    return pieces[:-1]
