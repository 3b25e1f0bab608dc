"""Run a judge on summaries, or say what that would cost."""

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from annotation.judge.judges import TEMPERATURE, JudgeParameters, judge_parameters
from annotation.judge.selectors import JudgedCounts, judged_counts, summaries_to_choose
from annotation.judge.services import JudgeLaunch, JudgePlan, JudgeRefused, launch_judge_job, plan_judge_job
from annotation.models import Study
from annotation.services.studies import StudyError
from scoring.statistics.booookscore import judge_score
from summarizer.jobs.selectors import JobProgress, job_progress, wait_for
from summarizer.jobs.services import JobError
from summarizer.jobs.spent import Spent
from summarizer.models import Summary, System
from summarizer.services.endpoints import EndpointError, endpoint_named
from summarizer.services.prompt_sets import PromptSetError, load_prompt_set

REFUSALS = (JudgeRefused, StudyError, JobError, EndpointError, PromptSetError)


class Command(BaseCommand):
    help = "Judge summaries sentence by sentence. Prints one JSON document."

    def add_arguments(self, parser: CommandParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--system", help="name of the system whose summaries are judged")
        chosen.add_argument("--summary", type=int, nargs="+", metavar="ID", help="the summaries to judge")
        parser.add_argument("--endpoint", required=True, help="name of the endpoint; rules is the baseline without LLM")
        parser.add_argument("--mode", choices=["sentence", "batch"], default="sentence", help="only sentence so far")
        parser.add_argument("--batch-size", type=int, default=10, help="not used yet: batch mode is not there")
        parser.add_argument("--prompts", default="default", help="a prompt set's name, or a folder of prompt files")
        parser.add_argument("--temperature", type=float, default=TEMPERATURE)
        parser.add_argument("--study", help="name of the study in which the judge's marks count")
        parser.add_argument("--repeat", type=int, default=1, help="2 or more: judge again, as a judge of its own")
        parser.add_argument("--budget", type=_dollars, metavar="USD", help="make no call that could go over it")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would do and cost")
        parser.add_argument("--wait", action="store_true", help="wait until the job has ended")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["mode"] == "batch":
            raise CommandError("Batch mode is not available. Judge with --mode sentence: one call a sentence.")
        try:
            parameters = _parameters(options)
            study = _study(options["study"])
            summaries = _summaries(options, study)
            if options["dry_run"]:
                self._print(_planned(plan_judge_job(parameters=parameters, summaries=summaries)))
                return
            launch = launch_judge_job(
                parameters=parameters, summaries=summaries, study=study, budget_usd=options["budget"]
            )
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        progress = self._progress_of(launch, wait=options["wait"])
        self._print(_result(launch, summaries, progress))
        if progress and progress.state in ("failed", "cancelled"):
            raise CommandError(_what_went_wrong(progress))

    def _progress_of(self, launch: JudgeLaunch, *, wait: bool) -> JobProgress | None:
        if launch.job is None:
            return None
        if not wait:
            return job_progress(launch.job)
        with _progress_bar(launch.plan.total.calls) as show:
            return wait_for(launch.job, on_progress=show)

    def _print(self, document: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def _dollars(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError(f"{text!r} is no number of dollars, such as 2.50") from None


def _parameters(options: dict[str, Any]) -> JudgeParameters:
    endpoint = endpoint_named(options["endpoint"])
    return judge_parameters(
        endpoint=endpoint,
        prompt_set=load_prompt_set(options["prompts"]) if endpoint.is_llm else None,
        temperature=options["temperature"],
        repeat=options["repeat"],
    )


def _study(name: str | None) -> Study | None:
    if name is None:
        return None
    if study := Study.objects.filter(name=name).first():
        return study
    raise CommandError(f"There is no study called {name!r}. Make it with create_study.")


def _summaries(options: dict[str, Any], study: Study | None) -> list[Summary]:
    """The summaries to judge: those named, or the system's (only those in the study, if one is given)."""
    if name := options["system"]:
        system = System.objects.filter(name=name).first()
        if system is None:
            raise CommandError(f"There is no system called {name!r}.")
        if found := summaries_to_choose(study=study, system=system):
            return found
        raise CommandError(f"The system {name!r} has no summaries{' in this study' if study else ''}.")
    wanted = list(dict.fromkeys(options["summary"]))
    found = summaries_to_choose(ids=wanted)
    if missing := sorted(set(wanted) - {summary.pk for summary in found}):
        raise CommandError(f"There is no summary {', '.join(map(str, missing))}.")
    return sorted(found, key=lambda summary: wanted.index(summary.pk))


def _progress_bar(calls: int) -> AbstractContextManager[Callable[[JobProgress], None]]:
    return _Bar(calls) if sys.stderr.isatty() else nullcontext(_stop_if_nobody_works)


class _Bar(AbstractContextManager[Callable[[JobProgress], None]]):
    """A progress bar on standard error."""

    def __init__(self, calls: int) -> None:
        self._progress = Progress(console=Console(stderr=True))
        self._task = self._progress.add_task("Judging", total=calls)

    def __enter__(self) -> Callable[[JobProgress], None]:
        self._progress.start()
        return self._show

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _show(self, progress: JobProgress) -> None:
        self._progress.update(self._task, completed=progress.done, total=progress.planned)
        _stop_if_nobody_works(progress)


def _stop_if_nobody_works(progress: JobProgress) -> None:
    if progress.lost == progress.total:
        raise CommandError(
            f"No worker is looking at job {progress.job.pk}. Start one (manage.py up, or a Celery worker); "
            "the job is kept and will run."
        )


def _planned(plan: JudgePlan) -> dict[str, Any]:
    rows = [
        {
            "summary": entry.summary.pk,
            "sentences": entry.sentences,
            "calls": entry.plan.calls if entry.plan else 0,
            **({"left_out": entry.left_out} if entry.left_out else {}),
        }
        for entry in plan.summaries
    ]
    cost = plan.total.cost_usd
    return {
        "job": None,
        "state": "planned",
        "system": _system_name(entry.summary for entry in plan.summaries),
        "judge": plan.judge_name,
        "summaries": rows,
        "calls": plan.total.calls,
        "attempts": 0,
        "prompt_tokens": plan.total.prompt_tokens,
        "cached_tokens": 0,
        "completion_tokens": plan.total.completion_tokens,
        "cost_usd": None if cost is None else float(cost),
        "wall_s": round(plan.seconds, 1),
    }


def _result(launch: JudgeLaunch, summaries: list[Summary], progress: JobProgress | None) -> dict[str, Any]:
    spent = progress.spent if progress else Spent(cost_usd=Decimal(0))
    left_out = {entry.summary.pk: entry.left_out for entry in launch.plan.left_out if not entry.is_judged}
    return {
        "job": launch.job.pk if launch.job else None,
        "state": progress.state if progress else "done",
        "system": _system_name(summaries),
        "judge": launch.judge.pseudonym,
        "summaries": [
            _summary_row(counts, left_out.get(counts.summary.pk)) for counts in judged_counts(launch.judge, summaries)
        ],
        "calls": spent.calls,
        "attempts": spent.attempts,
        "prompt_tokens": spent.prompt_tokens,
        "cached_tokens": spent.cached_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
        "wall_s": round((progress.wall_seconds if progress else 0.0) or 0.0, 2),
    }


def _summary_row(counts: JudgedCounts, left_out: str | None) -> dict[str, Any]:
    """The score is the share of clean sentences by position; null while a sentence is unparsed or none is judged."""
    score = None
    if counts.confused is not None and counts.unparsed is not None:
        found = judge_score(sentences=counts.sentences, confused=counts.confused, unparsed=counts.unparsed)
        score = found.score.value
    row = {
        "summary": counts.summary.pk,
        "sentences": counts.sentences,
        "confused": counts.confused,
        "unparsed": counts.unparsed,
        "score": score,
    }
    return {**row, "left_out": left_out} if left_out else row


def _system_name(summaries: Any) -> str | None:
    """The name of the system, if all summaries are by one."""
    names = {summary.system.name for summary in summaries}
    return names.pop() if len(names) == 1 else None


def _what_went_wrong(progress: JobProgress) -> str:
    failed = [item for item in progress.items if item.error]
    if not failed:
        return f"Job {progress.job.pk} was cancelled."
    reasons = "; ".join(dict.fromkeys(item.error for item in failed))
    return f"Job {progress.job.pk}: {len(failed)} of {progress.total} summaries could not be judged. {reasons}"
