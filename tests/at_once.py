"""Calls that begin at the same moment."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each returns, in their order; what one raises is raised. Each has a connection of its own."""
    gate = threading.Barrier(len(calls), timeout=60)

    def run(call: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
