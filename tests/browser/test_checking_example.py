"""A person tries out on an example how summaries are checked, step by step, and no table has a row more."""

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.test_accessibility import serious
from tests.browser.test_walk_through import rows
from tests.browser.workspace_page import log_in
from tests.factories import make_coarse_task, make_fine_task
from tests.sources import another_summary, checked_summary

pytestmark = pytest.mark.django_db(transaction=True)

SELECT = """(quote) => {
    const blocks = [...document.querySelectorAll("[data-start]")];
    const node = blocks.find(({ textContent }) => textContent.includes(quote)).firstChild;
    const at = node.data.indexOf(quote);
    document.getElementById("source").focus();
    document.getSelection().setBaseAndExtent(node, at, node, at + quote.length);
}"""


def begin(page: Any, live_server: Any, task: Any) -> None:
    """From the person's list of tasks."""
    log_in(page.context, task.annotator.user, live_server.url)
    page.goto(live_server.url + reverse("annotation:tasks"))
    page.get_by_role("link", name="Try it on an example first").click()
    page.wait_for_selector("#not-started", state="detached")


def step(page: Any, words: str) -> None:
    expect(page.locator("[data-example-step]:visible")).to_contain_text(words)


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_statements_by_hint_by_search_and_not_supported(page: Any, live_server: Any) -> None:
    begin(page, live_server, make_fine_task(checked_summary("Emma left the mill.")))
    before = rows()
    step(page, "Step 1 of 4")
    expect(page.locator("#hint-label")).to_have_text("2 hints")
    assert serious(page) == []
    press(page, "j", "e")
    step(page, "Step 2 of 4")
    press(page, "ArrowDown", "/", "b", "e", "l", "l", "Enter")
    expect(page.locator(".source-count")).to_have_text("1 of 1")
    press(page, "Escape", "y")
    expect(page.locator("#unit-number")).to_have_text("Statement 2 of 3")  # it lacks its place
    page.evaluate(SELECT, "pulled the bell rope")
    press(page, "e")
    step(page, "Step 3 of 4")
    press(page, "ArrowDown", "n")
    step(page, "Step 4 of 4")
    expect(page.locator("#saved-state")).to_have_text(re.compile("Saved"))
    press(page, "Control+Enter")
    expect(page.locator("#submitted")).to_contain_text("Nothing was stored")
    step(page, "That was all")
    page.reload()
    step(page, "Step 1 of 4")
    assert rows() == before


def test_a_rating_and_another_look_at_it(page: Any, live_server: Any) -> None:
    summary = checked_summary("Emma left the mill.")
    begin(page, live_server, make_coarse_task(summary, another_summary("Nobody left.", summary)))
    before = rows()
    step(page, "Step 1 of 3")
    press(page, "4")
    step(page, "Step 2 of 3")
    press(page, "Control+Enter")
    page.wait_for_url("**/example/together/")
    page.wait_for_selector("#not-started", state="detached")
    step(page, "Step 3 of 3")
    expect(page.locator("[data-rated=own] input").nth(4)).to_be_checked()
    page.locator("[data-rated=other] label").nth(5).click()
    expect(page.locator("[data-rated=other] [data-first]")).to_have_text("At first 3")
    step(page, "That was all")
    assert serious(page) == []
    assert rows() == before
