"""The report of a study as a page that prints: as it is now, and as it was frozen."""

import json
from base64 import b64encode
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from scoring.models import Report
from scoring.services.reports import ReportRefused, freeze_report
from scoring.study_report.content import read_at, report_content, shown_table


@require_http_methods(["GET", "POST"])
def study_report(request: HttpRequest, slug: str) -> HttpResponse:
    """As it is now; a POST freezes it."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    if request.method == "POST":
        try:
            frozen = freeze_report(study=study, by=request.user, note=request.POST.get("note", "").replace("\0", ""))
        except ReportRefused as error:
            messages.error(request, str(error))
            return redirect("scoring:study-report", study.name)
        messages.success(
            request, f"Version {frozen.number} is frozen: it stays as it is, whatever changes in the study."
        )
        return redirect("scoring:report-version", study.name, frozen.number)
    return render(request, "scoring/study_report.html", _context(study, report_content(study)))


@require_safe
def report_version(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    frozen = _version(request, slug, version)
    withdrawn = frozen.study.withdrawals.filter(at__gte=frozen.created_at).count()
    context = _context(frozen.study, json.loads(frozen.content)) | {"frozen": frozen, "withdrawn": withdrawn}
    return render(request, "scoring/study_report.html", context)


@require_safe
def report_version_file(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """The stored bytes, whose SHA-256 stands on the page."""
    frozen = _version(request, slug, version)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-report-{version}.json"'}
    return HttpResponse(frozen.content, content_type="application/json", headers=headers)


def _version(request: HttpRequest, slug: str, version: int) -> Report:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    return get_object_or_404(Report.objects.select_related("study", "by"), study=study, number=version)


def _context(study: Study, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "study": study,
        "content": content,
        "at": read_at(content),
        "sections": [_section(part, content["charts"]) for part in content["sections"]],
        "versions": Report.objects.filter(study=study).select_related("by").defer("content"),
    }


def _section(part: dict[str, Any], charts: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Pictures as addresses that hold them, so that the page is whole wherever it is kept."""
    return {
        "title": part["title"],
        "charts": [
            {**charts[key], "address": f"data:image/svg+xml;base64,{b64encode(charts[key]['svg'].encode()).decode()}"}
            for key in part["charts"]
        ],
        "tables": [{**each, "table": shown_table(each)} for each in part["tables"]],
    }
