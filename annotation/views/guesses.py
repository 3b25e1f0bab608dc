"""The last page of a reviewer's last task: who made these marks?"""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from annotation.access import own_assignment
from annotation.models import Assignment, OriginGuess
from annotation.selectors.guesses import guesses_asked, marks_to_guess
from annotation.services.guesses import GuessesMissing, draw_marks, save_guesses, submit_with_guesses
from annotation.services.review import ReviewError


@require_http_methods(["GET", "POST"])
@cache_control(private=True, no_store=True)
def review_guesses(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.REVIEW)
    if not guesses_asked(assignment):
        return redirect("annotation:review", assignment.key)
    missing = ""
    try:
        draw_marks(assignment=assignment)
        if request.method == "POST":
            save_guesses(assignment=assignment, guesses=request.POST.dict())
            submit_with_guesses(assignment=assignment)
            return redirect("annotation:tasks")
    except GuessesMissing:
        missing = "Some marks have no guess yet. Choose “Can’t tell” where you can’t."
    except ReviewError:
        return redirect("annotation:review", assignment.key)
    context = {
        "assignment": assignment,
        "marks": marks_to_guess(assignment),
        "choices": OriginGuess.Guess.choices,
        "missing": missing,
    }
    return render(request, "annotation/review_guesses.html", context)
