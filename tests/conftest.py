"""Fixtures for all tests. Services start on demand and stop with the session (see `tests.services`)."""

import functools
import os
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import prepared

#: Handed-over data that is not part of the project; tests that use it are skipped where it is absent.
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

# Django refuses ORM calls while an event loop runs in the thread; playwright's sync API keeps one.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as `pages` what drives pages in a browser without a system of its own behind them, and as `pure` what uses
    no database: both are the same whichever database there is. As `redis` what has a Redis server of its own.

    What takes minutes (and a quiet machine, or packages of its own) runs only where it is asked for by its mark.
    """
    for mark in ("benchmark", "llama"):
        if mark not in config.option.markexpr:
            items[:] = [item for item in items if item.get_closest_marker(mark) is None]
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures and "system" not in fixtures:
            item.add_marker("pages")
        if "redis_server" in fixtures:
            item.add_marker("redis")
        if not _uses_a_database(item, fixtures):
            item.add_marker("pure")
    # So that no process works on them alone at the end.
    long = {item.path for item in items if _takes_long(item)}
    items.sort(key=lambda item: item.path not in long)


def _takes_long(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(mark) for mark in ("long", "processes"))
    return marked or not {"system", "worker"}.isdisjoint(getattr(item, "fixturenames", ()))


def _uses_a_database(item: pytest.Item, fixtures: Collection[str]) -> bool:
    marked = any(item.get_closest_marker(mark) for mark in ("django_db", "processes"))
    return marked or not {"db", "transactional_db"}.isdisjoint(fixtures)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        pytest.skip("needs the handed-over release data (../shared/data), which is not on this machine")
    return SHARED_DATA


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, tmp_path_factory: Any) -> None:
    """The test database is a copy of one with all tables.

    SQLite on a file: a database in memory locks whole tables between threads, which the real one does not.
    """
    from django.db import connections

    database = connections["default"]
    options = database.settings_dict["TEST"]
    if database.vendor == "sqlite":
        file = tmp_path_factory.mktemp("database") / "test.sqlite3"
        prepared.copy_database(file)
        options["NAME"] = str(file)
    else:
        options["TEMPLATE"] = prepared.postgres_template(os.environ["DATABASE_URL"])
    options["MIGRATE"] = False


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """SQLite's file is ready, and goes with the temporary folder."""
    from django.db import connection

    return django_db_keepdb or connection.vendor == "sqlite"


@pytest.fixture(scope="module")
def shared_rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For a fixture of the module that makes rows which many tests only start from: they go after the last of them.

    Each test uses `db` too, so that what it changes itself goes with it, and a copy of what the fixture gives. Not for
    tests that commit.
    """
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _engine_ends_with_its_test() -> Iterator[None]:
    """The engine's threads hold connections to the test database."""
    yield
    if loop := sys.modules.get("summarizer.engine.loop"):
        loop.close_engine()


@pytest.fixture
def llm_server() -> Iterator[Any]:
    """A scripted LLM server, see `tests.llm_server`."""
    from tests.llm_server import LLMServer

    with LLMServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of the run's Redis, or of one of our own."""
    from tests import services

    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    try:
        with services.redis() as url:
            yield url
    except FileNotFoundError:
        pytest.skip("needs a redis-server on the PATH")


@pytest.fixture
def redis_server() -> Iterator[Any]:
    """A Redis of this test alone, which it may stop and start again."""
    from tests import services

    try:
        server = services.RedisServer()
    except FileNotFoundError:
        pytest.skip("needs a redis-server on the PATH")
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def _no_login_throttle_between_tests(settings: Any) -> None:
    """Every test logs in often from one address; the throttle has tests of its own that switch it on."""
    settings.AXES_ENABLED = False


@pytest.fixture(scope="session", autouse=True)
def _passwords_are_hashed_quickly() -> Iterator[None]:
    """Slowness is what a hash is for; what is about it takes Django's own list."""
    from django.conf import global_settings
    from django.test import override_settings

    quick = "django.contrib.auth.hashers.MD5PasswordHasher"
    with override_settings(PASSWORD_HASHERS=[quick, *global_settings.PASSWORD_HASHERS]):
        yield


@pytest.fixture(scope="session")
def chromium_path() -> str:
    from tests.services import chromium

    path = chromium()
    if path is None:
        pytest.skip("needs a Chromium on the PATH")
    return path


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Any]:
    """A Chromium for one file of tests: while it runs, its event loop bars others (`asyncio.run`) from the thread."""
    from playwright.sync_api import sync_playwright

    from tests.services import CHROMIUM_ARGUMENTS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page in a fresh browser profile; a script error or a request to another host on it fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    foreign: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: foreign.append(request.url) if _is_foreign(request.url) else None)
    page.set_default_timeout(15_000)
    yield page
    context.close()
    assert errors == []
    assert foreign == []


def _is_foreign(url: str) -> bool:
    return re.match(r"(https?://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:)", url) is None


@pytest.fixture(scope="session", autouse=True)
def _quick_flush() -> Iterator[None]:
    """Empty the tables that tests fill, and leave those that migrations fill as they are.

    By DELETE: TRUNCATE makes new files for every table and index after every test.
    """
    from django.core.management.commands import flush

    def sql_flush(style: Any, connection: Any, **_: Any) -> list[str]:
        tables = set(connection.introspection.django_table_names(only_existing=True)) - prepared.FILLED_BY_MIGRATIONS
        # The foreign keys are checked at the end of the transaction, so the order does not matter.
        statements = [f"DELETE FROM {connection.ops.quote_name(table)};" for table in sorted(tables)]
        return ["".join(statements)] if connection.vendor == "postgresql" else statements

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(flush, "sql_flush", sql_flush)
        patched.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_looked_for_once() -> Iterator[None]:
    """Every test client is a web server of its own, which would look through all static files when it starts."""
    from whitenoise.middleware import WhiteNoiseMiddleware

    files: dict[str, Any] = {}
    look = WhiteNoiseMiddleware.add_files_from_finders

    def look_once(self: Any) -> None:
        if not files:
            look(self)
            files.update(self.files)
        self.files = files

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WhiteNoiseMiddleware, "add_files_from_finders", look_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """Every client of an endpoint would read all of this machine's, for servers that have none."""
    import httpx2

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(httpx2, "create_ssl_context", functools.cache(httpx2.create_ssl_context))
        yield
