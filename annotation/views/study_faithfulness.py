"""A study's plan for faithfulness: what is asked, what that takes, units, people, and opening and closing."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.faithfulness import plans
from annotation.faithfulness.locking import asked_of_judges
from annotation.faithfulness.selectors import checkers_of, checking_too, plan_of, plan_problems, planned_work
from annotation.faithfulness.unit_lists import (
    missing_units,
    neighbours_of,
    summaries_with_units,
    units_of,
    words_and_cuts,
)
from annotation.faithfulness.unit_sets import make_units
from annotation.forms.faithfulness import PlanForm, plan_values
from annotation.models import FaithfulnessPlan, Study
from annotation.selectors.free_tasks import free_tasks_explained
from annotation.selectors.progress import progress_of
from annotation.selectors.qualification import qualification_of
from annotation.services.studies import StudyError
from summarizer.identifiers import row_id

PAGE_SIZE = 50
State = FaithfulnessPlan.State


@require_http_methods(["GET", "POST"])
def study_faithfulness(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    plan = plan_of(study)
    saving = request.POST.get("action") == "settings"
    form = PlanForm(request.POST if saving else None, initial=plan_values(plan) if plan else None)
    if request.method == "POST":
        try:
            if done := ACTIONS.get(request.POST.get("action", ""), _unknown)(request, study, plan, form):
                return done
        except StudyError as error:
            messages.error(request, str(error))
            if not saving:
                return redirect("annotation:study-faithfulness", slug)
    return render(request, "annotation/faithfulness/plan.html", _context(request, study, plan, form))


@require_safe
def faithfulness_work(request: HttpRequest, slug: str) -> HttpResponse:
    """What the settings of the form would take, as a part of the page; nothing is stored."""
    plan = get_object_or_404(FaithfulnessPlan.objects.select_related("study"), study__name=slug)
    form = PlanForm(request.GET)
    if form.is_valid():
        for name, value in form.settings.items():
            setattr(plan, name, value)
    problems = [error for errors in form.errors.values() for error in errors]
    context = {"plan": plan, "problems": problems} if problems else {"plan": plan, **_work(plan)}
    return render(request, "annotation/faithfulness/_work.html", context)


@require_http_methods(["GET", "POST"])
def summary_units(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The units of one summary; they can be changed until the plan opens."""
    plan = get_object_or_404(FaithfulnessPlan.objects.select_related("study"), study__name=slug)
    summary = get_object_or_404(plan.study.summaries.select_related("book", "system"), pk=pk)
    if request.method == "POST":
        try:
            make_units(plan=plan, summaries=[summary])
            messages.success(request, "Cut anew by the rule.")
        except StudyError as error:
            messages.error(request, str(error))
        return redirect("annotation:summary-units", slug, pk)
    units, is_asked = units_of(plan, summary), summary.pk in asked_of_judges(plan)
    context = {
        "study": plan.study,
        "plan": plan,
        "summary": summary,
        "is_asked": is_asked,
        "editable": plan.state == State.SETUP and plan.study.phase != Study.Phase.CLOSED and not is_asked,
        "neighbours": neighbours_of(plan, summary),
        "units": units,
        "repeated": sum(unit.same_as_id is not None for unit in units),
        "page_data": words_and_cuts(summary, units),
    }
    return render(request, "annotation/faithfulness/units.html", context)


def _context(request: HttpRequest, study: Study, plan: FaithfulnessPlan | None, form: PlanForm) -> dict[str, Any]:
    context: dict[str, Any] = {"study": study, "plan": plan, "form": form, "closed": study.phase == Study.Phase.CLOSED}
    if plan is None:
        return context
    in_setup = plan.state == State.SETUP and not context["closed"]
    progress = progress_of(study)
    members = checkers_of(study)
    people = [{"member": member, **progress.people[member.annotator_id]} for member in members]
    return context | {
        "in_setup": in_setup,
        "problems": plan_problems(plan) if in_setup else [],
        "checking_too": checking_too(members) if in_setup and study.phase == Study.Phase.SETUP else [],
        "qualification": qualification_of(study),
        "missing": len(missing_units(plan)),
        "is_asked": in_setup and bool(asked_of_judges(plan)),
        "summaries": Paginator(summaries_with_units(plan), PAGE_SIZE).get_page(request.GET.get("page")),
        "progress": progress,
        "people": people,
        "working": [row for row in people if row["fine"].total or row["coarse"].total],  # type: ignore[attr-defined]
        "free": progress.fine.free + progress.coarse.free,
        **_work(plan),
    }


def _work(plan: FaithfulnessPlan) -> dict[str, Any]:
    work, judging = planned_work(plan), plan.study.members.filter(judges_units=True).count()
    return {"work": work, "judging": judging, "time_of_each": work.time_of_each(judging) if judging else ""}


Action = Callable[[HttpRequest, Study, FaithfulnessPlan | None, PlanForm], HttpResponseRedirect | None]


def _unknown(
    request: HttpRequest, study: Study, plan: FaithfulnessPlan | None, form: PlanForm
) -> HttpResponseRedirect | None:
    raise StudyError("This form is incomplete. Reload the page and try again.")


def _make(
    request: HttpRequest, study: Study, plan: FaithfulnessPlan | None, form: PlanForm
) -> HttpResponseRedirect | None:
    plans.create_plan(study=study)
    messages.success(request, "The summaries are cut into units. Nobody is asked anything until you open it.")
    return _back(study)


def _with_plan(act: Callable[[HttpRequest, FaithfulnessPlan, PlanForm], bool | None]) -> Action:
    """An action on the plan; the form is shown again where it returns False."""

    def action(
        request: HttpRequest, study: Study, plan: FaithfulnessPlan | None, form: PlanForm
    ) -> HttpResponseRedirect | None:
        if plan is None:
            raise StudyError("This plan was deleted meanwhile.")
        return None if act(request, plan, form) is False else _back(study)

    return action


def _settings(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> bool:
    if not form.is_valid():
        return False
    plans.update_plan(plan=plan, **form.settings)
    messages.success(request, "Saved.")
    return True


def _cut(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    """Summaries that are not cut yet; the others stay as they are."""
    missing = missing_units(plan)
    make_units(plan=plan, summaries=missing)
    messages.success(request, f"{len(missing)} {'summary' if len(missing) == 1 else 'summaries'} cut into units.")


def _cut_anew(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    messages.success(request, f"All summaries are cut anew by the rule, into {make_units(plan=plan):,} units.")


def _people_chosen(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    chosen = {row_id(name.removeprefix("role-")): role for name, role in request.POST.items() if name[:5] == "role-"}
    fine = [pk for pk, role in chosen.items() if pk and role == "fine"]
    coarse = [pk for pk, role in chosen.items() if pk and role == "coarse"]
    plans.set_checkers(plan=plan, fine=fine, coarse=coarse)
    messages.success(request, "Saved.")


def _only_checking(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    people = plans.leave_only_checking(plan=plan)
    messages.success(request, f"{people} {'person only checks' if people == 1 else 'people only check'} summaries now.")


def _open(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    plans.open_plan(plan=plan)
    messages.success(request, "It is open: everybody finds their tasks under “My tasks”.")


def _reopen(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    filled = plans.reopen_plan(plan=plan)
    given = f"{filled.given} {'task' if filled.given == 1 else 'tasks'} given out."
    if filled.free:
        messages.warning(request, f"It is open again. {given} {free_tasks_explained(plan.study)}")
    else:
        messages.success(request, f"It is open again. {given}")


def _close(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    plans.close_plan(plan=plan)
    messages.success(request, "Closed. What was submitted stays.")


def _delete(request: HttpRequest, plan: FaithfulnessPlan, form: PlanForm) -> None:
    plans.delete_plan(plan=plan)
    messages.success(request, "The plan and its units are deleted.")


def _back(study: Study) -> HttpResponseRedirect:
    return redirect("annotation:study-faithfulness", study.name)


ACTIONS: dict[str, Action] = {
    "make": _make,
    "settings": _with_plan(_settings),
    "cut": _with_plan(_cut),
    "cut-anew": _with_plan(_cut_anew),
    "people": _with_plan(_people_chosen),
    "only-checking": _with_plan(_only_checking),
    "open": _with_plan(_open),
    "reopen": _with_plan(_reopen),
    "close": _with_plan(_close),
    "delete": _with_plan(_delete),
}
