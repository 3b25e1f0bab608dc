"""Tables of a study's pages as files: CSV in full precision, LaTeX with the rule in its caption."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from scoring.report import build_report
from scoring.report.faithfulness.reading import read_faithfulness
from scoring.selectors.qualification import groups_of_people
from scoring.tables import Described
from scoring.tables.dashboard import dashboard_tables
from scoring.tables.faithfulness import faithfulness_tables
from scoring.tables.files import as_csv, as_latex
from scoring.tables.metrics import metrics_tables
from scoring.tables.qualification import qualification_tables
from scoring.views.judge_and_people import read_agreement
from scoring.views.people import people_tables


def _dashboard(study: Study, query: dict[str, Any]) -> dict[str, Described]:
    return dashboard_tables(build_report(study, with_texts=False), study.name, query.get("system", ""))


def _judge_and_people(study: Study, query: dict[str, Any]) -> dict[str, Described]:
    return read_agreement(study, query).tables


def _faithfulness(study: Study, query: dict[str, Any]) -> dict[str, Described]:
    report = read_faithfulness(study)
    return faithfulness_tables(report, study.name) if report else {}


#: The pages whose tables can be had, by the part of the address that names them.
GROUPS: dict[str, Callable[[Study, dict[str, Any]], dict[str, Described]]] = {
    "dashboard": _dashboard,
    "judge-and-people": _judge_and_people,
    "faithfulness": _faithfulness,
    "qualification": lambda study, query: qualification_tables(groups_of_people(study)),
    "people": lambda study, query: people_tables(study),
    "metrics": lambda study, query: metrics_tables(study),
}
FORMS: dict[str, tuple[str, Callable[[Described, str], str]]] = {
    "csv": ("text/csv; charset=utf-8", lambda found, study: as_csv(found.table)),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
}


@require_safe
def table_file(request: HttpRequest, slug: str, group: str, table: str, form: str) -> HttpResponse:
    """A table of a page, with all its rows. The query is the page's: `system`, `judge`, `epsilon`, `points`."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    if group not in GROUPS or form not in FORMS:
        raise Http404("There is no such table. The menus of a study's pages lead to all of them.")
    found = GROUPS[group](study, request.GET.dict()).get(table)
    if found is None:
        raise Http404("There is no such table, or nothing to show in it yet.")
    content_type, write = FORMS[form]
    headers = {"Content-Disposition": f'attachment; filename="{slug}-{table}.{form}"'}
    return HttpResponse(write(found, study.title), content_type=content_type, headers=headers)
