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


def test_taps_alone_mark_a_word_and_from_word_to_word(browser: Any, live_server: Any) -> None:
    context = browser.new_context(viewport={"width": 768, "height": 1024}, has_touch=True)
    work = WorkspacePage(context.new_page(), live_server.url, make_annotate_task(TEXT))
    tap(work, "left")
    mark_this(work, "Where?")
    tap(work, "left")  # picks the mark that lies here
    expect(work.page.locator(".mark-card.active")).to_have_count(1)
    tap(work, "Petra")
    tap(work, "stayed")  # backwards
    tap(work, "mentioned")  # and further
    assert work.page.evaluate("String(getSelection())") == TEXT[TEXT.index("stayed") : TEXT.index(" before")]
    mark_this(work, "Why?")
    tap(work, "packed")
    expect(work.page.locator("#touch-mark")).to_be_visible()
    tap(work, "packed")  # given up
    expect(work.page.locator("#touch-mark")).to_be_hidden()
    assert [spans[0][:2] for _, spans, _ in stored(work.assignment)] == [(5, 9), (16, 75)]
    context.close()


def tap(work: WorkspacePage, word: str) -> None:
    x1, y1, x2, _ = work.points(word)
    work.page.touchscreen.tap((x1 + x2) / 2, y1)


def mark_this(work: WorkspacePage, question: str) -> None:
    work.page.get_by_role("button", name="Mark this").tap()
    work.page.locator("#mark-question").fill(question)
    work.page.locator("#mark-form .chip").first.tap()
    work.page.locator("#mark-form button[type=submit]").tap()
    work.wait_saved()
