"""Loaded first of all (`-p tests.environment`), before pytest-django reads the settings."""

import os
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


def redis_database(address: str, number: int) -> str:
    """The address of another database of the same Redis server; it has 16."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{number}"))


# Nothing that a test writes lands in the folder of a running installation.
folder = Path(os.environ.get("BOOOOKWEB_VAR") or tempfile.mkdtemp(prefix="booookweb-tests-"))
# Of processes that test at the same time each has its own folder (the cache is in it) and its own Redis database, as
# pytest-django gives each its own of PostgreSQL: one must not empty the other's cache, and a Celery worker that took
# the other's messages would look for their rows in vain.
process = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
PROCESS_NUMBER = int(process.removeprefix("gw"))
os.environ["BOOOOKWEB_VAR"] = str(folder / process)
(folder / process).mkdir(parents=True, exist_ok=True)
if "REDIS_URL" in os.environ:
    os.environ["REDIS_URL"] = redis_database(os.environ["REDIS_URL"], PROCESS_NUMBER)
