"""What other jobs are at: work that a job must not do, and pay, a second time."""

from summarizer.jobs.kinds import job_kind
from summarizer.models import Job, JobItem

#: Ids of a book and of a summary; an item has one of them.
Subject = tuple[int | None, int | None]


def jobs_at_it(job: Job) -> dict[Subject, int]:
    """Id of the job by subject, for those on which another job that finds the same has not ended."""
    items = JobItem.objects.filter(
        job_kind(job.kind).same_work(job.parameters), job__kind=job.kind, state__in=JobItem.UNFINISHED
    )
    rows = items.exclude(job=job).order_by("-job").values_list("book", "summary", "job")
    return {(book, summary): other for book, summary, other in rows}
