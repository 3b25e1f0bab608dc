"""What is in a study: its summaries, its judges and its people."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.access import annotator_of
from annotation.forms.studies import MemberForm, MembersForm, SummaryFilterForm
from annotation.models import Annotator, FaithfulnessPlan, Study, StudyMember
from annotation.selectors.choices import (
    judges_of,
    people_to_add,
    summaries_in,
    summaries_to_add,
    systems_of,
    systems_with_summaries,
)
from annotation.selectors.free_tasks import free_tasks_explained
from annotation.selectors.stage import nobody_marks
from annotation.selectors.studies import annotating_problems, members_of
from annotation.services.assignment import Filled
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    fill_free_tasks,
    remove_judge,
    remove_member,
    remove_summaries,
)
from summarizer.identifiers import row_id, row_ids
from summarizer.models import Summary

PAGE_SIZE = 50


@require_http_methods(["GET", "POST"])
def study_summaries(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    wanted = SummaryFilterForm(request.GET)
    wanted.is_valid()
    book, system = wanted.cleaned_data.get("q", ""), wanted.cleaned_data.get("system")
    to_add = summaries_to_add(study, book=book, system=system)
    if request.method == "POST":
        _change_summaries(request, study, to_add)
        query = urlencode({name: value for name, value in (("q", book), ("system", system)) if value})
        return redirect(f"{reverse('annotation:study-summaries', args=[slug])}{'?' if query else ''}{query}")
    context = {
        "study": study,
        "editable": study.phase == Study.Phase.SETUP,
        "page": Paginator(to_add, PAGE_SIZE).get_page(request.GET.get("page")),
        "q": book,
        "system": system,
        "systems": systems_with_summaries(),
        "chosen_system": systems_with_summaries().filter(pk=system).first() if system else None,
        "in_study": summaries_in(study),
        "systems_in_study": systems_of(study),
    }
    return render(request, "annotation/study_summaries.html", context)


def _change_summaries(request: HttpRequest, study: Study, to_add: Any) -> None:
    """`add_all` takes everything the filter lists, on all of its pages, as it is now."""
    chosen = row_ids(request.POST.getlist("summary"))
    try:
        if "add_all" in request.POST:
            number = add_summaries(study=study, summaries=to_add)
            messages.success(request, f"{number} {'summary' if number == 1 else 'summaries'} added.")
        elif "remove" in request.POST:
            remove_summaries(study=study, summaries=Summary.objects.filter(pk__in=chosen))
            messages.success(request, "Taken out of the study. The summary itself stays.")
        elif chosen:
            number = add_summaries(study=study, summaries=Summary.objects.filter(pk__in=chosen))
            messages.success(request, f"{number} {'summary' if number == 1 else 'summaries'} added.")
        else:
            messages.warning(request, "Choose at least one summary.")
    except StudyError as error:
        messages.error(request, str(error))


@require_http_methods(["GET", "POST"])
def study_judges(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    if request.method == "POST":
        _change_judges(request, study)
        return redirect("annotation:study-judges", slug)
    context = {
        "study": study,
        "judges": judges_of(study, inside=True),
        "to_add": judges_of(study, inside=False),
        "summary_count": study.summaries.count(),
    }
    return render(request, "annotation/study_judges.html", context)


def _change_judges(request: HttpRequest, study: Study) -> None:
    add = "add" in request.POST
    pk = request.POST.get("add" if add else "remove", "")
    judge = Annotator.objects.filter(kind=Annotator.Kind.JUDGE, pk=row_id(pk) or 0).first()
    if judge is None:
        messages.error(request, "There is no such judge. Choose one from the list.")
        return
    try:
        (add_judge if add else remove_judge)(study=study, judge=judge)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{judge} {'counts in' if add else 'no longer counts in'} this study.")


@require_http_methods(["GET", "POST"])
def study_members(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    people = {person.pk: person for person in people_to_add(study)}
    choices = [(pk, f"{person.get_username()} ({person.get_role_display().lower()})") for pk, person in people.items()]  # type: ignore[attr-defined]
    checking = FaithfulnessPlan.objects.filter(study=study).exists()
    form = MembersForm(request.POST if request.POST.get("action") == "add" else None, people=choices, checking=checking)
    if request.method == "POST":
        try:
            done = _add_members(study, form, people) if form.is_bound else _change_member(request, study)
        except StudyError as error:
            messages.error(request, str(error))
            done = True
        if done:
            return redirect("annotation:study-members", slug)
    members = list(members_of(study).prefetch_related("annotator__user__external_ids"))
    marks_to_come = study.phase == Study.Phase.SETUP and not nobody_marks(members)
    context = {
        "study": study,
        "members": members,
        "form": form,
        "checking": checking,
        "problems": annotating_problems(study) if marks_to_come else [],
    }
    return render(request, "annotation/study_members.html", context)


def _add_members(study: Study, form: MembersForm, people: dict[int, Any]) -> bool:
    if not form.is_valid():
        return False
    role = form.cleaned_data["role"]
    for pk in form.cleaned_data["people"]:
        add_member(
            study=study,
            annotator=annotator_of(people[pk]),
            annotates=role in ("both", "annotates"),
            reviews=role in ("both", "reviews"),
            compares=role == "compares",
            judges_units=role == "judges_units",
            rates=role == "rates",
        )
    return True


def _change_member(request: HttpRequest, study: Study) -> bool:
    action = request.POST.get("action")
    if action == "fill":
        _tell_filled(request, study, fill_free_tasks(study=study))
        return True
    form = MemberForm(request.POST)
    if not form.is_valid():
        raise StudyError("This form is incomplete. Reload the page and try again.")
    member = get_object_or_404(StudyMember, study=study, pk=form.cleaned_data["member"])
    if action == "remove":
        filled = remove_member(study=study, member=member)
        messages.success(request, f"{member.annotator} left the study. What they submitted stays.")
        if filled.given or filled.free:
            _tell_filled(request, study, filled)
        return True
    add_member(
        study=study,
        annotator=member.annotator,
        annotates=form.cleaned_data["annotates"],
        reviews=form.cleaned_data["reviews"],
        compares=form.cleaned_data["compares"],
    )
    messages.success(request, f"Saved for {member.annotator}.")
    return True


def _tell_filled(request: HttpRequest, study: Study, filled: Filled) -> None:
    given = {0: "No task given out.", 1: "1 task given out."}.get(filled.given, f"{filled.given} tasks given out.")
    if filled.free:
        messages.warning(request, f"{given} {free_tasks_explained(study)}")
    else:
        messages.success(request, f"{given} Every task has somebody.")
