"""A study's rounds of comparisons: their pairs, questions and people, opening and closing."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.forms.comparisons import OverlapForm, QuestionSet, RoundForm, SystemsForm, questions_in
from annotation.models import ComparisonRound, Study
from annotation.selectors.comparisons import comparable_books, pairs_of, round_problems, rounds_of
from annotation.services import comparison_rounds as rounds
from annotation.services.studies import StudyError
from summarizer.identifiers import row_id, row_ids
from summarizer.models import Summary, System


@require_http_methods(["GET", "POST"])
def study_comparisons(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    form = RoundForm(request.POST or None)
    if form.is_valid():
        try:
            created = rounds.create_round(study=study, **form.cleaned_data)
        except StudyError as error:
            form.add_error("name", str(error))
        else:
            return redirect("annotation:comparison-round", slug, created.pk)
    context = {
        "study": study,
        "form": form,
        "rounds": rounds_of(study),
        "comparable": len(comparable_books(study)),
        "editable": study.phase != Study.Phase.CLOSED,
    }
    return render(request, "annotation/study_comparisons.html", context)


@require_http_methods(["GET", "POST"])
def comparison_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    asked_in = get_object_or_404(ComparisonRound, study=study, pk=row_id(str(pk)) or 0)
    questions = QuestionSet(
        request.POST if request.POST.get("action") == "questions" else None,
        initial=[asdict(each) for each in rounds.questions_of(asked_in)],
        prefix="question",
    )
    if request.method == "POST":
        try:
            if done := ACTIONS.get(request.POST.get("action", ""), _unknown)(request, asked_in, questions):
                return done
        except StudyError as error:
            messages.error(request, str(error))
            if not questions.is_bound:
                return redirect("annotation:comparison-round", slug, asked_in.pk)
    return render(request, "annotation/comparison_round.html", _context(asked_in, questions))


def _context(asked_in: ComparisonRound, questions: Any) -> dict[str, Any]:
    study = asked_in.study
    in_setup = asked_in.state == ComparisonRound.State.SETUP and study.phase != Study.Phase.CLOSED
    books = comparable_books(study) if in_setup else []
    systems = System.objects.filter(pk__in={each.system_id for _, summaries in books for each in summaries})
    return {
        "study": study,
        "round": asked_in,
        "in_setup": in_setup,
        "progress": next(progress for each, progress in rounds_of(study) if each.pk == asked_in.pk),
        "pairs": pairs_of(asked_in),
        "books": books,
        "systems": SystemsForm(systems=systems.order_by("name")),
        "overlap": OverlapForm(initial={"overlap": asked_in.overlap}),
        "questions": questions,
        "people": rounds.comparers_of(study),
        "problems": round_problems(asked_in) if in_setup else [],
    }


Action = Callable[[HttpRequest, ComparisonRound, Any], HttpResponseRedirect | None]


def _unknown(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    raise StudyError("This form is incomplete. Reload the page and try again.")


def _systems(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    form = SystemsForm(request.POST, systems=System.objects.all())
    if not form.is_valid():
        raise StudyError("Choose two systems.")
    number = rounds.add_pairs_of_systems(asked_in=asked_in, **form.cleaned_data)
    messages.success(request, f"{number} {'pair' if number == 1 else 'pairs'} added.")
    return _back(asked_in)


def _pair(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    chosen = list(Summary.objects.filter(pk__in=row_ids(request.POST.getlist("summary"))).select_related("system"))
    if len(chosen) != 2:
        raise StudyError("Tick exactly two summaries of one book.")
    if rounds.add_pair(asked_in=asked_in, one=chosen[0], other=chosen[1]):
        messages.success(request, "1 pair added.")
    else:
        messages.warning(request, "This pair is in the round already.")
    return _back(asked_in)


def _remove(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    if not rounds.remove_pairs(asked_in=asked_in, pairs=row_ids(request.POST.getlist("pair"))):
        raise StudyError("Tick the pairs to take out.")
    messages.success(request, "Taken out of the round. The summaries themselves stay.")
    return _back(asked_in)


def _overlap(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    form = OverlapForm(request.POST)
    if not form.is_valid():
        raise StudyError(f"Ask from 1 to {rounds.LARGEST_OVERLAP} people to compare each pair.")
    rounds.set_overlap(asked_in=asked_in, **form.cleaned_data)
    messages.success(request, "Saved.")
    return _back(asked_in)


def _questions(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    if not questions.is_valid():
        raise StudyError("Some questions are incomplete or too long; see below.")
    rounds.set_questions(asked_in=asked_in, questions=questions_in(questions))
    messages.success(request, "Questions saved.")
    return _back(asked_in)


def _people(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    rounds.set_comparers(study=asked_in.study, annotators=row_ids(request.POST.getlist("annotator")))
    messages.success(request, "Saved.")
    return _back(asked_in)


def _open(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    rounds.open_round(asked_in=asked_in)
    messages.success(request, "The round is open: everybody finds their comparisons under “My tasks”.")
    return _back(asked_in)


def _close(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    rounds.close_round(asked_in=asked_in)
    messages.success(request, "The round is closed. What was submitted stays.")
    return _back(asked_in)


def _delete(request: HttpRequest, asked_in: ComparisonRound, questions: Any) -> HttpResponseRedirect | None:
    rounds.delete_round(asked_in=asked_in)
    messages.success(request, f"The round “{asked_in.name}” is deleted.")
    return redirect("annotation:study-comparisons", asked_in.study.name)


def _back(asked_in: ComparisonRound) -> HttpResponseRedirect:
    return redirect("annotation:comparison-round", asked_in.study.name, asked_in.pk)


ACTIONS: dict[str, Action] = {
    "systems": _systems,
    "pair": _pair,
    "remove": _remove,
    "overlap": _overlap,
    "questions": _questions,
    "people": _people,
    "open": _open,
    "close": _close,
    "delete": _delete,
}
