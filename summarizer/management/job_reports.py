"""What the commands that launch jobs share: a bar while they wait, and the figures that they print."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from summarizer.jobs.selectors import JobProgress
from summarizer.jobs.services import run_problem
from summarizer.jobs.waiting import finish
from summarizer.management.options import dollars
from summarizer.models import Endpoint, Job


def finish_with_bar(job: Job) -> JobProgress:
    """Wait for `job` (see `summarizer.jobs.waiting.finish`) with a bar on standard error if that is a terminal."""
    try:
        with _bar() as show:
            return finish(job, on_progress=show)
    except KeyboardInterrupt:
        raise CommandError(
            f"Stopped. What is finished is kept; job {job.pk} goes on when a worker runs, or end it with "
            f"`job {job.pk} --cancel`."
        ) from None


def add_batch_argument(parser: CommandParser) -> None:
    parser.add_argument(
        "--batch",
        action="store_true",
        dest="by_batch",
        help="run by OpenAI's Batch API: half the price, up to 24 hours for each round of answers",
    )


def add_run_arguments(parser: CommandParser) -> None:
    """What can be said of every launch: what it may cost, the way to run, and whether to try or to wait."""
    parser.add_argument("--budget", type=dollars, metavar="USD", help="make no call that could go over it")
    add_batch_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what it would do and cost")
    parser.add_argument(
        "--wait", action="store_true", help="wait until the job has ended; does the work itself if no worker runs"
    )


def run_of(options: dict[str, Any], endpoint: Endpoint) -> str:
    """The way to run that was asked for. Raises CommandError where the endpoint can't."""
    run = Job.Run.BATCH if options["by_batch"] else Job.Run.DIRECT
    if problem := run_problem(run, endpoint):
        raise CommandError(problem)
    return run


def time_planned(seconds: float | None, rounds: int) -> dict[str, Any]:
    """The planned time in seconds; by batch only its bound is known, 24 hours for each of so many rounds."""
    if seconds is None:
        return {"wall_s": None, "rounds": rounds, "wall_s_at_most": rounds * 24 * 3600}
    return {"wall_s": round(seconds, 1)}


def figures(progress: JobProgress) -> dict[str, Any]:
    """The part of the printed document that all kinds of jobs have; costs in USD, None where not known."""
    spent = progress.spent
    wall = progress.wall_seconds
    return {
        "calls": spent.calls,
        "attempts": spent.attempts,
        "prompt_tokens": spent.prompt_tokens,
        "cached_tokens": spent.cached_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": _number(spent.cost_usd if progress.job.endpoint.is_llm else Decimal(0)),
        "possible_cost_usd": _number(spent.possible_usd),
        "wall_s": None if wall is None else round(wall, 3),
    }


def raise_if_unfinished(progress: JobProgress) -> None:
    """CommandError with one line unless every item of the job is done."""
    if progress.state == "done":
        return
    reasons = "; ".join(f"{item.title}: {item.error}" for item in progress.items if item.error)
    raise CommandError(f"Job {progress.job.pk} {progress.state}. {reasons}".strip())


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


@contextmanager
def _bar() -> Iterator[Any]:
    console = Console(file=sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("", total=100)

        def show(progress: JobProgress) -> None:
            step = next((item.step for item in progress.items if item.step_shown), "")
            words = f"{progress.state_words}, {progress.counts.get('done', 0)} of {progress.total} done. {step}"
            bar.update(task, completed=progress.percent, description=words)

        yield show
