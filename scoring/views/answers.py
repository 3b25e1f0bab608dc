"""What people answered about pairs of summaries, to read: for those who come from a bar of preferences."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.services.seen import reveal_marks_of
from scoring.selectors.answers_to_read import (
    CHOSEN,
    WantedAnswers,
    answers_to_read,
    answers_wanted,
    choices,
    totals_wanted,
)

ANSWERS_A_PAGE = 25
#: Besides "any".
ANSWERS = [(CHOSEN, "One was chosen"), ("draw", "Draw"), ("yes", "Yes"), ("no", "No")]
FILTERS = ("round", "question", "answer", "system", "beside", "person")


@require_safe
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Query: the fields of `WantedAnswers`, `page`. Whoever reads it has seen what people think of these summaries."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    wanted = WantedAnswers(**{name: request.GET.get(name, "").replace("\0", "") for name in FILTERS})
    page = Paginator(answers_wanted(study, wanted), ANSWERS_A_PAGE).get_page(request.GET.get("page"))
    found = answers_to_read(list(page))
    compared = {each.given.comparison for each in found}
    reveal_marks_of(
        user=request.user,
        study=study,
        summaries={pk for each in compared for pk in (each.first_id, each.second_id)},
    )
    context = {
        "study": study,
        "choices": choices(study),
        "answers": ANSWERS,
        "wanted": wanted,
        "page": page,
        "found": found,
        "totals": totals_wanted(study, wanted),
        "in_study": set(study.summaries.values_list("pk", flat=True)),
    }
    return render(request, "scoring/answers.html", context)
