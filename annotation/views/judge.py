"""Launching a judge: the form, and its plan as it changes."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation.forms.judge import JudgeLaunchForm
from annotation.judge.judges import JudgeRefused
from annotation.judge.launch_plan import JudgePlan, plan_judge_job
from annotation.judge.services import launch_judge_job
from annotation.services.studies import StudyError
from summarizer.identifiers import row_ids
from summarizer.jobs.services import JobError


@require_http_methods(["GET", "POST"])
def judge_launch(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        form = JudgeLaunchForm(request.POST)
        if form.is_valid() and (response := _launched(request, form)):
            return response
    else:
        form = JudgeLaunchForm(initial={"client_key": uuid4(), **_asked_for(request)})
    return render(request, "annotation/judge_launch.html", {"form": form, "named": _named(request), **_choice(form)})


@require_POST
def judge_plan(request: HttpRequest) -> HttpResponse:
    """The plan for what is chosen so far, as a part of the page, and the list of summaries where that changes."""
    form = JudgeLaunchForm(request.POST)
    form.is_valid()
    problems = [
        error if name == "__all__" else f"{form.fields[name].label or name.capitalize()}: {error}"
        for name, errors in form.errors.items()
        for error in errors
    ]
    scope_changed = request.POST.get("scope") != form.scope
    context: dict[str, Any] = {"form": form, "problems": problems, "scope_changed": scope_changed, **_choice(form)}
    summaries = form.cleaned_data.get("summaries")
    if summaries and not problems:
        data = form.cleaned_data
        plan = plan_judge_job(parameters=data["parameters"], summaries=summaries, run=data["run"])
        context |= {"plan": plan, "over_budget": _over_budget(plan, form)}
    return render(request, "annotation/judge_plan.html", context)


def _choice(form: JudgeLaunchForm) -> dict[str, Any]:
    """The summaries that can be ticked, and the ids of those that are; nothing before the first plan."""
    if not form.is_bound:
        return {"offered": [], "ticked": set()}
    offered, summaries = form.cleaned_data.get("offered", []), form.cleaned_data.get("summaries", [])
    return {"offered": offered, "ticked": {summary.pk for summary in summaries}}


def _launched(request: HttpRequest, form: JudgeLaunchForm) -> HttpResponse | None:
    data = form.cleaned_data
    try:
        launch = launch_judge_job(
            parameters=data["parameters"],
            summaries=data["summaries"],
            study=data["study"],
            budget_usd=data["budget_usd"],
            launched_by=request.user,  # type: ignore[arg-type]  # logged in: the route's roles say so
            launch_key=form.launch_key,
            planned_as=request.POST.get("plan_digest") or None,
            run=data["run"],
        )
    except (JudgeRefused, StudyError, JobError) as error:
        form.add_error(None, str(error))
        return None
    if launch.job:
        return redirect("summarizer:job", launch.job.pk)
    messages.info(request, f"{launch.judge} has marked these summaries already, so nothing runs and nothing is paid.")
    return (
        redirect("annotation:study-judges", data["study"].name) if data["study"] else redirect(request.get_full_path())
    )


def _asked_for(request: HttpRequest) -> dict[str, str]:
    """What a link to this page chose: `?study=name` and `?system=id`."""
    return {name: value for name in ("study", "system") if (value := request.GET.get(name))}


def _named(request: HttpRequest) -> list[int]:
    """Ids of the summaries that a link to this page named: `?summary=1&summary=2`."""
    values = request.POST.getlist("offered") or request.GET.getlist("summary")
    return sorted(row_ids(values))


def _over_budget(plan: JudgePlan, form: JudgeLaunchForm) -> bool:
    budget, cost = form.cleaned_data.get("budget_usd"), plan.total.cost_usd
    return budget is not None and cost is not None and cost > budget
