"""The dashboard of a study, and its report as JSON."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.progress import progress_of
from scoring.charts.chart import Chart
from scoring.charts.links import ChartLinks
from scoring.charts.registry import CHARTS
from scoring.report import Report, build_report
from scoring.report.writing import report_json
from scoring.selectors.work import imported_sets, people_progress, tasks_of_all
from scoring.tables import Table
from scoring.tables.dashboard import page_tables, summaries_described
from scoring.tables.pool_tables import shown_pools
from scoring.tables.report_tables import chart_table, guess_words

SUMMARIES_A_PAGE = 50


@dataclass(frozen=True)
class ChartOnPage:
    chart: Chart
    table: Table
    #: What the script draws: {"specification", "rows"}; None where there is not enough data.
    drawing: dict[str, Any] | None


@require_safe
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study.objects.select_related("faithfulness"), name=slug)
    require_not_blind(request.user, study=study)
    report = build_report(study, with_texts=False)
    system = request.GET.get("system", "")
    shown = [each for each in report.summaries if not system or each.system == system]
    page = Paginator(shown, SUMMARIES_A_PAGE).get_page(request.GET.get("page"))
    described = page_tables(report, slug)
    links = ChartLinks(report, slug)
    progress = progress_of(study)
    context = {
        "study": study,
        "report": report,
        "charts": {key.replace("-", "_"): _on_page(chart, report, links) for key, chart in CHARTS.items()},
        "tables": {key.replace("-", "_"): each for key, each in described.items()},
        "pools": [(pool, described.get(pool.key)) for pool in shown_pools(report.pools)],
        "guess_words": guess_words(report),
        "page": page,
        "summaries": summaries_described(report, list(page), slug, system, for_page=True),
        "chosen_system": system,
        "faithfulness_plan": getattr(study, "faithfulness", None),
        "marked": report.is_marked,
        # Preferences come first where nobody marked: where there are some, or nothing else is asked.
        "compared": not report.is_marked
        and bool(report.preferences.answers or (progress.compare.total and not progress.annotate.total)),
        "tasks": tasks_of_all(progress),
        "progress": people_progress(study),
        "imported_sets": imported_sets(study),
        "incomplete": [
            (each.name, judge) for each in report.systems for judge in each.judges if judge.unparsed or judge.absent
        ],
    }
    return render(request, "scoring/dashboard.html", context)


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The same JSON that `manage.py report` prints."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    return JsonResponse(report_json(build_report(study)), json_dumps_params={"ensure_ascii": False, "allow_nan": False})


def _on_page(chart: Chart, report: Report, links: ChartLinks) -> ChartOnPage:
    rows = [{**row, "url": links.of(chart.key, row)} for row in chart.rows(report)]
    drawing = {"specification": chart.specification(rows), "rows": rows} if rows else None
    return ChartOnPage(chart, chart_table(chart, rows), drawing)
