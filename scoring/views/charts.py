"""Charts of a study as files."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from scoring.charts.chart import Chart, Row
from scoring.charts.registry import CHARTS, FAITHFULNESS_CHARTS
from scoring.charts.rendering import as_csv, as_json, as_png, as_svg
from scoring.report import build_report
from scoring.report.faithfulness.reading import read_faithfulness
from scoring.tables.dashboard import chart_described
from scoring.views.table_files import FORMS as TABLE_FORMS

#: Form -> content type, and what makes the file.
FORMS: dict[str, tuple[str, Callable[[Chart, list[Row], bool], str | bytes]]] = {
    "svg": ("image/svg+xml", lambda chart, rows, dark: as_svg(chart, rows, dark=dark)),
    "png": ("image/png", lambda chart, rows, dark: as_png(chart, rows, dark=dark)),
    "csv": ("text/csv; charset=utf-8", lambda chart, rows, dark: as_csv(chart.columns, rows)),
    "json": ("application/json", lambda chart, rows, dark: as_json(rows)),
}
LATEX = "tex"


@require_safe
def chart_file(request: HttpRequest, slug: str, key: str, form: str) -> HttpResponse:
    """A chart as SVG or PNG (`?theme=dark` for dark ground), or its rows as CSV, LaTeX or JSON."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    chart = CHARTS.get(key) or FAITHFULNESS_CHARTS.get(key)
    if chart is None or form not in (*FORMS, LATEX):
        raise Http404("There is no such chart. The dashboard's menus lead to all of them.")
    rows = _rows(chart, study)
    if not rows and form in ("svg", "png"):
        raise Http404(f"Not enough data to draw this chart. {chart.missing}")
    headers = {"Content-Disposition": f'attachment; filename="{slug}-{key}.{form}"'}
    if form == LATEX:
        content_type, write = TABLE_FORMS[LATEX]
        table = write(chart_described(chart, rows, study), study.title)
        return HttpResponse(table, content_type=content_type, headers=headers)
    content_type, make = FORMS[form]
    content = make(chart, rows, request.GET.get("theme") == "dark")
    return HttpResponse(content, content_type=content_type, headers=headers)


def _rows(chart: Chart, study: Study) -> list[Row]:
    if chart.key in CHARTS:
        return chart.rows(build_report(study, with_texts=False))
    report = read_faithfulness(study)
    return chart.rows(report) if report else []
