"""The COARSE page in a real browser: rate two summaries of a book, then hold the ratings against each other."""

import re
import uuid
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, Rating
from tests.browser.workspace_page import log_in
from tests.factories import make_coarse_task
from tests.sources import another_summary, checked_summary

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_summaries_of_a_book_from_start_to_end(page: Any, live_server: Any) -> None:
    summary = checked_summary("Emma left the mill.")
    other = another_summary("Nobody ever left.", summary)
    task = make_coarse_task(summary, other)
    second = Assignment.objects.create(
        key=uuid.uuid4(), study=task.study, annotator=task.annotator, task="coarse", summary=other, order=1
    )
    log_in(page.context, task.annotator.user, live_server.url)
    page.goto(f"{live_server.url}/tasks/{task.key}/coarse/")
    page.wait_for_selector("#not-started", state="detached")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notices")).to_contain_text("There is no rating yet")
    expect(page.locator("[data-rating] :focus")).to_have_count(1)
    page.keyboard.press("4")
    page.keyboard.press("c")
    page.keyboard.type("Mostly.")
    page.keyboard.press("Control+Enter")
    page.get_by_role("link", name="Next summary").click()

    page.wait_for_url(f"**/{second.key}/coarse/")
    page.wait_for_selector("#not-started", state="detached")
    page.locator("[data-rating] label").nth(3).click()
    page.keyboard.press("Control+Enter")

    page.wait_for_url(f"**/{second.key}/coarse/together/")
    page.wait_for_selector("#not-started", state="detached")
    row = page.locator(f"[data-rated='{second.key}']")
    row.locator("label").nth(0).click()
    expect(row.locator("[data-first]")).to_have_text("At first 3")
    expect(page.locator("#saved-state")).to_have_text(re.compile(r"Saved \d\d:\d\d"))
    values = Rating.objects.order_by("assignment__order").values_list("value", "first_value", "comment")
    assert list(values) == [(4, None, "Mostly."), (0, 3, "")]
    page.reload()
    expect(row.locator("[data-first]")).to_have_text("At first 3")
    expect(row.locator("input").nth(0)).to_be_checked()
