"""A study's guidelines: write a new version, and look at what earlier ones changed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.forms.studies import GuidelinesForm
from annotation.guidelines import guidelines_html
from annotation.models import GuidelinesVersion, Study
from annotation.services.guidelines import GuidelinesError, change_guidelines
from summarizer.word_diff import word_diff


@require_http_methods(["GET", "POST"])
def study_guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    versions = list(study.guidelines_versions.select_related("author").order_by("-number"))
    newest = versions[0] if versions else None
    number = newest.number if newest else 0
    form = GuidelinesForm(request.POST or None, initial={"text": study.guidelines, "base": number})
    if form.is_valid():
        try:
            made = change_guidelines(study=study, author_id=request.user.pk, **form.cleaned_data)
        except GuidelinesError as error:
            # What is saved next is written in the knowledge of the other version.
            form = GuidelinesForm({**request.POST.dict(), "base": number})
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{made} is saved." if made else "Nothing changed, so no version was made.")
            return redirect("annotation:study-guidelines", slug)
    context = {"study": study, "form": form, "versions": versions, "newest": newest}
    return render(request, "annotation/study_guidelines.html", context | {"preview": guidelines_html(study.guidelines)})


@require_safe
def study_guidelines_version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One version, and what it changed in the one before."""
    version = get_object_or_404(GuidelinesVersion.objects.select_related("author"), study__name=slug, number=number)
    before = GuidelinesVersion.objects.filter(study=version.study_id, number=number - 1).first()
    context = {
        "study": version.study,
        "version": version,
        "before": before,
        "pieces": word_diff(before.text, version.text) if before else [],
        "text": guidelines_html(version.text),
    }
    return render(request, "annotation/study_guidelines_version.html", context)
