"""A person's own tasks, and the guidelines they work by."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import FAITHFULNESS, task_with_guidelines
from annotation.faithfulness.scale_words import CORRECT, SUPPORTED
from annotation.guidelines import guidelines_html
from annotation.models import ErrorType
from annotation.selectors.completion import completions_of
from annotation.selectors.qualification import failed_tests
from annotation.selectors.tasks import task_lists
from annotation.selectors.training import failed_trainings
from annotation.services.guidelines import read_guidelines
from annotation.services.studies import are_untouched


@require_safe
def my_tasks(request: HttpRequest) -> HttpResponse:
    lists = task_lists(request.user.pk or 0)
    return render(
        request,
        "annotation/tasks.html",
        {
            "lists": lists,
            "failed": failed_trainings(request.user.pk or 0),
            "failed_tests": failed_tests(request.user.pk or 0),
            "next_list": next((each for each in lists if each.next_task), None),
            "completions": completions_of(request.user.pk or 0),
        },
    )


@require_safe
def guidelines(request: HttpRequest, key: UUID) -> HttpResponse:
    """The guidelines of the study that a task of the person belongs to."""
    assignment = task_with_guidelines(request.user, key)
    checks = assignment.task in FAITHFULNESS
    of_study = "" if checks and are_untouched(assignment.study.guidelines) else assignment.study.guidelines
    context = {
        "assignment": assignment,
        "checks": checks,
        "supported": SUPPORTED,
        "correct": CORRECT,
        "guidelines": guidelines_html(of_study),
        "met": read_guidelines(assignment),
        "error_types": ErrorType.objects.filter(retired=False),
    }
    return render(request, "annotation/guidelines.html", context)
