"""The annotate page in a real browser: hostile texts, guidelines, keys, widths, and browsers without highlights."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.workspace_page import TEXT, WorkspacePage, stored
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)


def test_hostile_texts_are_shown_as_characters(start: Any) -> None:
    evil = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>'
    work = start(f"Emma left. {evil} Rolf stayed.", title=evil)
    work.mark(evil, evil)
    work.wait_saved()
    work.open()
    assert stored(work.assignment)[0][:2] == (evil, [(11, 11 + len(evil), evil)])
    expect(work.page.locator(".mark-question")).to_have_text(evil)
    assert work.page.evaluate("window.hacked") is None


def test_guidelines_and_keys_open_with_their_keys(start: Any) -> None:
    work = start()
    work.page.keyboard.press("g")
    expect(work.page.locator("#guidelines")).to_contain_text("Causal omission")
    work.page.keyboard.press("Escape")
    expect(work.page.locator("#guidelines")).to_be_hidden()
    work.page.keyboard.press("?")
    expect(work.page.locator("#keys")).to_be_visible()
    work.page.keyboard.press("Escape")
    expect(work.page.locator("#keys")).to_be_hidden()


def test_without_the_highlight_api_boxes_show_the_marks(page: Any, live_server: Any) -> None:
    page.add_init_script("delete CSS.highlights; Object.defineProperty(CSS, 'highlights', { value: undefined })")
    work = WorkspacePage(page, live_server.url, make_annotate_task(TEXT))
    work.mark("left")
    work.wait_saved()
    box = work.page.locator(".paint").bounding_box()
    x1, y1, x2, _ = work.points("left")
    assert box["x"] <= x1 <= box["x"] + box["width"]
    assert abs(box["x"] + box["width"] - x2) < 4
    assert box["y"] <= y1 <= box["y"] + box["height"]


def test_the_page_fits_a_tablet_and_says_so_below(start: Any) -> None:
    work = start()
    for width, told in ((768, False), (390, True)):
        work.page.set_viewport_size({"width": width, "height": 900})
        assert work.page.evaluate("document.documentElement.scrollWidth") == width
        expect(work.page.locator(".annotate-narrow")).to_be_visible(visible=told)
