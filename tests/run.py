"""All checks and tests: `make test`, or `python -m tests.run [PYTEST ARGUMENTS]`.

The tests run twice, once for each way to run the project: on SQLite with the file-system transport, and on
PostgreSQL with Redis, both started here; the checks run meanwhile. What this machine lacks is installed where that is
possible; what can't be is left out and named at the end.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial

from tests import services

Service = Callable[[], AbstractContextManager[str]]

CHECKS = [
    ["ruff", "check", "--quiet", "."],
    ["ruff", "format", "--check", "--quiet", "."],
    ["lint-imports"],
    ["mypy"],
]


def main(arguments: list[str]) -> int:
    left_out = prepare()
    # One after the other, in the time in which the tests wait.
    meanwhile = ThreadPoolExecutor(1)
    checks = [] if arguments else [meanwhile.submit(run_check, check) for check in CHECKS]
    try:
        failed = run_tests(left_out, arguments)
        failed += [f"check: {name}" for name in (check.result() for check in checks) if name]
    finally:
        meanwhile.shutdown(cancel_futures=True)
    for line in left_out:
        print(f"LEFT OUT: {line}")
    for line in failed:
        print(f"FAILED: {line}")
    print("All checks and tests passed." if not failed else f"{len(failed)} of the runs above failed.")
    return 1 if failed else 0


def run_tests(left_out: list[str], arguments: list[str]) -> list[str]:
    """Returns the names of the runs that failed."""
    failed = []
    for name, database, broker, selection in ways_to_run(left_out, measures="benchmark" in arguments):
        with contextlib.ExitStack() as stack:
            environment = {
                "DATABASE_URL": stack.enter_context(database()) if database else "",
                "REDIS_URL": stack.enter_context(broker()) if broker else "",
            }
            if run_pytest(name, environment, [*selection, *arguments]):
                failed.append(f"tests: {name}")
    return failed


def prepare() -> list[str]:
    """Install Redis and Chromium where they are missing; returns what stays missing and what that leaves out."""
    left_out = []
    if shutil.which("redis-server") is None and not services.install("redis-server"):
        left_out.append("Redis: no redis-server on the PATH. Install it to run the tests of several machines.")
    if shutil.which(services.HEADLESS_SHELL) is None:
        services.install(services.HEADLESS_SHELL)  # where it can't be, any Chromium will do
    if services.chromium() is None and not (services.install("chromium") or services.install_playwright_chromium()):
        left_out.append("browser tests: no Chromium on the PATH, and it could not be installed.")
    return left_out


def ways_to_run(left_out: list[str], measures: bool) -> list[tuple[str, Service | None, Service | None, list[str]]]:
    """Name, database, broker, and which tests: what no database can break is run once, Redis with PostgreSQL alone."""
    postgres = partial(services.postgres, as_in_production=measures)
    redis = None if any(line.startswith("Redis") for line in left_out) else services.redis
    return [
        ("SQLite, file-system transport", None, None, ["-m", "not redis or pure"] if redis else []),
        (
            f"PostgreSQL, {'Redis' if redis else 'file-system transport'}",
            postgres,
            redis,
            ["-m", "not pages and not pure and not once"],
        ),
    ]


def run_check(command: list[str]) -> str:
    """Returns its name if it fails. The tests go first where there is not enough for both."""
    executable = shutil.which(command[0], path=os.path.dirname(sys.executable)) or command[0]
    first = ["nice"] if shutil.which("nice") else []
    result = subprocess.run(
        [*first, executable, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    name = " ".join(command)
    print(f"\n--- {name}: {'FAILED' if result.returncode else 'passed'}\n{result.stdout}", end="", flush=True)
    return name if result.returncode else ""


def run_pytest(name: str, environment: dict[str, str], arguments: list[str]) -> int:
    print(f"--- tests on {name}", flush=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="booookweb-tests-") as folder:
        code = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-n",
                str(workers()),
                "--dist",
                "worksteal",
                "--durations",
                "15",
                *arguments,
            ],
            env={
                **clean_environment(),
                **{key: value for key, value in environment.items() if value},
                "BOOOOKWEB_VAR": folder,
            },
        ).returncode
    print(f"--- {name}: {time.monotonic() - start:.0f} s", flush=True)
    # 5: nothing selected, as when only tests of pages were asked for.
    return 0 if code == 5 and arguments else code


def workers() -> int:
    """One more than there are processors: tests that start processes wait for them half of their time."""
    return max(2, min(8, (os.cpu_count() or 1) + 1))


def clean_environment() -> dict[str, str]:
    """The environment without settings of a running installation, and with the programs of this Python first.

    Compiled files may be kept: the tests start hundreds of processes, which would compile the project each time.
    """
    dropped = ("DATABASE_URL", "REDIS_URL", "BOOOOKWEB_VAR", "DEBUG", "SECRET_KEY", "HTTPS", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if key not in dropped and not key.endswith("_API_KEY")}
    return {**kept, "PATH": f"{os.path.dirname(sys.executable)}:{kept.get('PATH', '')}"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
