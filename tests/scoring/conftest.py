"""Fixtures of the tests around an imported release, and of pages with figures."""

from typing import Any

import pytest

from tests.factories import make_user
from tests.scoring.release_folder import write_release


@pytest.fixture
def folder(tmp_path):
    return write_release(tmp_path / "release")


@pytest.fixture
def researcher(client: Any) -> Any:
    """The browser of a researcher."""
    client.force_login(make_user("researcher"))
    return client
