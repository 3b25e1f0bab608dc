"""Loaded first of all (`-p tests.environment`), before pytest-django reads the settings."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


def redis_database(address: str, number: int) -> str:
    """The address of another database of the same Redis server; it has 16."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{number}"))


# Nothing that a test writes lands in the folder of a running installation.
if not os.environ.get("BOOOOKWEB_VAR"):
    os.environ["BOOOOKWEB_VAR"] = tempfile.mkdtemp(prefix="booookweb-tests-")
    atexit.register(shutil.rmtree, os.environ["BOOOOKWEB_VAR"], ignore_errors=True)
folder = Path(os.environ["BOOOOKWEB_VAR"])
# Of processes that test at the same time each has its own folder (the cache is in it) and its own Redis database, as
# pytest-django gives each its own of PostgreSQL: one must not empty the other's cache, and a Celery worker that took
# the other's messages would look for their rows in vain.
process = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
PROCESS_NUMBER = int(process.removeprefix("gw"))
os.environ["BOOOOKWEB_VAR"] = str(folder / process)
(folder / process).mkdir(parents=True, exist_ok=True)
if "REDIS_URL" in os.environ:
    os.environ["REDIS_URL"] = redis_database(os.environ["REDIS_URL"], PROCESS_NUMBER)
