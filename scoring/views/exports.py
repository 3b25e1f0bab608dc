"""Files of a study: asking for one, how far it is, and downloading it."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from scoring.exports.formats import FORMATS
from scoring.models import StudyExport
from scoring.services.export_jobs import open_export, request_export, with_outdated
from scoring.services.exporting import ExportRefused


@require_http_methods(["GET", "POST"])
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    if request.method == "POST":
        form, with_source = request.POST.get("form", ""), "with_source" in request.POST
        try:
            request_export(study=study, form=form, with_source=with_source, by=request.user)
        except ExportRefused as error:
            messages.error(request, str(error))
        return redirect("scoring:exports", study.name)
    return render(request, "scoring/exports.html", _context(study))


@require_safe
def exports_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the page that is asked for again while a file is being made."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    return render(request, "scoring/_exports_list.html", _context(study))


def _context(study: Study) -> dict[str, Any]:
    rows = [
        {"export": export, "form": FORMATS.get(export.form), "outdated": export.outdated}  # type: ignore[attr-defined]
        for export in with_outdated(StudyExport.objects.filter(study=study).select_related("study"))[:20]
    ]
    under_way = any(export.under_way for row in rows if isinstance(export := row["export"], StudyExport))
    return {"study": study, "formats": FORMATS.values(), "rows": rows, "under_way": under_way}


@require_safe
def export_file(request: HttpRequest, slug: str, export: int) -> HttpResponse | StreamingHttpResponse:
    found = get_object_or_404(StudyExport.objects.select_related("study"), pk=export, study__name=slug)
    try:
        pieces = open_export(export=found, by=request.user)
    except ExportRefused as error:
        messages.error(request, str(error))
        return redirect("scoring:exports", slug)
    return download(found, pieces)


def download(export: StudyExport, pieces: Iterator[bytes]) -> StreamingHttpResponse:
    """The answer that a browser or a program saves as a file."""
    form = FORMATS[export.form]
    response = StreamingHttpResponse(pieces, content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{export.study.name}{form.infix}.{form.suffix}"'
    if export.size is not None:
        response["Content-Length"] = str(export.size)
    return response
