"""Waiting for a job in a command: for the workers where some run, else doing the work here."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.models import Q
from django.utils import timezone

from summarizer.batches.watching import watch
from summarizer.engine.loop import stop_engine
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import JobProgress, job_progress, wait_for
from summarizer.models import Job, JobItem

#: Seconds that a worker has to take the first item, before the work is done here.
WORKER_TAKES_SECONDS = 3.0
#: Seconds between two looks at the job.
SECONDS_BETWEEN = 0.3


def finish(
    job: Job,
    *,
    on_progress: Callable[[JobProgress], Any] | None = None,
) -> JobProgress:
    """Block until `job` has ended; returns its last progress.

    When no worker takes anything of it, this process does the work, with as many items at once as a worker. Items are
    claimed as a worker does it, so one that starts in the meantime shares the work and nothing is done twice. On
    Ctrl-C no new call is made and KeyboardInterrupt is raised again: what is finished is kept.
    """
    if _taken(job, WORKER_TAKES_SECONDS):
        return wait_for(job, on_progress=on_progress)
    with ThreadPoolExecutor(max_workers=settings.CELERY_WORKER_CONCURRENCY) as pool:
        try:
            return _work(job, pool, on_progress)
        except KeyboardInterrupt:
            stop_engine(settings.WORKER_STOP_SECONDS)
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _work(job: Job, pool: ThreadPoolExecutor, on_progress: Callable[[JobProgress], Any] | None) -> JobProgress:
    """Run what waits until nothing does; a paused job's items come back to the queue and are taken up again."""
    running: dict[int, Future[None]] = {}
    while True:
        running = {item: future for item, future in running.items() if not future.done()}
        watch()
        waiting = job.items.filter(state=JobItem.State.QUEUED).order_by("index").values_list("pk", flat=True)
        for item in waiting:
            if item not in running:
                running[item] = pool.submit(_run, item)
        progress = job_progress(job)
        if on_progress:
            on_progress(progress)
        if progress.ended:
            return progress
        time.sleep(SECONDS_BETWEEN)


def _run(item_id: int) -> None:
    try:
        run_item(item_id)
    finally:
        connections.close_all()


def _taken(job: Job, seconds: float) -> bool:
    """Whether a worker takes an item of `job` within `seconds`, or the job has ended.

    One that waits for a batch is taken when a worker's watch has seen it since.
    """
    started = timezone.now()
    deadline = time.monotonic() + seconds
    in_batch = Q(state=JobItem.State.IN_BATCH)
    unseen = Q(state=JobItem.State.QUEUED, heartbeat_at=None) | (in_batch & Q(heartbeat_at__lt=started))
    while True:
        if not job.items.filter(unseen).exists():
            return True
        held = Q(state=JobItem.State.RUNNING, lease_expires_at__gte=timezone.now())
        if job.items.filter(held | (in_batch & Q(heartbeat_at__gte=started))).exists() or job_progress(job).ended:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.1)
