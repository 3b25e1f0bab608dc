"""What a person is told about their attempt at a qualification test."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import own_assignment
from annotation.models import Assignment, QualificationAttempt
from annotation.selectors.qualification import expected_answers, standing_in
from annotation.selectors.tasks import first_check_in


@never_cache
@require_safe
def qualification_result(request: HttpRequest, key: UUID) -> HttpResponse:
    """Passed or not, and how many were right; which ones only afterwards, and if the study shows it."""
    assignment = own_assignment(request.user, key, Assignment.Task.FINE)
    attempt = QualificationAttempt.objects.filter(assignment=assignment).first()
    standing = standing_in(assignment.study, assignment.annotator_id)
    if attempt is None or standing is None:  # not submitted yet, or no test
        return redirect("annotation:fine", key)
    told = standing.qualification.answers_shown and not standing.left
    context = {
        "assignment": assignment,
        "attempt": attempt,
        "standing": standing,
        "answers": expected_answers(attempt) if told else [],
        "first_task": None if standing.failed else first_check_in(assignment),
    }
    return render(request, "annotation/faithfulness/test_result.html", context)
