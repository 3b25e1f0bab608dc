"""A study's consent text, who accepted it, and who knew which book."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.forms.consent import ConsentTextForm
from annotation.guidelines import guidelines_html
from annotation.models import Study
from annotation.selectors.consent import consents_of
from annotation.selectors.withdrawals import removed_lines, withdrawals_of
from annotation.services.consent import ConsentError, change_consent_text
from annotation.views.withdrawals import sees_counts


@require_http_methods(["GET", "POST"])
def study_consent(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    versions = list(study.consent_texts.select_related("author").order_by("-number"))
    newest = versions[0] if versions else None
    number, text = (newest.number, newest.text) if newest else (0, "")
    form = ConsentTextForm(request.POST or None, initial={"text": text, "base": number})
    if form.is_valid():
        try:
            made = change_consent_text(study=study, author_id=request.user.pk, **form.cleaned_data)
        except ConsentError as error:
            form = ConsentTextForm({**request.POST.dict(), "base": number})
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{made} is saved." if made else "Nothing changed, so no version was made.")
            return redirect("annotation:study-consent", slug)
    context = {
        "study": study,
        "form": form,
        "newest": newest,
        "versions": [{"version": version, "html": guidelines_html(version.text)} for version in versions],
        "people": consents_of(study),
        "withdrawals": [{"log": log, "lines": removed_lines(log.removed)} for log in withdrawals_of(study)],
        "counts_shown": sees_counts(request.user, study),
    }
    return render(request, "annotation/study_consent.html", context)
