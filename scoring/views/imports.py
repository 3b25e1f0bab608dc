"""Files from elsewhere: summaries of other systems, and figures about summaries."""

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import require_not_blind
from annotation.models import Study
from scoring.import_forms import ArticlesFileForm, JudgementsFileForm, MetricsFileForm, SummariesFileForm
from scoring.imports import ImportRefused
from scoring.imports.judgements import import_judgements
from scoring.imports.longeval import import_longeval
from scoring.imports.metrics import import_metrics
from scoring.imports.summaries import import_summaries
from scoring.selectors.metrics import metric_table
from scoring.tables.metrics import metrics_described


@require_http_methods(["GET", "POST"])
def summaries(request: HttpRequest) -> HttpResponse:
    initial = {"study": request.GET.get("study", "")}
    form = SummariesFileForm(request.POST or None, request.FILES or None, initial=initial)
    if form.is_valid():
        file, study = form.cleaned_data["file"], form.cleaned_data["study"]
        try:
            found = import_summaries(
                data=_data(file), filename=file.name, system_name=form.cleaned_data["system"], study=study
            )
        except ImportRefused as error:
            form.add_error("file", str(error))
        else:
            new = sum(each["new"] for each in found["summaries"])
            known = len(found["summaries"]) - new
            messages.success(
                request,
                f"{new} {'summary' if new == 1 else 'summaries'} of {found['system']} added"
                + (f", {known} were here already." if known else "."),
            )
            return redirect("annotation:study-summaries", study.name) if study else redirect("summarizer:books")
    return render(request, "scoring/import_summaries.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def articles(request: HttpRequest) -> HttpResponse:
    form = ArticlesFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file, name = form.cleaned_data["file"], form.cleaned_data["study"]
        try:
            found = import_longeval(data=_data(file), filename=file.name, study_name=name)
        except ImportRefused as error:
            form.add_error("file", str(error))
        else:
            new = sum(each["new"] for each in found["summaries"])
            messages.success(
                request,
                f"{_counted(len(found['summaries']), 'summary', 'summaries')} of "
                f"{_counted(len(found['systems']), 'system', 'systems')} in the study. New here: "
                f"{_counted(found['books'], 'book', 'books')}, {_counted(new, 'summary', 'summaries')}."
                + (" What was taken off summaries stands on the study’s page." if found["notes"] else ""),
            )
            return redirect("annotation:study-faithfulness", found["study"])
    return render(request, "scoring/import_articles.html", {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def judgements(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    form = JudgementsFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            found = import_judgements(
                data=_data(form.cleaned_data["file"]), study=study, scale=form.cleaned_data["scale"]
            )
        except ImportRefused as error:
            form.add_error("file", str(error))
        else:
            kind = "judgements of units" if found["kind"] == "fine" else "ratings"
            known = f" {found['unchanged']} tasks were here already." if found["unchanged"] else ""
            messages.success(request, f"{found['answers']} {kind} by {found['people']} people read.{known}")
            return redirect("annotation:study-faithfulness", study.name)
    context = {"study": study, "form": form}
    return render(request, "scoring/import_judgements.html", context, status=400 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    form = MetricsFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            counts = import_metrics(data=_data(form.cleaned_data["file"]), by=request.user)
        except ImportRefused as error:
            form.add_error("file", str(error))
        else:
            words = f"{counts['new']} new figures, {counts['changed']} changed, {counts['unchanged']} as before."
            messages.success(request, words)
            return redirect("scoring:metrics", study.name)
    found = metric_table(study)
    context = {"study": study, "form": form, "table": metrics_described(found) if found.names else None}
    return render(request, "scoring/metrics.html", context, status=400 if form.errors else 200)


def _data(file: "UploadedFile[bytes]") -> bytes:
    """Raises ImportRefused for a file that is larger than what is taken."""
    if file.size is None or file.size > settings.UPLOAD_LIMIT_BYTES:
        raise ImportRefused(f"The file is larger than {settings.UPLOAD_LIMIT_BYTES // 2**20} MB.")
    return bytes(file.read())


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
