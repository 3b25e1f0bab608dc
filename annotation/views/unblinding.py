"""The page on which a researcher opens the sources of a study's reviewed marks."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import require_own_tasks_done
from annotation.models import Study
from annotation.selectors.unblinding import unblinding_gaps, unblinding_of
from annotation.services.studies import StudyError
from annotation.services.unblinding import unblind


@require_http_methods(["GET", "POST"])
def study_unblind(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    reason, refused = request.POST.get("reason", "").replace("\0", ""), ""
    if request.method == "POST":
        try:
            unblind(study=study, user=request.user, reason=reason, accept_unfinished="accept" in request.POST)
        except StudyError as error:
            refused = str(error)
        else:
            messages.success(request, "The study is unblinded: its dashboard shows sources and precision.")
            return redirect("annotation:study", study.name)
    elif study.phase != Study.Phase.REVIEWING or unblinding_of(study):
        return redirect("annotation:study", study.name)
    context = {"study": study, "gaps": unblinding_gaps(study), "reason": reason, "refused": refused}
    return render(request, "annotation/study_unblind.html", context, status=409 if refused else 200)
