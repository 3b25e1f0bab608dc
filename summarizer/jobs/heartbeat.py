"""The heartbeat of a worker process: one thread that keeps the leases of all its items and reads their jobs' flags."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone

from summarizer.engine.work import Stopped, StopReason, Work
from summarizer.jobs.claims import lease_time
from summarizer.models import JobItem

logger = logging.getLogger(__name__)


class Heartbeat:
    """`keeping` holds the lease of an item while its work goes on; the thread runs only while there is any."""

    def __init__(self) -> None:
        self._works: set[Work] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextmanager
    def keeping(self, work: Work) -> Iterator[None]:
        with self._changed:
            self._works.add(work)
            self._changed.notify()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._works.discard(work)
                self._changed.notify()

    def _run(self) -> None:
        try:
            while works := self._next_works():
                try:
                    beat(works)
                except DatabaseError:
                    logger.warning("The database can't be reached; leases are not kept for now.")
                    connection.close()
        finally:
            connection.close()

    def _next_works(self) -> list[Work]:
        """Wait for the next beat; empty when nothing has been under way for a whole lease, which ends the thread."""
        with self._changed:
            while self._changed.wait_for(lambda: self._works, timeout=settings.JOB_LEASE_SECONDS):
                if not self._changed.wait_for(lambda: not self._works, timeout=settings.JOB_LEASE_SECONDS / 10):
                    return list(self._works)
            self._thread = None
            return []


def beat(works: list[Work]) -> None:
    """Renew the leases, and stop the work on what was cancelled, paused or taken over."""
    now = timezone.now()
    held = {work.holder.lease: work for work in works}
    mine = JobItem.objects.filter(lease__in=held, state=JobItem.State.RUNNING)
    mine.update(heartbeat_at=now, lease_expires_at=now + lease_time())
    rows = mine.values_list("lease", "job__cancelled_at", "job__paused_at")
    flags = {lease: (cancelled, paused) for lease, cancelled, paused in rows}
    for lease, work in held.items():
        cancelled, paused = flags.get(lease, (None, None))
        if lease not in flags:
            work.stop(Stopped(StopReason.LEASE_LOST))
        elif cancelled:
            work.stop(Stopped(StopReason.CANCELLED))
        elif paused:
            work.stop(Stopped(StopReason.PAUSED))


heartbeat = Heartbeat()
