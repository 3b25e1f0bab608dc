"""People who save marks at once, as their browsers do: set up in a running system's database, then played."""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import aiohttp

CSRF = "c" * 32
WORDS = "Emma left the mill before Rolf had packed his bag, and nobody in the boathouse asked where she went. "
#: About a thousand words.
TEXT = WORDS * 53
TYPES = ["entity omission", "event omission", "causal omission", "salience", "discontinuity", "inconsistency"]


@dataclass
class Person:
    session: str
    task: str
    #: What the server said it stored: client key -> question.
    saved: dict[str, str] = field(default_factory=dict)

    @property
    def page(self) -> str:
        """The address of the task's page."""
        return f"{self.task.removeprefix('/api/v1').removesuffix('marks/')}annotate/"


@dataclass
class Played:
    """Milliseconds of each answered save, what went wrong, and how long it all took in seconds."""

    milliseconds: list[float]
    errors: list[str]
    seconds: float

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def rate(self) -> float:
        return len(self.milliseconds) / self.seconds


def add_people(environment: dict[str, str], count: int) -> list[Person]:
    """Logins with a task each, made by a process that works on the running system's database."""
    command = [sys.executable, "-m", "tests.benchmarks.fifty_people", str(count)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [Person(**row) for row in json.loads(result.stdout)]


def play(address: str, people: list[Person], *, seconds: float, every: float) -> Played:
    """Everybody saves a new mark `every` so many seconds (0: as soon as the last one is answered)."""
    return asyncio.run(_play(address, people, seconds, every))


def stored(address: str, people: list[Person]) -> list[dict[str, str]]:
    """What each person's page would show after a reload: client key -> question."""
    return asyncio.run(_stored(address, people))


async def _play(address: str, people: list[Person], seconds: float, every: float) -> Played:
    played = Played([], [], 0.0)
    async with _session() as session:
        start = time.perf_counter()
        await asyncio.gather(*(_work(session, address, each, played, start + seconds, every) for each in people))
        played.seconds = time.perf_counter() - start
    return played


async def _work(
    session: aiohttp.ClientSession, address: str, person: Person, played: Played, end: float, every: float
) -> None:
    due = time.perf_counter() + random.random() * every
    while max(due, time.perf_counter()) < end:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        # Late answers do not thin out the load: the next save is due when it would have been.
        due = due + every if every else 0.0
        key, mark = str(uuid.uuid4()), _mark()
        sent = time.perf_counter()
        try:
            async with session.put(f"{address}{person.task}{key}/", json=mark, headers=_headers(person)) as answer:
                body = await answer.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            played.errors.append(repr(error))
            continue
        played.milliseconds.append(1000 * (time.perf_counter() - sent))
        if answer.status == 201:
            person.saved[key] = mark["questions"]
        else:
            played.errors.append(f"{answer.status} {body[:200]}")


async def _stored(address: str, people: list[Person]) -> list[dict[str, str]]:
    found = []
    async with _session() as session:
        for person in people:
            async with session.get(f"{address}{person.task}", headers=_headers(person)) as answer:
                marks = (await answer.json())["annotations"]
            found.append({mark["key"]: mark["questions"] for mark in marks})
    return found


def _session() -> aiohttp.ClientSession:
    # Kept alive, as browsers do; one at a time for each person.
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=30))


def _headers(person: Person) -> dict[str, str]:
    return {"Cookie": f"sessionid={person.session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}


def _mark() -> dict[str, Any]:
    start = random.randrange(len(TEXT) - 60)
    start = TEXT.index(" ", start) + 1
    quote = TEXT[start : start + 40].rstrip()
    return {
        "base_version": 0,
        "questions": f"Why is that so? {random.random()}",
        "error_types": random.sample(TYPES, random.choice((1, 1, 2))),
        "spans": [{"start": start, "end": start + len(quote), "quote": quote}],
    }


def main(count: int) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")
    django.setup()
    from django.conf import settings
    from django.test import Client

    from tests.factories import make_annotate_task

    rows = []
    for _ in range(count):
        task = make_annotate_task(TEXT)
        client = Client()
        client.force_login(task.annotator.user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        rows.append({"session": session, "task": f"/api/v1/tasks/{task.key}/marks/"})
    print(json.dumps(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]))
