"""A real Celery worker as a process of its own, on the test's database, with a broker folder of its own or Redis.

`BOOOOKWEB_TEST_KINDS` names a module with kinds of jobs that only tests have.
"""

import importlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

PROJECT = Path(__file__).resolve().parent.parent
#: Most of what a worker imports, as far as it reads no settings. It is imported once, by a process that does nothing
#: else; every worker begins as a copy of that one.
IMPORTED_ONCE = [
    *("aiohttp", "celery.app.trace", "celery.apps.worker", "celery.bin.celery", "celery.concurrency.thread"),
    *("django.contrib.auth.hashers", "django.core.management", "django.db.backends.postgresql.base"),
    *("django.db.backends.sqlite3.base", "django.forms", "django.template.defaulttags", "kombu.transport.filesystem"),
    *("kombu.transport.redis", "numpy", "openai", "redis.asyncio", "rest_framework", "tiktoken"),
]


class WorkerProcess:
    """Start, tell to stop, kill, start again. Without a `redis_url`, messages wait in `folder`."""

    def __init__(self, folder: Path, redis_url: str = "", **environment: str) -> None:
        self.folder = folder
        self._redis_url = redis_url
        self.log = folder / "worker.log"
        self.process: ForkServerProcess | None = None
        self._environment = {
            **os.environ,
            "BOOOOKWEB_VAR": str(folder),
            "DATABASE_URL": database_url(),
            "REDIS_URL": redis_url,
            "JOB_LEASE_SECONDS": "2",
            **environment,
        }

    def start(self) -> None:
        self.process = _processes().Process(target=_work, args=(self._environment, str(self.log)), daemon=True)
        self.process.start()

    def kill(self) -> None:
        """As the kernel does when memory runs out: no last word."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        self._signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        return self.process is not None and not self.process.is_alive()

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
        if self.process is not None and self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, number)
            self.process.join(seconds)
            assert not self.process.is_alive(), f"the worker still runs after {seconds} seconds"


def _processes() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED_ONCE)
    return context


def _work(environment: dict[str, str], log: str) -> None:
    """In the new process: run the worker."""
    os.environ.clear()
    os.environ.update(environment, DJANGO_SETTINGS_MODULE="booookweb.settings")
    os.chdir(PROJECT)
    written_to = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for output in (1, 2):
        os.dup2(written_to, output)

    import django

    django.setup()
    for name in filter(None, environment.get("BOOOOKWEB_TEST_KINDS", "").split(",")):
        importlib.import_module(name)
    from booookweb.processes import run_worker

    run_worker()


def database_url() -> str:
    """The address of the database that the running test uses."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Block until `condition()` is true; most of the time goes into waiting, not into asking. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        if condition():
            return
        answered = time.monotonic()
        if answered > deadline:
            raise TimeoutError(f"not so after {seconds} seconds")
        time.sleep(min(max(0.05, 9 * (answered - asked)), 0.2))
