"""Summarize books, or say what that would take and cost."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from annotation.services.studies import StudyError, add_summaries
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.services import JobError
from summarizer.management.book_files import as_json
from summarizer.management.job_reports import (
    add_run_arguments,
    figures,
    finish_with_bar,
    raise_if_unfinished,
    run_of,
    time_planned,
)
from summarizer.management.options import row_number, whole_number
from summarizer.models import Book, Summary, System
from summarizer.services.endpoints import EndpointError, endpoint_named
from summarizer.services.launch import LaunchPlan, LaunchRefused, launch_summaries, plan_launch
from summarizer.services.prompt_sets import PromptSetError, load_prompt_set
from summarizer.services.systems import (
    CHUNK_SIZE,
    MAX_SUMMARY_TOKENS,
    TEMPERATURE,
    ParametersRefused,
    SystemParameters,
)

REFUSALS = (LaunchRefused, ParametersRefused, JobError, EndpointError, PromptSetError, StudyError)
STRATEGIES = [key for key in System.Strategy.values if key != System.Strategy.IMPORTED]


class Command(BaseCommand):
    help = "Summarize books. Prints one JSON document."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--book", type=row_number, nargs="+", required=True, metavar="ID", help="the books to summarize"
        )
        parser.add_argument("--strategy", choices=STRATEGIES, default="hierarchical")
        parser.add_argument(
            "--endpoint", required=True, help="name of the endpoint; extractive is the baseline without LLM"
        )
        parser.add_argument("--chunk-size", type=whole_number, default=CHUNK_SIZE, help="tokens")
        parser.add_argument("--max-summary-tokens", type=whole_number, default=MAX_SUMMARY_TOKENS)
        parser.add_argument("--temperature", type=float, default=TEMPERATURE)
        parser.add_argument("--prompts", default="default", help="a prompt set's name, or a folder of prompt files")
        parser.add_argument(
            "--clean", action="store_true", help="make a second, cleaned version of each; both are kept"
        )
        parser.add_argument("--study", help="add the summaries to this study; needs --wait")
        add_run_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            study = _study(options)
            parameters, books = _parameters(options), _books(options["book"])
            run = run_of(options, parameters.endpoint)
            if options["dry_run"]:
                planned = plan_launch(parameters=parameters, books=books, run=run)
                if planned.problems:
                    raise LaunchRefused.because_of(planned.problems)
                self.stdout.write(as_json(_planned(planned)))
                return
            job = launch_summaries(parameters=parameters, books=books, budget_usd=options["budget"], run=run)
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        progress = finish_with_bar(job) if options["wait"] else job_progress(job)
        made = list(Summary.objects.filter(job_item__job=job))
        problem = _add_to(study, made) if study else ""
        self.stdout.write(as_json(_result(progress, made)))
        if options["wait"]:
            raise_if_unfinished(progress)
        if problem:
            raise CommandError(problem)


def _study(options: dict[str, Any]) -> Study | None:
    """The study to add to; asked for before anything is paid."""
    name = options["study"]
    if name is None:
        return None
    if not options["wait"] and not options["dry_run"]:
        raise CommandError("--study needs --wait: summaries can be added to a study only when they are there.")
    study = Study.objects.filter(name=name).first()
    if study is None:
        raise CommandError(f"There is no study called {name!r}. Make it with create_study.")
    if study.phase != Study.Phase.SETUP:
        raise CommandError(f"Summaries can be added to {name!r} only while it is being set up.")
    return study


def _add_to(study: Study, summaries: Sequence[Summary]) -> str:
    """What went wrong, if the study was opened while the job ran; the summaries are kept."""
    try:
        add_summaries(study=study, summaries=summaries)
    except StudyError as error:
        return f"The summaries are made, but not added to {study.name}: {error}"
    return ""


def _parameters(options: dict[str, Any]) -> SystemParameters:
    return SystemParameters(
        endpoint=endpoint_named(options["endpoint"]),
        prompt_set=load_prompt_set(options["prompts"]),
        strategy=options["strategy"],
        chunk_size=options["chunk_size"],
        max_summary_tokens=options["max_summary_tokens"],
        temperature=options["temperature"],
        cleaned=options["clean"],
    )


def _books(ids: Sequence[int]) -> list[Book]:
    found = Book.objects.in_bulk(ids)
    if missing := [str(key) for key in ids if key not in found]:
        raise CommandError(f"There is no book {', '.join(missing)}.")
    return [found[key] for key in ids]


def _planned(plan: LaunchPlan) -> dict[str, Any]:
    cost = plan.total.cost_usd
    return {
        "job": None,
        "state": "planned",
        "system": plan.system_name,
        "summaries": [
            {
                "book": entry.book.pk,
                "summary": None,
                "tokens": None,
                "calls": entry.plan.calls if entry.plan else 0,
                "chunks": entry.chunks,
                "limits": list(entry.limits),
                "most_calls": entry.most.calls if entry.most else entry.plan.calls if entry.plan else 0,
                "source_tokens": entry.source_tokens,
                "source_tokens_read": entry.source_tokens_read,
            }
            for entry in plan.books
        ],
        "calls": plan.total.calls,
        "attempts": 0,
        "prompt_tokens": plan.total.prompt_tokens,
        "cached_tokens": 0,
        "completion_tokens": plan.total.completion_tokens,
        "cost_usd": None if cost is None else float(cost),
        **time_planned(plan.seconds, (plan.most or plan.total).rounds),
    }


def _result(progress: JobProgress, made: Sequence[Summary]) -> dict[str, Any]:
    by_item = {summary.job_item_id: summary for summary in made}
    rows = []
    for item in progress.items:
        summary = by_item.get(item.item.pk)
        row: dict[str, Any] = {
            "book": item.item.book_id,
            "summary": summary.pk if summary else None,
            "tokens": summary.tokens if summary else None,
            "calls": item.spent.calls,
        }
        if summary and summary.cleaned_from_id:
            row["uncleaned"] = summary.cleaned_from_id
        if summary and summary.source_tokens:
            row |= {"source_tokens": summary.source_tokens, "source_tokens_read": summary.source_tokens_read}
        rows.append(row)
    return {
        "job": progress.job.pk,
        "state": progress.state,
        "system": System.objects.get(pk=progress.job.parameters["system"]).name,
        "summaries": rows,
        **figures(progress),
    }
