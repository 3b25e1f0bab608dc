"""Jobs: the list, one job's live page, and steering it."""

from dataclasses import dataclass
from itertools import groupby

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from summarizer.jobs.kinds import job_kind
from summarizer.jobs.selectors import ItemProgress, job_progress, jobs_with_progress
from summarizer.jobs.services import JobError, cancel_job, pause_job, resume_job, retry_job
from summarizer.models import Job
from summarizer.selectors.hidden_jobs import jobs_hidden_from

PAGE_SIZE = 25


@dataclass(frozen=True, slots=True)
class Problem:
    """What failed in the same way, and what to do about it."""

    advice: str
    rows: list[ItemProgress]

    @classmethod
    def of(cls, rows: list[ItemProgress]) -> "Problem":
        return cls(rows[0].advice, rows)


@require_GET
def job_list(request: HttpRequest) -> HttpResponse:
    jobs = Job.objects.select_related("endpoint", "launched_by").order_by("-pk")
    page = Paginator(jobs, PAGE_SIZE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    context = {"page": page, "jobs": jobs_with_progress(shown), "hidden_jobs": jobs_hidden_from(request.user, shown)}
    return render(request, "summarizer/jobs.html", context)


@require_GET
def job_page(request: HttpRequest, pk: int) -> HttpResponse:
    return _render(request, get_object_or_404(Job, pk=pk), "summarizer/job.html")


@require_GET
def job_progress_part(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes; it asks for itself again until the job has ended."""
    return _render(request, get_object_or_404(Job, pk=pk), "summarizer/job_progress.html")


@require_POST
def job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    job = get_object_or_404(Job, pk=pk)
    cancel_job(job=job)
    messages.success(request, "Stopped. Calls in flight are still recorded; what is finished is kept.")
    return redirect("summarizer:job", pk)


@require_POST
def job_pause(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        pause_job(job=get_object_or_404(Job, pk=pk))
    except JobError as error:
        messages.error(request, str(error))
    return redirect("summarizer:job", pk)


@require_POST
def job_resume(request: HttpRequest, pk: int) -> HttpResponse:
    resume_job(job=get_object_or_404(Job, pk=pk))
    return redirect("summarizer:job", pk)


class RetryForm(forms.Form):
    budget_usd = forms.DecimalField(required=False, max_digits=12, decimal_places=4, label="New budget, in USD")
    run = forms.ChoiceField(choices=Job.Run.choices, required=False)


@require_POST
def job_retry(request: HttpRequest, pk: int) -> HttpResponse:
    job = get_object_or_404(Job, pk=pk)
    form = RetryForm(request.POST)
    if not form.is_valid():
        messages.error(request, "The budget must be a number of dollars, such as 2.50. Nothing was changed.")
        return redirect("summarizer:job", pk)
    try:
        number = retry_job(job=job, budget_usd=form.cleaned_data["budget_usd"], run=form.cleaned_data["run"] or None)
    except JobError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Trying again: {number} of {job.items.count()}. Answers that are there are used.")
    return redirect("summarizer:job", pk)


def _render(request: HttpRequest, job: Job, template: str) -> HttpResponse:
    progress = job_progress(job)
    failed = sorted((item for item in progress.items if item.error), key=lambda item: item.error_kind)
    context = {
        "job": progress.job,
        "progress": progress,
        "problems": [Problem.of(list(rows)) for _, rows in groupby(failed, key=lambda item: item.error_kind)],
        "result_template": job_kind(job.kind).result_template,
        "figures_hidden": bool(jobs_hidden_from(request.user, [job])),
    }
    return render(request, template, context)
