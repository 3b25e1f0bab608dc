"""Marks of a source as a list to read, for those who come from a bar of a chart."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import ReviewDecision, Study
from annotation.selectors.marks import offered_error_types
from annotation.services.seen import reveal_marks_of
from scoring.report.building import judge_names
from scoring.report.precision import judges_by_name
from scoring.report.structure import PEOPLE
from scoring.selectors.marks_to_read import OUTSIDE, REVIEWED, UNDECIDED, Wanted, marks_to_read, marks_wanted
from scoring.selectors.reviews import judges_only_reviewed
from summarizer.identifiers import row_id
from summarizer.models import System

MARKS_A_PAGE = 25
DECISIONS = [
    ("", "Any, or none"),
    (REVIEWED, "In the review"),
    *ReviewDecision.Agreement.choices,
    (UNDECIDED, "Nobody decided"),
]


@require_safe
def marks(request: HttpRequest, slug: str) -> HttpResponse:
    """Query: `source` ("human", a judge's id, or the name of judges outside of the study after "review:"), `system`,
    `type`, `decision`, `page`. Whoever reads it has seen the marks of these summaries."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    judges = list(study.judges.select_related("endpoint", "prompt_set").order_by("pseudonym"))
    names = {each.id: each for each in judge_names(judges)}
    by_name = judges_by_name([*names.values()])
    outside = [name for name in judges_only_reviewed(study, judges) if name not in by_name]
    source = request.GET.get("source") or PEOPLE
    chosen = names.get(row_id(source) or 0)
    only_reviewed = source.removeprefix(OUTSIDE) if source.startswith(OUTSIDE) else ""
    if source != PEOPLE and chosen is None and only_reviewed not in outside:
        raise Http404("This study has no such judge. The charts of the dashboard lead to the lists of all.")
    wanted = Wanted(
        judge=next((judge for judge in judges if chosen and judge.pk == chosen.id), None),
        outside=chosen.name if chosen and by_name[chosen.name] == chosen else only_reviewed,
        system_id=row_id(request.GET.get("system", "")),
        error_type=request.GET.get("type", "").replace("\0", ""),
        decision=decision if (decision := request.GET.get("decision", "")) in dict(DECISIONS) else "",
    )
    page = Paginator(marks_wanted(study, judges, wanted), MARKS_A_PAGE).get_page(request.GET.get("page"))
    found = marks_to_read(study, list(page), chosen.label if chosen else only_reviewed)
    reveal_marks_of(user=request.user, study=study, summaries={each.summary.pk for each in found})
    context = {
        "study": study,
        "judge": chosen,
        "only_reviewed": only_reviewed,
        "sources": [
            (PEOPLE, "People"),
            *((str(each.id), each.label) for each in names.values()),
            *((f"{OUTSIDE}{name}", name) for name in outside),
        ],
        "source": source,
        "systems": System.objects.filter(summaries__studies=study).distinct().order_by("name"),
        "error_types": offered_error_types(),
        "decisions": DECISIONS,
        "wanted": wanted,
        "page": page,
        "marks": found,
    }
    return render(request, "scoring/marks.html", context)
