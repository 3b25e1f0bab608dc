"""Jobs: how far they are and what they cost, and steering them."""

from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.requests import valid
from booookweb.api.base import IdField, ListQuery, RestView, chosen, page_of, paged, place_of
from booookweb.models import User
from summarizer.jobs.selectors import STATE_WORDS, ItemProgress, JobProgress, job_progress, jobs_with_progress
from summarizer.jobs.services import cancel_job, pause_job, resume_job, retry_job
from summarizer.management.job_reports import figures
from summarizer.models import Job, Summary
from summarizer.selectors.hidden_jobs import jobs_hidden_from

KINDS = ("summarize", "judge", "judge-units", "perturb")


class JobQuery(ListQuery):
    kind = serializers.ChoiceField(choices=KINDS, required=False)
    endpoint = IdField(required=False)
    book = IdField(required=False)
    summary = IdField(required=False, help_text="That it judges.")


class FiguresSerializer(serializers.Serializer[Any]):
    """USD and tokens. `possible_cost_usd` is what lost answers and calls under way may cost on top; null = unknown."""

    calls = serializers.IntegerField()
    attempts = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    cached_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost_usd = serializers.FloatField(allow_null=True)
    possible_cost_usd = serializers.FloatField(allow_null=True)
    wall_s = serializers.FloatField(allow_null=True)


class JobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    endpoint = serializers.CharField()
    run = serializers.ChoiceField(choices=Job.Run.choices)
    state = serializers.ChoiceField(choices=list(STATE_WORDS))
    ended = serializers.BooleanField(help_text="Nothing of it waits or runs any more.")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Items by state.")
    total = serializers.IntegerField(help_text="Items.")
    calls_done = serializers.IntegerField()
    calls_planned = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="Items that no worker looks at.")
    budget_usd = serializers.FloatField(allow_null=True)
    planned_cost_usd = serializers.FloatField(allow_null=True)
    figures = FiguresSerializer(allow_null=True, help_text="Null while they would tell you what you judge blindly.")
    launched_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()


class JobItemSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    book = serializers.IntegerField(allow_null=True)
    summary = serializers.IntegerField(allow_null=True, help_text="That is judged.")
    title = serializers.CharField()
    state = serializers.CharField()
    step = serializers.CharField()
    calls_done = serializers.IntegerField()
    calls_planned = serializers.IntegerField()
    lost = serializers.BooleanField()
    error_kind = serializers.CharField()
    error = serializers.CharField()
    advice = serializers.CharField(help_text="What to do about the error.")
    made = serializers.IntegerField(allow_null=True, help_text="The summary that it made.")


class JobDetailSerializer(JobSerializer):
    items = JobItemSerializer(many=True)


class JobActionSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=["pause", "resume", "cancel", "retry"])
    budget_usd = serializers.DecimalField(
        max_digits=12,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        required=False,
        allow_null=True,
        help_text="With retry: replaces the job's budget.",
    )
    run = serializers.ChoiceField(choices=Job.Run.choices, required=False, help_text="With retry: another way to run.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] != "retry" and ("budget_usd" in attrs or "run" in attrs):
            raise serializers.ValidationError("budget_usd and run go with retry only.")
        return attrs


class Jobs(RestView):
    queries = {"GET": JobQuery}

    @extend_schema(parameters=[JobQuery], responses=page_of(JobSerializer))
    def get(self, request: Request) -> Response:
        """Jobs, newest first."""
        wanted = chosen(self.query, kind="kind", endpoint="endpoint", book="items__book", summary="items__summary")
        jobs = Job.objects.filter(**wanted).select_related("endpoint", "launched_by").order_by("-pk")
        shown = list(jobs[place_of(self.query)])
        hidden = jobs_hidden_from(self.user(request), shown)
        rows = [job_json(progress, hidden=progress.job.pk in hidden) for progress in jobs_with_progress(shown)]
        return paged(request, jobs.count(), self.query, rows)


class OneJob(RestView):
    @extend_schema(responses=JobDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """State, counts, cost and errors of a job and its items, as they are now."""
        return Response(job_detail(get_object_or_404(Job, pk=pk), self.user(request)))


class JobAction(RestView):
    @extend_schema(request=JobActionSerializer, responses=JobDetailSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Pause, resume or cancel the job, or retry what failed, was cancelled or got lost: answers are kept."""
        job = get_object_or_404(Job, pk=pk)
        data = valid(JobActionSerializer(data=request.data))
        match data["action"]:
            case "pause":
                pause_job(job=job)
            case "resume":
                resume_job(job=job)
            case "cancel":
                cancel_job(job=job)
            case _:
                retry_job(job=job, budget_usd=data.get("budget_usd"), run=data.get("run"))
        return Response(job_detail(job, self.user(request)))


def job_detail(job: Job, viewer: User) -> dict[str, Any]:
    progress = job_progress(job)
    ids = [row.item.pk for row in progress.items]
    made = dict(Summary.objects.filter(job_item__in=ids).order_by().values_list("job_item", "pk"))
    items = [_item_json(row, made.get(row.item.pk)) for row in progress.items]
    return {**job_json(progress, hidden=bool(jobs_hidden_from(viewer, [job]))), "items": items}


def job_json(progress: JobProgress, *, hidden: bool) -> dict[str, Any]:
    """As `JobSerializer` describes it. `hidden`: its figures would tell what a blind person must not know."""
    job = progress.job
    planned = job.plan.get("cost_usd")
    return {
        "id": job.pk,
        "kind": job.kind,
        "endpoint": job.endpoint.name,
        "run": job.run,
        "state": progress.state,
        "ended": progress.ended,
        "counts": progress.counts,
        "total": progress.total,
        "calls_done": progress.done,
        "calls_planned": progress.planned,
        "lost": progress.lost,
        "budget_usd": None if job.budget_usd is None else float(job.budget_usd),
        "planned_cost_usd": None if planned is None else float(planned),
        "figures": None if hidden and job.endpoint.is_llm else figures(progress),
        "launched_by": job.launched_by.get_username() if job.launched_by else None,
        "created_at": job.created_at,
    }


def _item_json(row: ItemProgress, made: int | None) -> dict[str, Any]:
    return {
        "index": row.item.index,
        "book": row.item.book_id,
        "summary": row.item.summary_id,
        "title": row.title,
        "state": row.state,
        "step": row.step,
        "calls_done": row.done,
        "calls_planned": row.planned,
        "lost": row.lost,
        "error_kind": row.error_kind,
        "error": row.error,
        "advice": row.advice,
        "made": made,
    }
