"""Calls in flight, counted by job: a budget counts them at their worst until they have ended."""

import asyncio


class InFlight:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._ended: dict[int, asyncio.Event] = {}

    def any(self, job_id: int) -> bool:
        return self._counts.get(job_id, 0) > 0

    def next_end(self, job_id: int) -> asyncio.Event:
        """An event that is set when the next call of the job has ended and its cost is written."""
        return self._ended.setdefault(job_id, asyncio.Event())

    def begin(self, job_id: int) -> None:
        self._counts[job_id] = self._counts.get(job_id, 0) + 1

    def end(self, job_id: int) -> None:
        self._counts[job_id] -= 1
        if not self._counts[job_id]:
            del self._counts[job_id]
        if event := self._ended.pop(job_id, None):
            event.set()
