"""The whole system as a person starts it, `manage.py up`, in a folder and on a port of its own."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests import prepared
from tests.services import free_port

PROJECT = Path(__file__).resolve().parent.parent


class RunningSystem:
    """`address` of the web server; `command` runs a management command against the same database."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = {**os.environ, **environment, "BOOOOKWEB_VAR": str(folder)}
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = folder / "up.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str, seconds: float = 120) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(self.port), *arguments],
                cwd=PROJECT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + seconds
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the system did not come up:\n{self.log.read_text()}")
            time.sleep(0.2)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(20)

    def command(self, *arguments: str, fails: bool = False) -> Any:
        """What a command prints, as JSON; or with `fails` its error line."""
        result = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=PROJECT, env=self.environment, capture_output=True, text=True
        )
        if fails:
            assert result.returncode != 0, result.stdout
            return result.stderr.strip()
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), urlopen(f"{self.address}/health/", timeout=2) as response:
            return bool(response.status == 200)
        return False


@contextlib.contextmanager
def running_system(
    folder: Path, *arguments: str, for_the_first_time: bool = False, **environment: str
) -> Iterator[RunningSystem]:
    """Start the system in `folder`, on a database of its own where the tests run on PostgreSQL.

    It finds what its first start has made before, unless this is to be the first.
    """
    with own_database(empty=for_the_first_time) as database:
        if not for_the_first_time:
            prepared.copy_static(folder)
            if not database:
                prepared.copy_database(folder / prepared.DATABASE)
        system = RunningSystem(folder, {**environment, **database})
        system.start(*arguments)
        try:
            yield system
        finally:
            system.stop()


@contextlib.contextmanager
def own_database(empty: bool = False) -> Iterator[dict[str, str]]:
    """On PostgreSQL a fresh database beside the test runner's; on SQLite nothing (the folder holds it)."""
    address = os.environ.get("DATABASE_URL", "")
    if not address:
        yield {}
        return
    import psycopg

    name = f"whole_{os.getpid()}_{time.monotonic_ns()}"
    template = "template1" if empty else prepared.postgres_template(address)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield {"DATABASE_URL": prepared.with_database(address, name)}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
