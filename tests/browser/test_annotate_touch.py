"""The annotate page under a finger, on a tablet."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.workspace_page import TEXT, WorkspacePage, stored
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)


def test_with_a_finger_a_button_opens_the_form(browser: Any, live_server: Any) -> None:
    context = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True)
    work = WorkspacePage(context.new_page(), live_server.url, make_annotate_task(TEXT))
    x1, y1, x2, _ = work.points("stayed")
    work.page.touchscreen.tap((x1 + x2) / 2, y1)
    # What a long press and its handles do, which playwright can't.
    work.page.evaluate("document.getSelection().setBaseAndExtent(text.firstChild, 16, text.firstChild, 22)")
    expect(work.form).to_be_hidden()
    work.page.get_by_role("button", name="Mark this").tap()
    work.write("Why?", 1)
    work.page.locator("#mark-form button[type=submit]").tap()
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(16, 22, "stayed")]]
    context.close()
