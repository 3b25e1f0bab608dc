"""The dashboard of a study, and its report as JSON."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.faithfulness.selectors import plan_of
from annotation.models import Study
from annotation.selectors.progress import progress_of
from scoring.charts.chart import Chart
from scoring.charts.registry import CHARTS
from scoring.report import Report, build_report
from scoring.report.writing import report_json
from scoring.selectors.work import imported_sets, people_progress
from scoring.views.pool_tables import judge_pairs_table, shown_pools
from scoring.views.tables import (
    Table,
    chart_table,
    guess_words,
    pairs_table,
    precision_table,
    summaries_table,
    systems_table,
)

SUMMARIES_A_PAGE = 50


@dataclass(frozen=True)
class ChartOnPage:
    chart: Chart
    table: Table
    #: What the script draws: {"specification", "rows"}; None where there is not enough data.
    drawing: dict[str, Any] | None


@require_safe
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    report = build_report(study, with_texts=False)
    system = request.GET.get("system", "")
    shown = [each for each in report.summaries if not system or each.system == system]
    page = Paginator(shown, SUMMARIES_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "report": report,
        "charts": {key.replace("-", "_"): _on_page(chart, report, slug) for key, chart in CHARTS.items()},
        "systems": systems_table(report, slug),
        "pools": shown_pools(report.pools),
        "judge_pairs": judge_pairs_table(report.pools.pairs),
        "pairs": pairs_table(report),
        "precision": precision_table(report),
        "guess_words": guess_words(report),
        "page": page,
        "summaries": summaries_table(report, list(page), slug),
        "chosen_system": system,
        "faithfulness_plan": plan_of(study),
        "tasks": progress_of(study),
        "progress": people_progress(study),
        "imported_sets": imported_sets(study),
        "incomplete": [
            (each.name, judge) for each in report.systems for judge in each.judges if judge.unparsed or judge.absent
        ],
        "costs": {name: costs for name, costs in report.costs.items() if costs.attempts},
    }
    return render(request, "scoring/dashboard.html", context)


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The same JSON that `manage.py report` prints."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    return JsonResponse(report_json(build_report(study)), json_dumps_params={"ensure_ascii": False, "allow_nan": False})


def _on_page(chart: Chart, report: Report, slug: str) -> ChartOnPage:
    rows = chart.rows(report)
    drawing = None
    if rows:
        links = _links(report, slug)
        drawing = {
            "specification": chart.specification(rows),
            "rows": [{**row, "url": links.get(row.get("summary") or row.get("system"), "")} for row in rows],
        }
    return ChartOnPage(chart, chart_table(chart, rows, slug), drawing)


def _links(report: Report, slug: str) -> dict[int | str | None, str]:
    """Where marks of charts lead: to the sentences of a summary, or to the list of a system's summaries."""
    dashboard = reverse("scoring:dashboard", args=[slug])
    of_summaries = reverse("scoring:summary-marks", args=[slug, 0]).removesuffix("0/")
    links: dict[int | str | None, str] = {each.id: f"{of_summaries}{each.id}/" for each in report.summaries}
    for system in report.systems:
        links[system.name] = f"{dashboard}?{urlencode({'system': system.name})}#summaries"
    return links
