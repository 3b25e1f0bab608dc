"""Fixtures of the tests of the API."""

from uuid import uuid4

import pytest


@pytest.fixture(autouse=True)
def _own_address(monkeypatch):
    """Tests send unknown tokens, and the counter of them outlives a test: each comes from an address of its own."""
    address = f"test-{uuid4()}"
    monkeypatch.setattr("booookweb.throttle.get_client_ip_address", lambda _: address)
