"""Adjudication: several people's marks on one summary, and the researchers' decisions on them, the gold set."""

from textwrap import shorten
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_safe

from annotation.access import require_not_blind
from annotation.api.gold import state_json
from annotation.models import Annotation, ErrorType, Study
from annotation.selectors.gold import gold_document, gold_state, summaries_to_adjudicate
from annotation.selectors.marks import error_types_shown, mark_content, offered_error_types
from annotation.services.seen import reveal_marks, reveal_study
from scoring.selectors.adjudication import Adjudication, SentenceTouched, adjudication
from summarizer.identifiers import row_id
from summarizer.models import Summary


@require_safe
def gold(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's summaries, with what was submitted on each and how far it is decided."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    rows = summaries_to_adjudicate(study)
    context = {
        "study": study,
        "rows": rows,
        "submitted": any(row.people for row in rows),
        "finished": sum(row.state == "finished" for row in rows),
        "begun": any(row.changed_at for row in rows),
    }
    return render(request, "scoring/gold.html", context)


@require_safe
def gold_file(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    reveal_study(user=request.user, study=study)
    response = JsonResponse(gold_document(study), json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="gold-{study.name}.json"'
    return response


@require_GET
@ensure_csrf_cookie
def summary_gold(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """`judge` in the query, once or more: ids of judges whose marks are shown too."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    summary = get_object_or_404(study.summaries.select_related("book", "system__endpoint"), pk=pk)
    reveal_marks(user=request.user, study=study, summary=summary)
    judges = {judge for text in request.GET.getlist("judge") if (judge := row_id(text)) is not None}
    found = adjudication(study, summary, judges=judges)
    error_types = offered_error_types()
    context = {
        "study": study,
        "summary": summary,
        "found": found,
        "sentences": _sentences(summary, found),
        "untouched": sum(not each.by for each in found.touched),
        "error_types": error_types,
        "page_data": _page_data(study, summary, found, error_types),
    }
    return render(request, "scoring/summary_gold.html", context)


def _sentences(summary: Summary, found: Adjudication) -> list[tuple[SentenceTouched, str]]:
    """The sentences that somebody touched, with how each begins."""
    begins = [shorten(summary.text[start:end], 80, placeholder=" …") for start, end in found.sentences]
    return [(each, text) for each, text in zip(found.touched, begins, strict=True) if each.by]


def _page_data(study: Study, summary: Summary, found: Adjudication, error_types: list[ErrorType]) -> dict[str, Any]:
    """What the page's scripts start from; the text itself is in the page already."""
    return {
        "task": f"gold-{study.pk}-{summary.pk}",
        "api": reverse("annotation-api:summary-gold", args=[study.name, summary.pk]),
        "login": reverse("login"),
        "state": state_json(gold_state(study, summary)),
        "sentences": found.sentences,
        "touched": [each.by for each in found.touched],
        "lookers": [
            {"letter": looker.letter, "name": looker.name, "isJudge": looker.is_judge} for looker in found.lookers
        ],
        "marks": [_mark_data(looker, annotation) for looker, annotation in found.annotations],
        "places": found.places,
        "heat": [[each.start, each.end, sorted(each.sources)] for each in found.heat],
        "errorTypes": error_types_shown(error_types),
    }


def _mark_data(looker: int, annotation: Annotation) -> dict[str, Any]:
    return {
        "id": annotation.pk,
        "looker": looker,
        "version": annotation.version,
        **mark_content(annotation),
        "flags": annotation.flags,
    }
