"""Look at a job and steer it, as on its page."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.services import JobError, cancel_job, pause_job, resume_job, retry_job
from summarizer.management.book_files import as_json
from summarizer.management.job_reports import figures, finish_with_bar, raise_if_unfinished
from summarizer.management.options import dollars, row_number
from summarizer.models import Job


class Command(BaseCommand):
    help = "Say how a job stands, or pause, resume, cancel or retry it first. Prints one JSON document."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("job", type=row_number, metavar="ID")
        steering = parser.add_mutually_exclusive_group()
        steering.add_argument("--pause", action="store_true", help="make no further call until --resume")
        steering.add_argument("--resume", action="store_true", help="go on after --pause")
        steering.add_argument("--cancel", action="store_true", help="make no further call; what is finished is kept")
        steering.add_argument(
            "--retry", action="store_true", help="try again what failed, was cancelled or got lost; pays nothing twice"
        )
        parser.add_argument("--budget", type=dollars, metavar="USD", help="a new budget, with --retry")
        parser.add_argument(
            "--no-batch", action="store_true", help="with --retry: no longer by batch, at the full price"
        )
        parser.add_argument(
            "--wait", action="store_true", help="wait until the job has ended; does the work itself if no worker runs"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        job = Job.objects.filter(pk=options["job"]).first()
        if job is None:
            raise CommandError(f"There is no job {options['job']}.")
        if options["budget"] is not None and not options["retry"]:
            raise CommandError("--budget goes with --retry.")
        if options["no_batch"] and not options["retry"]:
            raise CommandError("--no-batch goes with --retry.")
        try:
            _steer(job, options)
        except JobError as error:
            raise CommandError(str(error)) from error
        if options["wait"] and job.paused_at is not None:
            raise CommandError(f"Job {job.pk} is paused, so it would be waited for without end. Resume it first.")
        progress = finish_with_bar(job) if options["wait"] else job_progress(job)
        self.stdout.write(as_json(_standing(progress)))
        if options["wait"]:
            raise_if_unfinished(progress)


def _steer(job: Job, options: dict[str, Any]) -> None:
    if options["pause"]:
        pause_job(job=job)
    elif options["resume"]:
        resume_job(job=job)
    elif options["cancel"]:
        cancel_job(job=job)
    elif options["retry"]:
        run = Job.Run.DIRECT if options["no_batch"] else None
        retry_job(job=job, budget_usd=options["budget"], run=run)


def _standing(progress: JobProgress) -> dict[str, Any]:
    job = progress.job
    return {
        "job": job.pk,
        "kind": job.kind,
        "state": progress.state,
        "note": progress.note,
        "endpoint": job.endpoint.name,
        "run": job.run,
        "budget_usd": None if job.budget_usd is None else float(job.budget_usd),
        "planned_cost_usd": _planned_cost(job),
        "items": [
            {
                "book": row.item.book_id,
                "summary": row.item.summary_id,
                "state": row.state,
                "step": row.step,
                "done": row.done,
                "planned": row.planned,
                "lost": row.lost,
                "error": row.error,
                "refused": row.refused,
            }
            for row in progress.items
        ],
        **figures(progress),
    }


def _planned_cost(job: Job) -> float | None:
    planned = job.plan.get("cost_usd")
    return None if planned is None else float(planned)
