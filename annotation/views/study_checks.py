"""A study's attention checks: known summaries among the tasks, planted marks in the review."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import require_own_task_done, require_own_tasks_done
from annotation.forms.checks import KnownTextForm, PlantedMarkForm
from annotation.models import ErrorType, KnownPlace, KnownSummary, PlantedMark, Purpose, Study
from annotation.selectors.choices import summaries_in
from annotation.selectors.known import check_results, checks_of, gold_sets_for, may_be_known, planted_in
from annotation.services.known import (
    add_known_summary,
    add_known_text,
    plant_mark,
    remove_known_summary,
    remove_planted,
    set_known_sentences,
    take_gold_set,
)
from annotation.services.seen import reveal_marks
from annotation.services.studies import StudyError
from annotation.services.training import explain_place
from summarizer.identifiers import row_id, row_ids
from summarizer.models import Summary

#: How many summaries of the library are offered at once.
OFFERED = 20
BEFORE_REVIEW = (Study.Phase.SETUP, Study.Phase.ANNOTATING)


@require_http_methods(["GET", "POST"])
def study_checks(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study(request, slug)
    form = KnownTextForm(request.POST if "text" in request.POST else None)
    if request.method == "POST" and (answer := _change(request, study, form)):
        return answer
    context = {
        **known_to_add(request, study, form),
        "checks": checks_of(study),
        "planted": planted_in(study),
        "results": check_results(study),
        "summaries": summaries_in(study),
        "can_plant": study.phase in BEFORE_REVIEW and study.review_overlap,
    }
    return render(request, "annotation/study_checks.html", context)


def _change(request: HttpRequest, study: Study, form: KnownTextForm) -> HttpResponse | None:
    """None where the page is shown again with what is wrong."""
    if "unplant" in request.POST:
        planted = get_object_or_404(planted_in(study), pk=row_id(request.POST["unplant"]) or 0)
        try:
            remove_planted(study=study, planted=planted)
            messages.success(request, "The planted mark is gone.")
        except StudyError as error:
            messages.error(request, str(error))
        return redirect("annotation:study-checks", study.name)
    return change_known(request, study, form, Purpose.CHECK)


def change_known(request: HttpRequest, study: Study, form: KnownTextForm, purpose: Purpose) -> HttpResponse | None:
    """Add or take out a known summary; None where the page is shown again with what is wrong."""
    by = request.user.pk
    try:
        if "text" in request.POST:
            if not form.is_valid():
                return None
            return _to_places(add_known_text(study=study, purpose=purpose, by_id=by, **form.cleaned_data))
        if "choose" in request.POST:
            summary = get_object_or_404(Summary, pk=row_id(request.POST["choose"]) or 0)
            return _to_places(add_known_summary(study=study, summary=summary, purpose=purpose, by_id=by))
        if "remove" in request.POST:
            chosen = study.known_summaries.filter(purpose=purpose)
            remove_known_summary(known=get_object_or_404(chosen, pk=row_id(request.POST["remove"]) or 0))
            messages.success(request, "Taken out of the study. The summary itself stays.")
    except StudyError as error:
        if "text" in request.POST:
            form.add_error(None, str(error))
            return None
        messages.error(request, str(error))
    return redirect(
        "annotation:study-training" if purpose == Purpose.TRAINING else "annotation:study-checks", study.name
    )


def known_to_add(request: HttpRequest, study: Study, form: KnownTextForm) -> dict[str, Any]:
    """What the part of a page needs in which known summaries are added."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    can_add = study.phase == Study.Phase.SETUP
    others = may_be_known(study, words) if can_add else Summary.objects.none()
    return {
        "study": study,
        "form": form,
        "q": words,
        "others": others[:OFFERED],
        "more": others.count() > OFFERED,
        "can_add": can_add,
    }


def _to_places(known: KnownSummary) -> HttpResponse:
    return redirect("annotation:known-summary", known.study.name, known.pk)


@require_http_methods(["GET", "POST"])
def known_summary(request: HttpRequest, slug: str, known: int) -> HttpResponse:
    """The places of one known summary."""
    study = _study(request, slug)
    chosen = get_object_or_404(study.known_summaries.select_related("summary__book", "summary__system"), pk=known)
    require_own_task_done(request.user, chosen.summary_id)
    training = chosen.purpose == Purpose.TRAINING
    if "gold" in request.POST:
        return _take_gold(request, chosen)
    if request.method == "POST":
        try:
            set_known_sentences(
                known=chosen,
                sentences=row_ids(request.POST.getlist("sentence")),
                kept=row_ids(request.POST.getlist("keep")),
            )
            if training:
                _explain(request, chosen)
            number = chosen.places.count()
            messages.success(request, f"{number} known {'place' if number == 1 else 'places'} saved.")
        except StudyError as error:
            messages.error(request, str(error))
        return redirect("annotation:known-summary", slug, known)
    context = {
        "study": study,
        "known": chosen,
        "sentences": sentences_with_places(chosen),
        "training": training,
        "gold_sets": gold_sets_for(chosen) if study.phase == Study.Phase.SETUP else (),
        "error_types": ErrorType.objects.filter(retired=False) if training else (),
        "can_change": study.phase == Study.Phase.SETUP,
    }
    return render(request, "annotation/known_summary.html", context)


def _take_gold(request: HttpRequest, known: KnownSummary) -> HttpResponse:
    gold_set = get_object_or_404(gold_sets_for(known), pk=row_id(request.POST["gold"]) or 0)
    reveal_marks(user=request.user, study=gold_set.study, summary=known.summary)
    try:
        new = take_gold_set(known=known, gold_set=gold_set)
        messages.success(request, f"{new} {'place' if new == 1 else 'places'} taken from the gold set.")
    except StudyError as error:
        messages.error(request, str(error))
    return _to_places(known)


def _explain(request: HttpRequest, known: KnownSummary) -> None:
    for place in known.places.select_related("known__study"):
        if f"explanation-{place.pk}" in request.POST:
            explain_place(
                place=place,
                explanation=request.POST[f"explanation-{place.pk}"].replace("\0", ""),
                error_types=row_ids(request.POST.getlist(f"types-{place.pk}")),
            )


def sentences_with_places(known: KnownSummary) -> list[dict[str, Any]]:
    """The summary sentence by sentence; a place stands at the first sentence that it touches."""
    places = list(known.places.order_by("start").prefetch_related("error_types"))
    lines = []
    for index, start, end in known.summary.sentences.order_by("index").values_list("index", "start", "end"):
        here = [place for place in places if place.start < end]
        places = [place for place in places if place not in here]
        text = known.summary.text[start:end]
        lines.append({"index": index, "text": text, "places": here, "whole": _is_whole(here, start, end)})
    return lines


def _is_whole(places: Sequence[KnownPlace], start: int, end: int) -> bool:
    return len(places) == 1 and places[0].start <= start and end <= places[0].end


@require_http_methods(["GET", "POST"])
def study_plant(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Write a mark for the review of one of the study's summaries."""
    study = _study(request, slug)
    of_study = get_object_or_404(study.summaries.select_related("book", "system"), pk=pk)
    sentences = list(of_study.sentences.order_by("index").values_list("start", "end"))
    form = PlantedMarkForm(request.POST or None, summary=of_study, sentences=sentences)
    if form.is_valid():
        data = {name: form.cleaned_data[name] for name in ("place", "question", "error_type", "expected")}
        try:
            plant_mark(study=study, summary=of_study, by_id=request.user.pk, **data)
        except StudyError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The mark is planted.")
            return redirect("annotation:study-checks", slug)
    planted = PlantedMark.objects.filter(annotation__annotation_set__summary=of_study, pk__in=planted_in(study))
    context = {"study": study, "summary": of_study, "form": form, "planted": planted.count()}
    return render(request, "annotation/study_plant.html", context)


def _study(request: HttpRequest, slug: str) -> Study:
    """Raises Blinded for those who still have tasks in it: the page tells which of them are checks."""
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    return study
