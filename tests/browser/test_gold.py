"""The adjudication page in a browser: decide by keys, undo, add, no connection, a colleague at the same summary."""

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import GoldDecision, GoldSet
from tests.browser.workspace_page import BOX_OF_TEXT, log_in
from tests.factories import make_annotator, make_marks, make_summary, make_user
from tests.world import make_study

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Emma left 🙂 the mill. Rolf stayed behind with the key. Nobody asked."


@pytest.fixture
def address(page: Any, live_server: Any) -> str:
    summary = make_summary(TEXT)
    study = make_study(summary, phase="closed")
    make_marks(summary, make_annotator(), study=study, spans=[[(0, 4)], [(47, 50)]])
    make_marks(summary, make_annotator(), study=study, spans=[[(0, 9)]], questions="Why does she leave?")
    log_in(page.context, make_user("researcher", "rosa"), live_server.url)
    return str(live_server.url + reverse("scoring:summary-gold", args=[study.name, summary.pk]))


def open_page(page: Any, address: str) -> None:
    page.goto(address)
    expect(page.locator("#left")).to_contain_text("to decide")


def wait_saved(page: Any) -> None:
    expect(page.locator("#saved-state")).to_have_text(re.compile("^Saved"))


def select(page: Any, start: int, end: int) -> None:
    """Offsets in UTF-16 units, as the DOM counts."""
    x1, y1, x2, y2 = page.evaluate(BOX_OF_TEXT, [start, end])
    page.mouse.move(x1, y1)
    page.mouse.down()
    page.mouse.move(x2, y2, steps=4)
    page.mouse.up()


def test_a_summary_is_decided_with_the_keyboard(page: Any, address: str) -> None:
    open_page(page, address)
    keyboard = page.keyboard
    keyboard.press("n")
    keyboard.press("a")  # both marks are ticked: the form joins them
    expect(page.locator("#mark-question")).to_have_value("Why does she leave?\nWho is Emma?")
    keyboard.press("Escape")  # nothing was written, so nothing is said
    expect(page.locator("#notices")).to_be_empty()
    keyboard.press("a")
    keyboard.type("Which Emma?")
    keyboard.press("Escape")
    page.get_by_role("button", name="Bring it back").click()
    keyboard.press("Control+Enter")
    wait_saved(page)
    joined = GoldDecision.objects.get()
    assert "Which Emma?" in joined.questions
    assert joined.sources.count() == 2
    keyboard.press("u")
    keyboard.press("r")
    keyboard.type("Asked and answered")
    keyboard.press("Enter")
    expect(page.locator("#left")).to_have_text(re.compile("1 mark in gold, all decided"))
    keyboard.press("Control+z")
    expect(page.locator("#left")).to_contain_text("1 to decide")
    keyboard.press("Control+Shift+z")
    expect(page.locator("#left")).to_contain_text("all decided")
    select(page, TEXT.index("Nobody") + 1, TEXT.index(" asked") + 1 + len(" asked"))  # one unit more: the emoji
    page.locator("#mark-question").fill("Asked what?")
    keyboard.press("Control+Enter")
    expect(page.locator("#left")).to_contain_text("2 marks in gold")
    wait_saved(page)
    assert GoldDecision.objects.get(questions="Asked what?").spans.get().quote == "Nobody asked"
    page.locator("#finish").click()
    expect(page.locator("#finished")).to_contain_text("Finished by rosa")
    assert GoldSet.objects.get().state == "finished"
    page.locator("#reopen").click()
    expect(page.locator("#finish")).to_be_visible()


def test_without_a_connection_a_decision_is_kept_and_sent_after_a_reload(page: Any, address: str) -> None:
    open_page(page, address)
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("p")
    page.keyboard.press("a")
    expect(page.locator("#saved-state")).to_contain_text("Not saved - no connection")
    assert not GoldDecision.objects.exists()
    page.unroute("**/api/**")
    page.reload()
    wait_saved(page)
    assert GoldDecision.objects.get().outcome == "mark"


def test_a_colleague_at_the_same_summary(page: Any, address: str, browser: Any, live_server: Any) -> None:
    """Both decide about the same mark; the later one sees the other's decision and loses nothing of their own."""
    other = browser.new_context().new_page()
    log_in(other.context, make_user("researcher", "ada"), live_server.url)
    open_page(page, address)
    open_page(other, address)
    other.keyboard.press("p")
    other.keyboard.press("a")
    wait_saved(other)
    page.keyboard.press("p")
    page.keyboard.press("r")
    page.keyboard.type("No question")
    page.keyboard.press("Enter")
    place = page.locator(".gold-place").last
    expect(place).to_contain_text("ada has decided about one of these marks meanwhile")
    expect(place).to_contain_text("by ada")
    page.get_by_role("button", name="Look at it").click()
    place.get_by_role("button", name="Discard mine").click()
    expect(place).not_to_contain_text("No question")
    wait_saved(page)
    assert GoldDecision.objects.get().by.username == "ada"
    other.context.close()
