"""The span workspace: a person marks what confuses them in one summary."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from annotation.access import own_assignment
from annotation.api.mark_serializers import WorkspaceSerializer
from annotation.guidelines import guidelines_html
from annotation.models import Assignment, ErrorType, Purpose
from annotation.selectors.marks import error_types_shown, next_task, offered_error_types, place_in_list, workspace
from annotation.services.guidelines import meet_guidelines


@require_GET
@ensure_csrf_cookie
def annotate(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.ANNOTATE)
    training = assignment.purpose == Purpose.TRAINING
    if training and assignment.state == Assignment.State.SUBMITTED:
        return redirect("annotation:training", key)
    error_types = offered_error_types()
    number, total = place_in_list(assignment)
    context = {
        "assignment": assignment,
        "summary": assignment.summary,
        "number": number,
        "total": total,
        "training": training,
        "next_task": next_task(assignment),
        "error_types": error_types,
        "guidelines": guidelines_html(assignment.study.guidelines),
        "guidelines_met": meet_guidelines(assignment),
        "page_data": page_data(assignment, error_types) | _after_training(assignment),
    }
    return render(request, "annotation/annotate.html", context)


def _after_training(assignment: Assignment) -> dict[str, str]:
    """Where the page goes when a training summary is submitted; nothing for other tasks."""
    if assignment.purpose != Purpose.TRAINING:
        return {}
    return {"feedback": reverse("annotation:training", args=[assignment.key])}


def page_data(assignment: Assignment, error_types: list[ErrorType]) -> dict[str, Any]:
    """What the page's scripts start from; the text itself is in the page already."""
    return {
        "task": str(assignment.key),
        "api": reverse("annotation-api:marks", args=[assignment.key]),
        "login": reverse("login"),
        "tasks": reverse("annotation:tasks"),
        "workspace": WorkspaceSerializer(workspace(assignment)).data,
        "sentences": list(assignment.only_summary.sentences.values_list("start", "end")),
        "errorTypes": error_types_shown(error_types),
    }
