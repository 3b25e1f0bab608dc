"""Changing settings of a study, on whichever page they are."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.forms.studies import StudySettingsForm
from annotation.forms.terms import StudyTermsForm
from annotation.models import Study
from annotation.services.studies import StudyError, update_study


def change_settings(
    request: HttpRequest, slug: str, form_class: type[StudySettingsForm | StudyTermsForm], *, template: str, done: str
) -> HttpResponse:
    """Store what was changed in the form, and lead back to the study saying `done`; otherwise show the form."""
    study = get_object_or_404(Study, name=slug)
    # A form writes into its instance, also what is refused then; the page shows the study as it is.
    form = form_class(request.POST or None, instance=Study.objects.get(pk=study.pk))
    if form.is_valid():
        try:
            update_study(study=study, **form.changes())
        except StudyError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, done)
            return redirect("annotation:study", study.name)
    return render(request, template, {"study": study, "form": form})
