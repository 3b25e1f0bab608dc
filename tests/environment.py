"""Loaded first of all (`-p tests.environment`), before pytest-django reads the settings."""

import os
import tempfile
from urllib.parse import urlsplit, urlunsplit

# Nothing that a test writes lands in the folder of a running installation.
if "BOOOOKWEB_VAR" not in os.environ:
    os.environ["BOOOOKWEB_VAR"] = tempfile.mkdtemp(prefix="booookweb-tests-")


def redis_database(address: str, number: int) -> str:
    """The address of another database of the same Redis server; it has 16."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{number}"))


# Of processes that test at the same time each has its own Redis database, as pytest-django gives each its own of
# PostgreSQL: a Celery worker that took the other's messages would look for their rows in vain.
PROCESS_NUMBER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
if "REDIS_URL" in os.environ:
    os.environ["REDIS_URL"] = redis_database(os.environ["REDIS_URL"], PROCESS_NUMBER)
