"""Fifty people save at once through the real web server: nothing fails, nothing is lost, and what a save costs.

`make benchmark` measures at full size and holds the results against the budgets; the ordinary run makes a small one,
which shows that no save is lost and that the measurement works.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from tests.benchmarks.fifty_people import Person, Played, add_people, play, stored
from tests.running import PROJECT, own_database, running_system
from tests.services import free_port

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

PEOPLE = 50
#: Budget of a save with the database's part, in milliseconds of CPU, and of the slowest twentieth of the answers.
CPU_MS = 8.0
P95_MS = 100.0


@dataclass
class Server:
    address: str
    environment: dict[str, str]
    processes: list[psutil.Process]

    def cpu(self) -> tuple[float, float]:
        """Seconds of the web server's processes, and of the database's that run."""
        return _seconds(self.processes), _seconds(_postgres(self.environment))


def _seconds(processes: list[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):  # a helper of PostgreSQL that ended meanwhile
            times = process.cpu_times()
            total += times.user + times.system
    return total


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """As the two ways to run are documented: `manage.py up` on SQLite, gunicorn on PostgreSQL."""
    folder = tmp_path_factory.mktemp("saving")
    if os.environ.get("DATABASE_URL"):
        with own_database() as database:
            yield from _gunicorn({**os.environ, **database, "BOOOOKWEB_VAR": str(folder), "LOG_LEVEL": "ERROR"})
        return
    with running_system(folder, LOG_LEVEL="ERROR") as system:
        assert system.process is not None
        children = psutil.Process(system.process.pid).children(recursive=True)
        web = [child for child in children if "web" in child.cmdline()]
        yield Server(system.address, system.environment, web)


@pytest.fixture(scope="module")
def people(server: Server) -> list[Person]:
    return add_people(server.environment, PEOPLE)


def _gunicorn(environment: dict[str, str]) -> Iterator[Server]:
    port = free_port()
    options = f"--workers 2 --threads 8 --bind 127.0.0.1:{port} --no-control-socket"
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "booookweb.wsgi", *options.split()],
        cwd=PROJECT,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health/")
        own = psutil.Process(process.pid)
        yield Server(f"http://127.0.0.1:{port}", environment, [own, *own.children(recursive=True)])
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"{address} does not answer")


def _postgres(environment: dict[str, str]) -> list[psutil.Process]:
    if not environment.get("DATABASE_URL"):
        return []
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    postmaster = psutil.Process(int((Path(row[0]) / "postmaster.pid").read_text().splitlines()[0]))
    return [postmaster, *postmaster.children(recursive=True)]


@dataclass
class Cost:
    """Milliseconds of CPU a save."""

    web: float
    database: float


def saving(server: Server, people: list[Person], *, seconds: float, every: float) -> tuple[Played, Cost]:
    """The answers, and what a save costs; fails on any error or lost save."""
    before = server.cpu()
    played = play(server.address, people, seconds=seconds, every=every)
    costs = [
        1000 * (after - start) / len(played.milliseconds) for after, start in zip(server.cpu(), before, strict=True)
    ]
    assert played.errors == []
    assert stored(server.address, people) == [person.saved for person in people]
    return played, Cost(*costs)


def say(what: str, played: Played, cost: Cost) -> None:
    p50, p95, p99 = (played.percentile(share) for share in (0.5, 0.95, 0.99))
    print(
        f"\n{what}: {len(played.milliseconds)} saves, {played.rate:.0f} a second, "
        f"{cost.web:.1f} + {cost.database:.1f} ms of CPU each (web server, database), "
        f"answered in {p50:.0f} ms (p50), {p95:.0f} ms (p95), {p99:.0f} ms (p99), no error, none lost"
    )


@pytest.mark.benchmark
def test_fifty_people_save_once_a_second(server: Server, people: list[Person]) -> None:
    play(server.address, people, seconds=3, every=1)  # connections and caches warm up
    played, cost = saving(server, people, seconds=20, every=1)
    say("50 people, one save a second each", played, cost)
    assert cost.web + cost.database <= CPU_MS
    assert played.percentile(0.95) <= P95_MS


@pytest.mark.benchmark
def test_fifty_people_save_without_think_time(server: Server, people: list[Person]) -> None:
    played, cost = saving(server, people, seconds=15, every=0)
    say("50 people without think time", played, cost)
    assert len(played.milliseconds) >= len(people)


def test_many_people_save_at_once(server: Server, people: list[Person]) -> None:
    played, _ = saving(server, people, seconds=2, every=0)
    assert len(played.milliseconds) >= len(people)
