"""Fixtures of the tests of studies and tasks."""

from typing import Any

import pytest

from booookweb.models import Role, User
from tests.factories import make_user


@pytest.fixture
def researcher(client: Any) -> User:
    """Who is logged in."""
    user = make_user(Role.RESEARCHER, "rosa")
    client.force_login(user)
    return user
