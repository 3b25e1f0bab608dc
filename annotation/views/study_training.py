"""A study's training: what people mark before their first task, and how far each of them is."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import require_own_tasks_done
from annotation.forms.checks import KnownTextForm
from annotation.forms.training import TrainingForm
from annotation.models import Annotator, Purpose, Study
from annotation.selectors.training import standings_of, training_of, training_summaries
from annotation.services.studies import StudyError
from annotation.services.training import let_pass, set_training
from annotation.views.study_checks import change_known, known_to_add
from summarizer.identifiers import row_id


@require_http_methods(["GET", "POST"])
def study_training(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    form = KnownTextForm(request.POST if "text" in request.POST else None)
    settings = _settings_form(request, study)
    if request.method == "POST" and (answer := _change(request, study, form, settings)):
        return answer
    context = {
        **known_to_add(request, study, form),
        "settings": settings,
        "training": training_of(study),
        "summaries": training_summaries(study),
        "standings": standings_of(study),
    }
    return render(request, "annotation/study_training.html", context)


def _settings_form(request: HttpRequest, study: Study) -> TrainingForm:
    training = training_of(study)
    now = {"asks": training is not None, "pass_percent": 50}
    if training:
        names = ("qualifies", "pass_percent", "marks_allowed")
        now |= {name: getattr(training, name) for name in names}
    return TrainingForm(request.POST if "settings" in request.POST else None, initial=now)


def _change(request: HttpRequest, study: Study, form: KnownTextForm, settings: TrainingForm) -> HttpResponse | None:
    """None where the page is shown again with what is wrong."""
    if not {"settings", "pass"} & set(request.POST):
        return change_known(request, study, form, Purpose.TRAINING)
    if "settings" in request.POST and not settings.is_valid():
        return None
    try:
        if "settings" in request.POST:
            set_training(study=study, **settings.cleaned_data)
            messages.success(request, "Saved.")
        else:
            person = get_object_or_404(Annotator, pk=row_id(request.POST["pass"]) or 0, memberships__study=study)
            reason = request.POST.get("reason", "").replace("\0", "")
            let_pass(study=study, annotator=person, reason=reason, by_id=request.user.pk or 0)
            messages.success(request, f"{person} may work now.")
    except StudyError as error:
        messages.error(request, str(error))
    return redirect("annotation:study-training", study.name)
