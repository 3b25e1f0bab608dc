"""Launching jobs, and saying beforehand what they would do and cost. A key makes sure that none is paid twice."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.requests import valid
from annotation.judge.judges import JudgeParameters, judge_parameters
from annotation.judge.launch_plan import JudgePlan, plan_judge_job
from annotation.judge.selectors import summaries_to_choose
from annotation.judge.services import launch_judge_job
from annotation.models import Study
from booookweb.api.base import RestView
from booookweb.api.errors import NotThere
from booookweb.api.jobs import job_detail
from booookweb.api.launch_forms import JudgeSerializer, LaunchedSerializer, SummarizeSerializer
from booookweb.models import User
from summarizer.jobs.launch_keys import LaunchKey, launched_with
from summarizer.jobs.services import JobError, run_problem
from summarizer.models import Book, Endpoint, Job, PromptSet, Summary, System
from summarizer.services.endpoints import endpoint_named
from summarizer.services.launch import LaunchPlan, launch_summaries, plan_launch
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import SystemParameters, parameters_of
from summarizer.strategies.plan import Plan

#: A plan reads whole books; what is not worked out by then is `pending`, and asking again goes on from there.
SECONDS_TO_PLAN = 20.0


class LaunchSummarize(RestView):
    @extend_schema(request=SummarizeSerializer, responses={200: LaunchedSerializer, 201: LaunchedSerializer})
    def post(self, request: Request) -> Response:
        """Make summaries of books: the plan (200) of a dry run, else the job (201; 200 where the key launched it)."""
        data, user = valid(SummarizeSerializer(data=request.data)), self.user(request)
        launch_key = _launch_key("summarize", data)
        if known := launched_with(launch_key, user):
            return _launched(known, user, status=200)
        parameters, books = _system_parameters(data), _books(data["books"])
        require_run(data["run"], parameters.endpoint)
        if launch_key is None:
            return _planned(
                _launch_plan_json(
                    plan_launch(parameters=parameters, books=books, seconds=SECONDS_TO_PLAN, run=data["run"])
                )
            )
        job = launch_summaries(
            parameters=parameters, books=books, launched_by=user, launch_key=launch_key, **_launch(data)
        )
        return _launched(job, user, status=201)


class LaunchJudge(RestView):
    @extend_schema(request=JudgeSerializer, responses={200: LaunchedSerializer, 201: LaunchedSerializer})
    def post(self, request: Request) -> Response:
        """Judge summaries: the plan (200) of a dry run, else the job (201; 200 where the key launched it).

        What this judge has marked already is left out and not paid again.
        """
        data, user = valid(JudgeSerializer(data=request.data)), self.user(request)
        launch_key = _launch_key("judge", data)
        if known := launched_with(launch_key, user):
            return _launched(known, user, status=200)
        parameters, study = _judge_parameters(data), _study(data.get("study"))
        summaries = _summaries(data, study)
        require_run(data["run"], parameters.endpoint)
        if launch_key is None:
            return _planned(
                _judge_plan_json(plan_judge_job(parameters=parameters, summaries=summaries, run=data["run"]))
            )
        launch = launch_judge_job(
            parameters=parameters,
            summaries=summaries,
            study=study,
            launched_by=user,
            launch_key=launch_key,
            **_launch(data),
        )
        return _launched(launch.job, user, status=201) if launch.job else Response({"plan": None, "job": None})


def _launch_key(kind: str, data: dict[str, Any]) -> LaunchKey | None:
    """None for a dry run. Of another plan that was seen the launch is no other one."""
    if data["dry_run"]:
        return None
    asked = {name: value for name, value in data.items() if name not in ("dry_run", "idempotency_key", "plan_digest")}
    return LaunchKey.of(data["idempotency_key"], {"kind": kind, **asked})


def _launched(job: Job, user: User, *, status: int) -> Response:
    return Response({"plan": None, "job": job_detail(job, user)}, status=status)


def require_run(run: str, endpoint: Endpoint) -> None:
    if problem := run_problem(run, endpoint):
        raise JobError(problem)


def _launch(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "budget_usd": data.get("budget_usd"),
        "planned_as": data.get("plan_digest"),
        "run": data["run"],
    }


def _planned(plan: dict[str, Any]) -> Response:
    return Response({"plan": plan, "job": None})


def _system_parameters(data: dict[str, Any]) -> SystemParameters:
    if pk := data.get("system"):
        system = System.objects.select_related("endpoint", "prompt_set").filter(pk=pk).first()
        if system is None:
            raise NotThere(f"There is no system {pk}.")
        return parameters_of(system)
    named = ("strategy", "chunk_size", "max_summary_tokens", "temperature", "cleaned")
    given = {name: data[name] for name in named if name in data}
    return SystemParameters(endpoint=endpoint_named(data["endpoint"]), prompt_set=_prompt_set(data), **given)


def _judge_parameters(data: dict[str, Any]) -> JudgeParameters:
    endpoint = endpoint_named(data["endpoint"])
    named = ("mode", "batch_size", "temperature", "max_answer_tokens", "repeat")
    return judge_parameters(
        endpoint=endpoint,
        prompt_set=_prompt_set(data) if endpoint.is_llm else None,
        **{name: data[name] for name in named},
    )


def _prompt_set(data: dict[str, Any]) -> PromptSet:
    """By its number only: a name could be that of a folder of the server."""
    if (pk := data.get("prompt_set")) is None:
        return load_prompt_set("default")
    if found := PromptSet.objects.filter(pk=pk).first():
        return found
    raise NotThere(f"There is no prompt set {pk}.")


def _study(name: str | None) -> Study | None:
    if name is None:
        return None
    if study := Study.objects.filter(name=name).first():
        return study
    raise NotThere(f"There is no study called “{name}”.")


def _books(ids: list[int]) -> list[Book]:
    found = {book.pk: book for book in Book.objects.filter(pk__in=ids)}
    _require_all(ids, found, "book")
    return [found[pk] for pk in dict.fromkeys(ids)]


def _summaries(data: dict[str, Any], study: Study | None) -> list[Summary]:
    if ids := data.get("summaries"):
        named = {each.pk: each for each in summaries_to_choose(ids=ids)}
        _require_all(ids, named, "summary")
        return list(named.values())
    system = System.objects.filter(pk=data["system"]).first() if "system" in data else None
    if "system" in data and system is None:
        raise NotThere(f"There is no system {data['system']}.")
    return summaries_to_choose(study=study, system=system)


def _require_all(ids: Iterable[int], found: Iterable[int], what: str) -> None:
    if missing := sorted(set(ids) - set(found)):
        raise NotThere(f"There is no {what} {', '.join(map(str, missing[:5]))}.")


def _launch_plan_json(plan: LaunchPlan) -> dict[str, Any]:
    items = [
        {
            "book": entry.book.pk,
            "summary": entry.summary.pk if entry.summary else None,
            **_figures(entry.plan),
            "problem": entry.problem,
            "pending": entry.pending,
        }
        for entry in plan.books
    ]
    return _plan_json(plan, plan.system_name, plan.can_launch, items)


def _judge_plan_json(plan: JudgePlan) -> dict[str, Any]:
    items = [
        {
            "book": entry.summary.book_id,
            "summary": entry.summary.pk,
            **_figures(entry.plan),
            "problem": entry.left_out,
            "pending": False,
        }
        for entry in plan.summaries
    ]
    can_launch = bool(plan.to_judge or plan.resumes or plan.nothing_left)
    return _plan_json(plan, plan.judge_name, can_launch, items)


def _figures(plan: Plan | None) -> dict[str, Any]:
    return {"calls": plan.calls, "cost_usd": _number(plan.cost_usd)} if plan else {"calls": 0, "cost_usd": None}


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _plan_json(
    plan: LaunchPlan | JudgePlan, name: str, can_launch: bool, items: list[dict[str, Any]]
) -> dict[str, Any]:
    total = plan.total
    return {
        "name": name,
        "can_launch": can_launch,
        "digest": plan.digest,
        "calls": total.calls,
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
        "cost_usd": _number(total.cost_usd),
        "seconds": None if plan.seconds is None else round(plan.seconds, 1),
        "items": items,
    }
