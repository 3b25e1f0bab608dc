"""The people of a study beside one another."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.known import check_results
from scoring.selectors.people import people_beside_others
from scoring.statistics.far import CASES, DEVIATIONS, OTHERS


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    context = {
        "study": study,
        "people": people_beside_others(study),
        "results": check_results(study),
        "deviations": DEVIATIONS,
        "cases": CASES,
        "others": OTHERS,
    }
    return render(request, "scoring/people.html", context)
