"""Launching summaries: the form, and its plan as it changes."""

from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from summarizer.forms.launch import LaunchForm
from summarizer.jobs.services import JobError
from summarizer.selectors.launch import (
    launchable_books,
    launchable_endpoints,
    launchable_prompt_sets,
    launchable_systems,
)
from summarizer.services.launch import LaunchPlan, LaunchRefused, launch_summaries, plan_launch
from summarizer.services.systems import ParametersRefused

#: Long books take about a third of a second each; the page asks again for what is left.
SECONDS_TO_PLAN = 2.0


@require_http_methods(["GET", "POST"])
def launch(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        form = _form(request.POST)
        if form.is_valid() and (response := _launched(request, form)):
            return response
    else:
        form = _form(initial={"client_key": uuid4(), "books": request.GET.getlist("book")})
    return render(request, "summarizer/launch.html", {"form": form})


def _launched(request: HttpRequest, form: LaunchForm) -> HttpResponse | None:
    data = form.cleaned_data
    try:
        job = launch_summaries(
            parameters=data["parameters"],
            books=list(data["books"]),
            budget_usd=data["budget_usd"],
            launched_by=request.user,  # type: ignore[arg-type]  # logged in: the route's roles say so
            launch_key=form.launch_key,
            planned_as=request.POST.get("plan_digest") or None,
            run=data["run"],
        )
    except (LaunchRefused, ParametersRefused, JobError) as error:
        form.add_error(None, str(error))
        return None
    return redirect("summarizer:job", job.pk)


@require_POST
def launch_plan(request: HttpRequest) -> HttpResponse:
    """The plan for what is chosen so far, as a part of the page."""
    form = _form(request.POST)
    form.is_valid()
    # Books are missing at first, and the plan is no place to complain about the budget.
    problems = [
        f"{form.fields[name].label or name.replace('_', ' ').capitalize()}: {error}" if name != "__all__" else error
        for name, errors in form.errors.items()
        for error in errors
        if name not in ("books", "client_key")
    ]
    context: dict[str, Any] = {"form": form, "problems": problems}
    parameters, books = form.cleaned_data.get("parameters"), form.cleaned_data.get("books")
    if parameters and books and not problems:
        try:
            run = form.cleaned_data["run"]
            plan = plan_launch(parameters=parameters, books=list(books), seconds=SECONDS_TO_PLAN, run=run)
        except ParametersRefused as error:
            context["problems"] = [str(error)]
        else:
            context |= {"plan": plan, "over_budget": _over_budget(plan, form)}
    return render(request, "summarizer/launch_plan.html", context)


def _over_budget(plan: LaunchPlan, form: LaunchForm) -> bool:
    budget, cost = form.cleaned_data.get("budget_usd"), plan.total.cost_usd
    return budget is not None and cost is not None and cost > budget


def _form(data: Any = None, **kwargs: Any) -> LaunchForm:
    return LaunchForm(
        data,
        books=launchable_books(),
        systems=launchable_systems(),
        endpoints=launchable_endpoints(),
        prompt_sets=launchable_prompt_sets(),
        **kwargs,
    )
