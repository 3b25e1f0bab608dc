"""The ledger thread: one connection that writes all starts and ends of a worker process, in groups.

The event loop hands over what happened and goes on; all that has come together within a few milliseconds is one
transaction. A request leaves only after its start was written, and the permission to send it is read in the same
transaction: the flags of the job, the lease of the item and what is left of the budget.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DataError, IntegrityError, connection, transaction
from django.db import Error as DatabaseError

from summarizer.ledger import rows
from summarizer.ledger.records import End, Permission, Start

logger = logging.getLogger(__name__)

#: How long the thread waits for more to write together, once more than one came together.
LINGER_SECONDS = 0.002
#: How long it goes on trying while the database is away: paid answers wait to be recorded.
PATIENCE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class _Entry:
    record: Start | End | Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"


class LedgerWriter:
    """Records starts and ends of attempts. Its methods are called on an event loop and return at once."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._wake = threading.Condition()
        self._closed = False
        #: Several calls are under way. A chain of single calls is not kept waiting.
        self._is_busy = False
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    def start(self, start: Start) -> "asyncio.Future[Permission]":
        """Ask to send a request. The future says whether it may leave, once its attempt is written as sent."""
        return self._add(start)

    def end(self, end: End) -> "asyncio.Future[None]":
        """Record the outcome of an attempt. Starts that are asked for later are written after it."""
        return self._add(end)

    def write(self, function: Callable[[], Any]) -> "asyncio.Future[Any]":
        """Run another short write on the ledger's connection."""
        return self._add(function)

    def close(self) -> None:
        """Write what waits, then end the thread."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def _add(self, record: Start | End | Callable[[], Any]) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self._wake:
            self._entries.append(_Entry(record, loop, future))
            self._wake.notify()
        return future

    def _run(self) -> None:
        try:
            while entries := self._next_group():
                self._write_patiently(entries)
        finally:
            connection.close()

    def _next_group(self) -> list[_Entry]:
        with self._wake:
            while not self._entries and not self._closed:
                self._wake.wait()
        if self._is_busy and not self._closed:
            time.sleep(LINGER_SECONDS)
        with self._wake:
            entries, self._entries = self._entries, []
        self._is_busy = len(entries) > 1
        return entries

    def _write_patiently(self, entries: Sequence[_Entry]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = 0.1
        while True:
            try:
                results = _write([entry.record for entry in entries])
            except (DataError, IntegrityError) as error:
                return self._write_one_by_one(entries, error)
            except DatabaseError as error:
                connection.close()
                if time.monotonic() > deadline or self._closed:
                    logger.exception("The ledger can't be written.")
                    return _resolve(entries, [error] * len(entries))
                time.sleep(pause)
                pause = min(5.0, pause * 2)
            except Exception as error:
                return self._write_one_by_one(entries, error)
            else:
                return _resolve(entries, results)

    def _write_one_by_one(self, entries: Sequence[_Entry], error: Exception) -> None:
        """The database refused what one of them says: the others, paid answers among them, are written all the same."""
        if len(entries) == 1:
            logger.error("The ledger can't be written.", exc_info=error)
            _resolve(entries, [error])
        else:
            for entry in sorted(entries, key=lambda each: not isinstance(each.record, End)):
                self._write_patiently([entry])


def _write(records: Sequence[Start | End | Callable[[], Any]]) -> list[Any]:
    """Write a group in one transaction: ends first, so that a start is never stored without the ends before it."""
    results: dict[int, Any] = {}
    ends = [(index, record) for index, record in enumerate(records) if isinstance(record, End)]
    starts = [(index, record) for index, record in enumerate(records) if isinstance(record, Start)]
    with transaction.atomic():
        rows.write_ends([end for _, end in ends])
        permissions = rows.write_starts([start for _, start in starts])
        going = [
            start for (_, start), permission in zip(starts, permissions, strict=True) if permission is Permission.GO
        ]
        rows.write_progress([end for _, end in ends], going)
        for index, record in enumerate(records):
            if not isinstance(record, (Start, End)):
                results[index] = record()
    results.update({index: permission for (index, _), permission in zip(starts, permissions, strict=True)})
    return [results.get(index) for index in range(len(records))]


def _resolve(entries: Sequence[_Entry], results: Sequence[Any]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any]]] = {}
    for entry, result in zip(entries, results, strict=True):
        by_loop.setdefault(entry.loop, []).append((entry.future, result))
    for loop, pairs in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set_results, pairs)


def _set_results(pairs: Sequence[tuple["asyncio.Future[Any]", Any]]) -> None:
    for future, result in pairs:
        if future.done():
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
