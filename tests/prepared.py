"""What all that starts on an empty database or folder makes first: tables and static files.

They are made once, by the process that needs them first, and copied from then on; those who come meanwhile wait.
"""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests import environment

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = environment.folder / "prepared"
DATABASE = "booookweb.sqlite3"
#: Tables of Django's own, whose rows stay as they are in every test.
FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}
#: A number that nothing else locks.
LOCK = 7_016_245
#: What `manage.py collectstatic` writes, and the script of the charts that it finds by writing it.
STATIC = ("static", "charts")
#: Commands of Python.
STATIC_FILES = ("manage.py", "collectstatic", "--no-input")
TABLES = ("-m", "tests.tables")


def copy_database(target: Path) -> None:
    """Put an SQLite database with all tables there."""
    shutil.copyfile(_made("database", *TABLES) / DATABASE, target)


def copy_static(folder: Path) -> None:
    """Fill the folder of an installation with the static files, as after its first start."""
    made = _made("static", *STATIC_FILES)
    for name in STATIC:
        shutil.copytree(made / name, folder / name)


def postgres_template(address: str) -> str:
    """The name of a database with all tables on this server: a template for others.

    It is named after the migrations, so that a server that outlives the tests keeps no old one in use.
    """
    import psycopg

    name = f"booookweb_tables_{_migrations()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}_begun"')
            connection.execute(f'CREATE DATABASE "{name}_begun"')
            _run(*TABLES, DATABASE_URL=with_database(address, f"{name}_begun"), BOOOOKWEB_VAR=str(FOLDER))
            connection.execute(f'ALTER DATABASE "{name}_begun" RENAME TO "{name}"')
    return name


def with_database(address: str, name: str) -> str:
    """The address of another database on the same server."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{name}"))


def _made(name: str, *command: str) -> Path:
    """The folder of an installation in which this command of Python was run."""
    folder = FOLDER / name
    with _alone():
        if not folder.exists():
            begun = FOLDER / f"{name}-begun"
            shutil.rmtree(begun, ignore_errors=True)
            _run(*command, BOOOOKWEB_VAR=str(begun))
            begun.rename(folder)
    return folder


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """While no other process is here; one that dies is here no more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(FOLDER / "lock", timeout=300, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _run(*command: str, **settings: str) -> None:
    """Without a `DATABASE_URL` on SQLite, whatever the tests run on."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    result = subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT,
        env={**inherited, **settings},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


def _migrations() -> str:
    files = sorted(PROJECT.glob("*/migrations/*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
