"""A real Celery worker as a process of its own, on the test's database, with a broker folder of its own or Redis.

`python -m tests.workers` runs one; `BOOOOKWEB_TEST_KINDS` names a module with kinds of jobs that only tests have.
"""

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

PROJECT = Path(__file__).resolve().parent.parent


class WorkerProcess:
    """Start, tell to stop, kill, start again. Without a `redis_url`, messages wait in `folder`."""

    def __init__(self, folder: Path, redis_url: str = "", **environment: str) -> None:
        self.folder = folder
        self._redis_url = redis_url
        self.log = folder / "worker.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._environment = {
            **os.environ,
            "BOOOOKWEB_VAR": str(folder),
            "DATABASE_URL": database_url(),
            "REDIS_URL": redis_url,
            "JOB_LEASE_SECONDS": "2",
            **environment,
        }

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.workers"],
                cwd=PROJECT,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        """As the kernel does when memory runs out: no last word."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        self._signal(signal.SIGTERM)

    def send(self, item_ids: Iterable[int]) -> None:
        """What `summarizer.jobs.queue.send` does, to this worker's broker."""
        from celery import Celery

        from booookweb import broker
        from summarizer.jobs.queue import RUN_ITEM

        app = Celery("tests", broker=self._redis_url or f"{broker.SCHEME}://localhost", set_as_current=False)
        if not self._redis_url:
            app.conf.broker_transport_options = broker.folder_options(self.folder / "broker")
        for item_id in item_ids:
            app.send_task(RUN_ITEM, args=[item_id])

    def _signal(self, number: int, seconds: float = 30) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(seconds)


def database_url() -> str:
    """The address of the database that the running test uses."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Block until `condition()` is true. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so after {seconds} seconds")
        time.sleep(0.05)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")
    import django

    django.setup()
    for name in filter(None, os.environ.get("BOOOOKWEB_TEST_KINDS", "").split(",")):
        importlib.import_module(name)
    from booookweb.processes import run_worker

    run_worker()


if __name__ == "__main__":
    main()
