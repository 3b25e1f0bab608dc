"""Placing imported marks whose text occurs more than once: which of the places is meant is asked mark by mark."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.placing import MarkToPlace, mark_to_place, marks_to_place
from annotation.services.placing import PlacingError, place_mark
from annotation.services.seen import reveal_marks
from summarizer.identifiers import row_id


@require_safe
def study_places(request: HttpRequest, slug: str) -> HttpResponse:
    """The next mark that waits; when none does, what there is to say."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    marks = marks_to_place(study)
    if waiting := next((pk for pk, is_placed in marks if not is_placed), None):
        return redirect("annotation:mark-place", study.name, waiting)
    return render(request, "annotation/study_places.html", {"study": study, "marks": marks})


@require_http_methods(["GET", "POST"])
def study_place(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    found = mark_to_place(study, pk)
    if found is None:
        raise Http404("This study has no such mark to place.")
    reveal_marks(user=request.user, study=study, summary=found.annotation.annotation_set.summary)
    refused = ""
    if request.method == "POST":
        try:
            place_mark(study=study, mark=pk, starts=_starts(request, found), base_version=_version(request))
        except PlacingError as error:
            refused = str(error)
            found = mark_to_place(study, pk) or found
        else:
            messages.success(request, "Placed. Scores count it there from now on.")
            return redirect("annotation:study-places", study.name)
    context = {"study": study, "mark": found, "refused": refused, **_position(study, pk)}
    return render(request, "annotation/study_place.html", context, status=409 if refused else 200)


def _starts(request: HttpRequest, found: MarkToPlace) -> list[int]:
    """Where each span was put; -1, which is nowhere, for one that was left out or made up."""
    chosen = (request.POST.get(f"span-{index}", "") for index in range(len(found.spans)))
    return [_number(start) for start in chosen]


def _version(request: HttpRequest) -> int:
    return _number(request.POST.get("version", ""))


def _number(text: str) -> int:
    number = row_id(text)
    return -1 if number is None else number


def _position(study: Study, pk: int) -> dict[str, int | None]:
    """`number` of `total` marks, how many still wait, and the marks before and after this one."""
    marks = marks_to_place(study)
    keys = [key for key, _ in marks]
    place = keys.index(pk)
    return {
        "number": place + 1,
        "total": len(keys),
        "waiting": sum(not is_placed for _, is_placed in marks),
        "before": keys[place - 1] if place else None,
        "after": keys[place + 1] if place + 1 < len(keys) else None,
    }
