"""How faithful the summaries of a study are: the page of its figures, and one summary unit by unit."""

from typing import Any
from urllib.parse import urlencode

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
from scoring.report.faithfulness.structure import FaithfulnessReport, SummaryFaithfulness
from scoring.selectors.summary_units import summary_units
from scoring.tables.faithfulness import page_tables, summaries_described
from scoring.tables.faithfulness_tables import learning_words
from scoring.tables.report_tables import chart_table
from scoring.tables.unit_judge_tables import accuracy_words
from scoring.views.dashboard import ChartOnPage

SUMMARIES_A_PAGE = 50
#: In the query: those first on which people lie furthest apart.
SPREAD = "spread"


@require_safe
def faithfulness(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    report = read_faithfulness(study)
    context: dict[str, Any] = {"study": study, "report": report}
    if report is not None:
        system, order = request.GET.get("system", ""), request.GET.get("order", "")
        shown = _in_order([each for each in report.summaries if system in ("", each.system)], order)
        page = Paginator(shown, SUMMARIES_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "charts": {_name(key): _on_page(chart, report, slug) for key, chart in FAITHFULNESS_CHARTS.items()},
            "tables": page_tables(report, slug),
            "accuracies": [words for judge in report.unit_judges.judges if (words := accuracy_words(judge))],
            "learning": learning_words(report.learning),
            "page": page,
            "chosen_system": system,
            "order": order,
            "summaries": summaries_described(list(page), slug),
        }
    return render(request, "scoring/faithfulness.html", context)


def _name(key: str) -> str:
    """As templates name it."""
    return key.removeprefix("faithfulness-")


def _on_page(chart: Chart, report: FaithfulnessReport, slug: str) -> ChartOnPage:
    rows = [{**row, "url": _url(chart, row, slug)} for row in chart.rows(report)]
    drawing = {"specification": chart.specification(rows), "rows": rows} if rows else None
    return ChartOnPage(chart, chart_table(chart, rows), drawing)


def _url(chart: Chart, row: dict[str, Any], slug: str) -> str:
    """Points of summaries lead to what people answered; others to the summaries, from which it is one click more."""
    if "summary" in row:
        return reverse("scoring:summary-faithfulness", args=[slug, row["summary"]])
    query = None
    if chart.key in ("faithfulness-scores", "faithfulness-judges"):
        query = {"system": row.get("name", "")}
    if chart.key in ("faithfulness-spread", "faithfulness-agreement"):
        query = {"order": SPREAD}
    return f"{reverse('scoring:faithfulness', args=[slug])}?{urlencode(query)}#summaries" if query else ""


def _in_order(summaries: list[SummaryFaithfulness], order: str) -> list[SummaryFaithfulness]:
    """As they are, or with SPREAD those first on which people lie furthest apart."""
    return sorted(summaries, key=_spread, reverse=True) if order == SPREAD else summaries


def _spread(summary: SummaryFaithfulness) -> float:
    """The larger of both ways of asking; those that only one person answered come last."""
    found = [way.spread.deviation for way in (summary.fine, summary.coarse) if way and way.spread]
    return max(found, default=-1.0)


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
