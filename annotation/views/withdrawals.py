"""Withdrawing from a study: for the person themself, and for a researcher whom they asked."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import Blinded, Login, NoSuchTask, require_not_blind
from annotation.models import Annotator, Assignment, Study
from annotation.selectors.withdrawals import data_of, has_withdrawn, took_part
from annotation.services import withdrawals as service

DONE = "All that {person} did in “{study}” is removed. Tasks that became free went to others."


@never_cache
@require_http_methods(["GET", "POST"])
def withdraw(request: HttpRequest, key: UUID) -> HttpResponse:
    """The person's own act; any task of theirs names the study, whatever its phase."""
    tasks = Assignment.all_purposes.select_related("study", "annotator")
    task = tasks.filter(key=key, annotator__user=request.user.pk).first()
    if task is None:
        raise NoSuchTask("You have no such task. The studies that you take part in are listed under your account.")
    if request.method == "POST" and request.POST.get("sure") == "on":
        with suppress(service.WithdrawalError):  # done in another window at the same moment
            service.withdraw(study=task.study, annotator=task.annotator, by=request.user)
        messages.success(request, f"You have withdrawn. {DONE.format(person='you', study=task.study.title)}")
        return redirect("annotation:tasks")
    lines = data_of(task.study, task.annotator).lines
    context = {"study": task.study, "lines": lines, "unticked": request.method == "POST"}
    return render(request, "annotation/withdraw.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def study_withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """A researcher's act: shows what goes, and asks for the pseudonym to be typed."""
    study = get_object_or_404(Study, name=slug)
    pseudonym = (request.POST.get("person") or request.GET.get("person") or "").replace("\0", "").strip()[:200]
    people = Annotator.objects.filter(kind=Annotator.Kind.PERSON)
    person = people.filter(pseudonym__iexact=pseudonym).first() if pseudonym else None
    problem = _problem(study, person, pseudonym)
    wrong = ""
    if request.method == "POST" and person and not problem:
        if request.POST.get("typed", "").strip().lower() == person.pseudonym.lower():
            return _withdraw(request, study, person)
        wrong = f"Type {person.pseudonym} to confirm. Nothing was removed."
    shown = person if person and not problem else None
    context = {
        "study": study,
        "person": shown,
        "pseudonym": pseudonym,
        "problem": problem,
        "wrong": wrong,
        "lines": data_of(study, shown).lines if shown and sees_counts(request.user, study) else None,
    }
    return render(request, "annotation/study_withdraw.html", context, status=400 if wrong else 200)


def sees_counts(user: Login, study: Study) -> bool:
    """How much somebody marked is nothing for those who are blind to the study."""
    try:
        require_not_blind(user, study=study)
    except Blinded:
        return False
    return True


def _problem(study: Study, person: Annotator | None, pseudonym: str) -> str:
    if not pseudonym:
        return ""
    if person is not None and has_withdrawn(study, person):
        return f"{person} has withdrawn from this study already; nothing of them is left in it."
    if person is None or not took_part(study, person):
        return f"Nobody called {pseudonym} takes part in this study. Pseudonyms stand under People."
    return ""


def _withdraw(request: HttpRequest, study: Study, person: Annotator) -> HttpResponse:
    try:
        service.withdraw(study=study, annotator=person, by=request.user)
    except service.WithdrawalError as error:  # done twice at the same moment
        messages.error(request, str(error))
    else:
        messages.success(request, DONE.format(person=person.pseudonym, study=study.title))
    return redirect("annotation:study-consent", study.name)
