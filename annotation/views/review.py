"""The review page: one mark at a time, without its origin."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.access import is_unblinded, own_assignment
from annotation.models import Assignment, ReviewDecision
from annotation.selectors.review import review_content
from annotation.selectors.tasks import place_among_tasks
from annotation.services.guidelines import meet_guidelines

Reason = ReviewDecision.Reason
#: The reasons for partial agreement in a reviewer's words.
REASONS = (
    (Reason.NOT_RELEVANT.value, "It is not about the marked place"),
    (Reason.ANSWERED.value, "The summary answers it"),
    (Reason.DOES_NOT_MATTER.value, "It is not about something that matters"),
    (Reason.OTHER.value, "Something else, said in the comment"),
)


@require_safe
@ensure_csrf_cookie
@cache_control(private=True, no_store=True)
def review(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.REVIEW)
    if assignment.state != Assignment.State.OPEN or is_unblinded(assignment.study):
        return render(request, "annotation/review_locked.html", {"assignment": assignment})
    number, total = place_among_tasks(assignment)
    context = {
        "assignment": assignment,
        "number": number,
        "total": total,
        "reasons": REASONS,
        "guidelines_met": meet_guidelines(assignment),
        "page_data": {
            "task": str(assignment.key),
            "api": reverse("annotation-api:review", args=[assignment.key]),
            "login": reverse("login"),
            "tasks": reverse("annotation:tasks"),
            "last_page": reverse("annotation:review-guesses", args=[assignment.key]),
            "active_seconds": assignment.active_seconds,
            "items": review_content(assignment)["items"],
        },
    }
    return render(request, "annotation/review.html", context)
