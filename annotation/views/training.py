"""What a person is told after a training summary."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import own_assignment
from annotation.models import Assignment
from annotation.selectors.tasks import first_task_in
from annotation.selectors.training import feedback_on, standing_of


@never_cache
@require_safe
def training_feedback(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.ANNOTATE)
    feedback = feedback_on(assignment)
    if feedback is None:  # not submitted yet, or no training
        return redirect("annotation:annotate", key)
    context = {
        "assignment": assignment,
        "feedback": feedback,
        "standing": standing_of(assignment.study, assignment.annotator_id),
        "first_task": first_task_in(assignment),
    }
    return render(request, "annotation/training_feedback.html", context)
