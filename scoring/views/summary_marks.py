"""One summary with the marks of everybody who looked at it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.left_out import left_out
from annotation.services.seen import reveal_marks
from scoring.report.writing import percent
from scoring.selectors.summary_lanes import summary_lanes
from summarizer.models import Summary


@require_safe
def summary_marks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    summary = get_object_or_404(study.summaries.select_related("book", "system__endpoint"), pk=pk)
    reveal_marks(user=request.user, study=study, summary=summary)
    lanes = summary_lanes(study, summary)
    context = {
        "study": study,
        "summary": summary,
        "lanes": lanes,
        "left_out": left_out(study, summary=summary),
        "scores": [
            (source, percent(source.score), percent(source.published) if source.published else "")
            for source in lanes.sources
        ],
        "neighbours": _neighbours(study, summary),
    }
    return render(request, "scoring/summary_marks.html", context)


def _neighbours(study: Study, summary: Summary) -> dict[str, int | None]:
    """The summaries before and after this one, of the same system, by the book's title."""
    own = list(study.summaries.filter(system=summary.system).order_by("book__title", "id").values_list("pk", flat=True))
    place = own.index(summary.pk)
    return {
        "before": own[place - 1] if place else None,
        "after": own[place + 1] if place + 1 < len(own) else None,
    }
