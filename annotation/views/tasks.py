"""A person's own tasks, and the guidelines they work by."""

from contextlib import suppress
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import own_assignment
from annotation.guidelines import guidelines_html
from annotation.models import Assignment, ErrorType
from annotation.selectors.completion import completions_of
from annotation.selectors.tasks import task_lists
from annotation.selectors.training import failed_trainings
from annotation.services.guidelines import read_guidelines


@require_safe
def my_tasks(request: HttpRequest) -> HttpResponse:
    lists = task_lists(request.user.pk or 0)
    return render(
        request,
        "annotation/tasks.html",
        {
            "lists": lists,
            "failed": failed_trainings(request.user.pk or 0),
            "next_list": next((each for each in lists if each.next_task), None),
            "completions": completions_of(request.user.pk or 0),
        },
    )


@require_safe
def guidelines(request: HttpRequest, key: UUID) -> HttpResponse:
    """The guidelines of the study that a task of the person belongs to."""
    assignment = _own_task(request, key)
    context = {
        "assignment": assignment,
        "guidelines": guidelines_html(assignment.study.guidelines),
        "met": read_guidelines(assignment),
        "error_types": ErrorType.objects.filter(retired=False),
    }
    return render(request, "annotation/guidelines.html", context)


def _own_task(request: HttpRequest, key: UUID) -> Assignment:
    first, *others = Assignment.Task
    for task in others:
        with suppress(Http404):
            return own_assignment(request.user, key, task)
    return own_assignment(request.user, key, first)
