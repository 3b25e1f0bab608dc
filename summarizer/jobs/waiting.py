"""Waiting for a job in a command: for the workers where some run, else doing the work here."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.models import Q
from django.utils import timezone

from summarizer.batches.watching import watch
from summarizer.engine.loop import stop_engine
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.sweep import give_back_lost
from summarizer.models import Job, JobItem

#: Seconds that a worker has to take or see an item, before the work is done here. Its sweep sees all every 3 seconds.
WORKER_TAKES_SECONDS = 4.0
#: Seconds between two looks at the job.
SECONDS_BETWEEN = 0.3


def finish(
    job: Job,
    *,
    on_progress: Callable[[JobProgress], Any] | None = None,
) -> JobProgress:
    """Block until `job` has ended; returns its last progress.

    When no worker takes anything of it, or the one that did is gone and no other comes, this process does the work,
    with as many items at once as a worker. Items are claimed as a worker does it, so one that starts in the meantime
    shares the work and nothing is done twice. On Ctrl-C no new call is made and KeyboardInterrupt is raised again: what
    is finished is kept.
    """
    while _taken(job, WORKER_TAKES_SECONDS):
        if (progress := _wait_for_workers(job, on_progress)).ended:
            return progress
    with ThreadPoolExecutor(max_workers=settings.CELERY_WORKER_CONCURRENCY) as pool:
        try:
            return _work(job, pool, on_progress)
        except KeyboardInterrupt:
            stop_engine(settings.WORKER_STOP_SECONDS)
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _work(job: Job, pool: ThreadPoolExecutor, on_progress: Callable[[JobProgress], Any] | None) -> JobProgress:
    """Run what waits until nothing does; a paused job's items come back to the queue and are taken up again.

    What lost its worker comes back too: no worker is there whose sweep would see to it.
    """
    running: dict[int, Future[None]] = {}
    while True:
        running = {item: future for item, future in running.items() if not future.done()}
        watch()
        give_back_lost()
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


def _wait_for_workers(job: Job, on_progress: Callable[[JobProgress], Any] | None) -> JobProgress:
    """Block until `job` has ended, or an item has lost its worker and no sweep has seen to it."""
    patience = timedelta(seconds=WORKER_TAKES_SECONDS)
    while True:
        lost = Q(state=JobItem.State.RUNNING, lease_expires_at__lt=timezone.now() - patience)
        progress = job_progress(job)
        if on_progress:
            on_progress(progress)
        if progress.ended or job.items.filter(lost).exists():
            return progress
        time.sleep(SECONDS_BETWEEN)


def _taken(job: Job, seconds: float) -> bool:
    """Whether a worker holds or sees an item of `job` within `seconds`, or the job has ended.

    One that waits is seen by a worker's sweep or watch.
    """
    started = timezone.now()
    deadline = time.monotonic() + seconds
    seen = Q(state__in=(JobItem.State.QUEUED, JobItem.State.IN_BATCH), heartbeat_at__gte=started)
    while True:
        held = Q(state=JobItem.State.RUNNING, lease_expires_at__gte=timezone.now())
        if job.items.filter(held | seen).exists() or job_progress(job).ended:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.1)
