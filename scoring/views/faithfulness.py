"""How faithful the summaries of a study are: the page of its figures, and one summary unit by unit."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_not_blind
from annotation.faithfulness.selectors import plan_of
from annotation.faithfulness.truths import set_truths
from annotation.models import Study
from annotation.services.seen import reveal_marks
from annotation.services.studies import StudyError
from scoring.charts.chart import Chart
from scoring.charts.registry import FAITHFULNESS_CHARTS
from scoring.report.faithfulness.reading import read_faithfulness
from scoring.report.faithfulness.structure import FaithfulnessReport
from scoring.selectors.summary_units import summary_units
from scoring.tables.faithfulness import page_tables, summaries_described
from scoring.tables.faithfulness_tables import learning_words
from scoring.tables.report_tables import chart_table
from scoring.views.dashboard import ChartOnPage

SUMMARIES_A_PAGE = 50


@require_safe
def faithfulness(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    report = read_faithfulness(study)
    context: dict[str, Any] = {"study": study, "report": report}
    if report is not None:
        page = Paginator(report.summaries, SUMMARIES_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "charts": {_name(key): _on_page(chart, report, slug) for key, chart in FAITHFULNESS_CHARTS.items()},
            "tables": page_tables(report),
            "learning": learning_words(report.learning),
            "page": page,
            "summaries": summaries_described(list(page), slug),
        }
    return render(request, "scoring/faithfulness.html", context)


def _name(key: str) -> str:
    """As templates name it."""
    return key.removeprefix("faithfulness-")


def _on_page(chart: Chart, report: FaithfulnessReport, slug: str) -> ChartOnPage:
    rows = chart.rows(report)
    drawing = None
    if rows:
        drawing = {
            "specification": chart.specification(rows),
            "rows": [{**row, "url": _url(row, slug)} for row in rows],
        }
    return ChartOnPage(chart, chart_table(chart, rows, slug), drawing)


def _url(row: dict[str, Any], slug: str) -> str:
    """Points of summaries lead to what people answered."""
    return reverse("scoring:summary-faithfulness", args=[slug, row["summary"]]) if "summary" in row else ""


@require_safe
def summary_faithfulness(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Whoever opens it has seen the answers about this summary."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    summary = get_object_or_404(study.summaries.select_related("book", "system__endpoint"), pk=pk)
    units = None
    if plan := plan_of(study):
        units = summary_units(plan, summary)
        reveal_marks(user=request.user, study=study, summary=summary)
    context = {"study": study, "summary": summary, "units": units}
    return render(request, "scoring/summary_faithfulness.html", context)


TRUTHS: dict[str, bool | None] = {"yes": True, "no": False, "": None}


@require_http_methods(["GET", "HEAD", "POST"])
def summary_truths(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What is true of each unit. It shows no answers of people, and whoever opens it can't judge the book any more."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    summary = get_object_or_404(study.summaries.select_related("book", "system"), pk=pk)
    plan = plan_of(study)
    units = list(plan.units.filter(summary=summary, same_as=None).order_by("index")) if plan else []
    if plan:
        reveal_marks(user=request.user, study=study, summary=summary)
    if plan and request.method == "POST":
        given = {unit.pk: request.POST.get(f"unit-{unit.pk}") for unit in units}
        try:
            set_truths(
                plan=plan,
                summary=summary,
                truths={unit: TRUTHS[text] for unit, text in given.items() if text is not None and text in TRUTHS},
            )
        except StudyError as error:
            messages.error(request, str(error))
            return redirect("scoring:summary-truths", slug, pk)
        messages.success(request, "Saved what is true of these units.")
        return redirect("scoring:summary-faithfulness", slug, pk)
    context = {"study": study, "summary": summary, "plan": plan, "units": units}
    return render(request, "scoring/summary_truths.html", context)
