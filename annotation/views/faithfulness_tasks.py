"""The pages on which people check a summary against its book: unit by unit, as a whole, and all of a book together.

Blind: they show texts and the person's own answers, and nothing of systems, other people or judges.
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.access import own_assignment
from annotation.faithfulness.scale_words import SUPPORTED, scale_shown
from annotation.models import Assignment, Purpose
from annotation.selectors.coarse import coarse_state, rated_together, together_state
from annotation.selectors.faithfulness_source import source_of
from annotation.selectors.faithfulness_tasks import plan_of
from annotation.selectors.fine import fine_state, sampled_units, summary_pieces
from annotation.selectors.marks import next_task
from annotation.selectors.qualification import standing_in
from annotation.selectors.tasks import place_among_tasks
from annotation.services.guidelines import meet_guidelines
from summarizer.models import Book


@require_safe
@ensure_csrf_cookie
@cache_control(private=True, no_store=True)
def fine(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.FINE)
    is_test = assignment.purpose == Purpose.QUALIFICATION
    if is_test and assignment.state == Assignment.State.SUBMITTED:
        return redirect("annotation:qualification", key)
    plan = plan_of(assignment)
    sampled = sampled_units(assignment)
    hints_shown = assignment.unit_sample.hints_shown
    context = _context(assignment) | {
        "pieces": summary_pieces(assignment.only_summary.text, sampled),
        "units": len(sampled),
        "selects": True,
        "hints_shown": hints_shown,
        "evidence_required": plan.evidence_required,
        "supported": SUPPORTED,
        "test": standing_in(assignment.study, assignment.annotator_id) if is_test else None,
        "page_data": {
            "task": str(assignment.key),
            "api": reverse("annotation-api:fine", args=[assignment.key]),
            "login": reverse("login"),
            "units": [{"key": str(each.position), "quote": each.unit.quote} for each in sampled],
            "hints": reverse("annotation-api:fine-hints", args=[assignment.key]) if hints_shown else None,
            "evidenceRequired": plan.evidence_required,
            "result": reverse("annotation:qualification", args=[assignment.key]) if is_test else None,
            "state": fine_state(assignment),
        },
    }
    return render(request, "annotation/faithfulness/fine.html", context)


@require_safe
@ensure_csrf_cookie
@cache_control(private=True, no_store=True)
def coarse(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.COARSE)
    context = (
        _context(assignment)
        | _scale(assignment)
        | {
            "together": bool(rated_together(assignment)),
            "page_data": {
                "task": str(assignment.key),
                "api": reverse("annotation-api:coarse", args=[assignment.key]),
                "login": reverse("login"),
                "together": reverse("annotation:coarse-together", args=[assignment.key]),
                "state": coarse_state(assignment),
            },
        }
    )
    return render(request, "annotation/faithfulness/coarse.html", context)


@require_safe
@ensure_csrf_cookie
@cache_control(private=True, no_store=True)
def together(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.COARSE)
    tasks = rated_together(assignment)
    if not tasks:
        return redirect("annotation:coarse", key)
    context = _scale(assignment) | {
        "assignment": assignment,
        "book": assignment.only_summary.book.title,
        "tasks": tasks,
        "next_task": next_task(assignment),
        "guidelines_met": meet_guidelines(assignment),
        "page_data": {
            "task": str(assignment.key),
            "api": reverse("annotation-api:coarse-together", args=[assignment.key]),
            "login": reverse("login"),
            "state": together_state(assignment),
        },
    }
    return render(request, "annotation/faithfulness/together.html", context)


def _context(assignment: Assignment) -> dict[str, Any]:
    """What both pages with a source show."""
    number, total = place_among_tasks(assignment)
    book = Book.objects.get(pk=assignment.only_summary.book_id)
    return {
        "assignment": assignment,
        "book": book.title,
        "summary": assignment.only_summary,
        "source": source_of(book),
        "number": number,
        "total": total,
        "next_task": next_task(assignment),
        "guidelines_met": meet_guidelines(assignment),
    }


def _scale(assignment: Assignment) -> dict[str, Any]:
    return scale_shown(plan_of(assignment).scale)
