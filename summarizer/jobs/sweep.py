"""The sweep: a thread of every worker that finds items which lost their message or their worker.

After a kill -9 the file-system transport has lost the message for good, and Redis brings it back only after its
visibility timeout.
"""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db import Error as DatabaseError
from django.db.models import QuerySet
from django.utils import timezone
from kombu.exceptions import KombuError

from summarizer.jobs import queue
from summarizer.jobs.claims import expire_claims
from summarizer.jobs.running_time import is_unattended, note_idle
from summarizer.models import JobItem

logger = logging.getLogger(__name__)

#: A queued item is sent again if it has waited this long and no message waits in the broker.
SENT_AGAIN_AFTER = timedelta(seconds=10)


class Rounds:
    """Makes rounds of a kind in a thread until stopped, ten in the time of a lease."""

    def __init__(self, make_round: Callable[[], None], name: str) -> None:
        self._make_round = make_round
        self._name = name
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        try:
            while not self._stopped.wait(settings.JOB_LEASE_SECONDS / 10):
                try:
                    self._make_round()
                except (DatabaseError, KombuError, OSError) as error:
                    logger.warning("A round of the %s could not be made (%s); it is tried again.", self._name, error)
                    connections[DEFAULT_DB_ALIAS].close()
        finally:
            connections.close_all()


def sweep() -> None:
    """One round: give back what lost its worker, note that a worker sees what waits, send what lost its message."""
    queue.send(give_back_lost())
    now = timezone.now()
    _waiting().update(heartbeat_at=now)
    old = list(_waiting().filter(queued_at__lt=now - SENT_AGAIN_AFTER).values_list("pk", "queued_at"))
    if old and queue.waiting_messages() == 0:
        # One worker of several sends each item: the one whose change of the time succeeds.
        again = [
            item_id
            for item_id, queued_at in old
            if JobItem.objects.filter(pk=item_id, state=JobItem.State.QUEUED, queued_at=queued_at).update(queued_at=now)
        ]
        queue.send(again)


def give_back_lost() -> list[int]:
    """Give back what lost its worker; returns those that wait again. When nothing ran does not count as time."""
    for job_id in _unattended_jobs():
        note_idle(job_id)
    return expire_claims()


def _unattended_jobs() -> list[int]:
    """Jobs of which something waited while no worker ran."""
    going_on = JobItem.objects.filter(is_unattended(), job__paused_at=None, job__cancelled_at=None)
    return list(going_on.order_by().values_list("job", flat=True).distinct())


def _waiting() -> QuerySet[JobItem]:
    return JobItem.objects.filter(state=JobItem.State.QUEUED, job__paused_at=None, job__cancelled_at=None)
