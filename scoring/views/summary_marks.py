"""One summary, or all of a book, with the marks of everybody who looked at them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.left_out import left_out
from annotation.services.seen import reveal_marks, reveal_marks_of
from scoring.report.writing import percent
from scoring.selectors.summary_lanes import Source, book_lanes, summary_lanes
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
        "scores": [_score(source) for source in lanes.sources],
        "systems_of_book": study.summaries.filter(book=summary.book_id).count(),
        "neighbours": _neighbours(study, summary),
    }
    return render(request, "scoring/summary_marks.html", context)


@require_safe
def book_marks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """All systems' summaries of a book beside each other, with everybody's marks."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    summaries = list(
        study.summaries.filter(book=pk)
        .select_related("book", "system__endpoint")
        .defer("book__text")
        .order_by("system__name")
    )
    if not summaries:
        raise Http404("This study has no summary of that book. The dashboard lists what it has.")
    reveal_marks_of(user=request.user, study=study, summaries=[summary.pk for summary in summaries])
    found = book_lanes(study, summaries)
    context = {
        "study": study,
        "book": summaries[0].book,
        "sources": found.sources,
        "columns": [
            {
                "summary": summary,
                "prefix": f"system-{summary.pk}-",
                "lanes": lanes,
                "scores": [_score(source) for source in lanes.sources],
            }
            for summary, lanes in found.summaries
        ],
        "neighbours": _books_beside(study, pk),
    }
    return render(request, "scoring/book_marks.html", context)


def _score(source: Source) -> tuple[Source, str, str]:
    """The source, its score, and for a person the one by the published rule; in percent."""
    return source, percent(source.score), percent(source.published) if source.published else ""


def _books_beside(study: Study, book: int) -> dict[str, int | None]:
    """The books before and after this one, by title."""
    rows = study.summaries.order_by("book__title", "book").values_list("book", flat=True)
    return _beside(list(dict.fromkeys(rows)), book)


def _beside(own: list[int], pk: int) -> dict[str, int | None]:
    place = own.index(pk)
    return {
        "before": own[place - 1] if place else None,
        "after": own[place + 1] if place + 1 < len(own) else None,
    }


def _neighbours(study: Study, summary: Summary) -> dict[str, int | None]:
    """The summaries before and after this one, of the same system, by the book's title."""
    own = study.summaries.filter(system=summary.system).order_by("book__title", "id").values_list("pk", flat=True)
    return _beside(list(own), summary.pk)
