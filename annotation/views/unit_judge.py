"""Launching a judge of a study's units: the form, and its plan as it changes."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.faithfulness.selectors import plan_of
from annotation.forms.unit_judge import UnitJudgeForm
from annotation.judge.judges import JudgeRefused
from annotation.models import FaithfulnessPlan, Purpose, Study
from annotation.unit_judge.launch_plan import plan_unit_job
from annotation.unit_judge.services import launch_unit_job
from summarizer.jobs.services import JobError

#: A plan searches whole books; what is not worked out by then is pending, and the page asks again.
SECONDS_TO_PLAN = 3.0


@require_safe
def judge_units_studies(request: HttpRequest) -> HttpResponse:
    """In which study: units are a study's own."""
    plans = FaithfulnessPlan.objects.select_related("study").annotate(
        unit_count=Count("units", filter=Q(units__purpose=Purpose.STUDY))
    )
    context = {"plans": plans.order_by("study__title", "pk")}
    return render(request, "annotation/faithfulness/judge_studies.html", context)


@require_http_methods(["GET", "POST"])
def judge_units(request: HttpRequest, slug: str) -> HttpResponse:
    plan = _plan(slug)
    if request.method == "POST":
        form = UnitJudgeForm(request.POST, plan=plan)
        if form.is_valid() and (response := _launched(request, form, plan)):
            return response
    else:
        form = UnitJudgeForm(initial={"client_key": uuid4()}, plan=plan)
    return render(request, "annotation/faithfulness/judge_launch.html", {"form": form, "study": plan.study})


@require_POST
def judge_units_plan(request: HttpRequest, slug: str) -> HttpResponse:
    """The plan for what is chosen so far, as a part of the page."""
    plan = _plan(slug)
    form = UnitJudgeForm(request.POST, plan=plan)
    form.is_valid()
    problems = [
        error if name == "__all__" else f"{form.fields[name].label or name.capitalize()}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]
    context: dict[str, Any] = {"form": form, "study": plan.study, "problems": problems}
    data = form.cleaned_data
    if data.get("summaries") and not problems:
        planned = plan_unit_job(
            parameters=data["parameters"],
            plan=plan,
            summaries=data["summaries"],
            run=data["run"],
            seconds=SECONDS_TO_PLAN,
        )
        budget, cost = data.get("budget_usd"), planned.total.cost_usd
        over_budget = budget is not None and cost is not None and cost > budget
        context |= {"plan": planned, "over_budget": over_budget, "cut": sum(each.cut for each in planned.summaries)}
    return render(request, "annotation/faithfulness/judge_plan.html", context)


def _plan(slug: str) -> FaithfulnessPlan:
    plan = plan_of(get_object_or_404(Study, name=slug))
    if plan is None:
        raise Http404("This study has no units. Cut its summaries into units first, on its page about faithfulness.")
    return plan


def _launched(request: HttpRequest, form: UnitJudgeForm, plan: FaithfulnessPlan) -> HttpResponse | None:
    data = form.cleaned_data
    try:
        launch = launch_unit_job(
            parameters=data["parameters"],
            plan=plan,
            summaries=data["summaries"],
            budget_usd=data["budget_usd"],
            launched_by=request.user,  # type: ignore[arg-type]  # logged in: the route's roles say so
            launch_key=form.launch_key,
            planned_as=request.POST.get("plan_digest") or None,
            run=data["run"],
        )
    except (JudgeRefused, JobError) as error:
        form.add_error(None, str(error))
        return None
    if launch.job:
        return redirect("summarizer:job", launch.job.pk)
    messages.info(request, f"{launch.judge} has judged these units already, so nothing runs and nothing is paid.")
    return redirect("annotation:study-faithfulness", plan.study.name)
