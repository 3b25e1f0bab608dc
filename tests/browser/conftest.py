"""Fixtures of the browser tests."""

from typing import Any

import pytest

from tests.browser.workspace_page import TEXT, WorkspacePage
from tests.factories import make_annotate_task


@pytest.fixture
def start(page: Any, live_server: Any) -> Any:
    """Open the annotate page of a new task on a text; options are those of `make_annotate_task`."""
    return lambda text=TEXT, **options: WorkspacePage(page, live_server.url, make_annotate_task(text, **options))
