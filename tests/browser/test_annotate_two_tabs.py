"""The annotate page in two tabs: what can be merged is, and the rest is asked about."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.workspace_page import WorkspacePage, second_tab, stored

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_second_tab_sees_and_merges_what_the_first_one_did(start: Any) -> None:
    first = start()
    second = second_tab(first)
    first.page.bring_to_front()
    first.mark("left", "Where?")
    first.wait_saved()
    expect(second.cards).to_have_count(1)
    second.page.route("**/api/**", lambda route: route.abort())
    second.page.bring_to_front()
    second.cards.first.focus()
    second.page.keyboard.press("Enter")
    second.write("", 5)
    second.page.keyboard.press("Control+Enter")
    second.wait_state("Not saved")
    first.page.bring_to_front()
    first.cards.first.focus()
    first.page.keyboard.press("Enter")
    first.page.locator("#mark-question").fill("Where to?")
    first.page.keyboard.press("Control+Enter")
    first.wait_saved()
    second.page.unroute("**/api/**")
    second.save_now()
    second.wait_saved()
    merged = [("Where to?", [(5, 9, "left")], ["entity omission", "discontinuity"])]
    assert stored(first.assignment) == merged
    first.page.bring_to_front()
    expect(first.cards.locator(".type-tag")).to_have_count(2)
    first.page.keyboard.press("Control+z")
    expect(first.page.locator("#notices")).to_contain_text("changed in another window since")
    assert stored(first.assignment) == merged


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("The one here", ["Second?"]),
        ("The other one", ["First?"]),
        ("Both, as two marks", ["First?", "Second?"]),
    ],
)
def test_two_tabs_that_change_the_same_question_are_asked_about(start: Any, choice: str, expected: list[str]) -> None:
    first = start()
    first.mark("left", "Where?")
    first.wait_saved()
    second = second_tab(first)
    second.page.route("**/api/**", lambda route: route.abort())
    for work, question in ((first, "First?"), (second, "Second?")):
        work.page.bring_to_front()
        work.cards.first.focus()
        work.page.keyboard.press("Enter")
        work.page.locator("#mark-question").fill(question)
        work.page.keyboard.press("Control+Enter")
        if work is first:
            first.wait_saved()
    second.wait_state("Not saved")
    second.page.unroute("**/api/**")
    second.save_now()
    second.page.get_by_role("button", name=choice).click()
    second.wait_saved()
    expect(second.cards).to_have_count(len(expected))
    expect(second.page.locator(".mark-card .badge.warning")).to_have_count(0)
    assert sorted(questions for questions, _, _ in stored(first.assignment)) == expected


def test_a_mark_made_after_another_tab_submitted_is_kept_and_said(start: Any) -> None:
    first = start()
    first.mark("left", "Where?")
    first.wait_saved()
    second = second_tab(first)
    second.page.evaluate("document.querySelectorAll('*').length")
    first.page.bring_to_front()
    second.page.route("**/marks/", lambda route: route.abort())  # it does not hear of the submission
    first.page.locator("#submit").click()
    first.page.locator("[data-submit]").click()
    expect(first.page.locator("#task-state")).to_be_visible()
    second.page.bring_to_front()
    second.mark("stayed", "Why?")
    second.wait_state("Not saved - this task takes no changes now, kept here")
    assert len(stored(first.assignment)) == 1
    second.page.unroute("**/marks/")
    second.page.reload()
    second.page.get_by_role("button", name="Reopen").click()
    second.wait_saved()
    assert len(stored(first.assignment)) == 2


def test_a_conflict_put_off_with_escape_can_be_decided_later(start: Any) -> None:
    first = start()
    first.mark("left", "Where?")
    first.wait_saved()
    second = second_tab(first)
    second.page.route("**/api/**", lambda route: route.abort())
    first.page.bring_to_front()
    first.cards.first.focus()
    first.page.keyboard.press("Delete")
    first.wait_saved()
    second.page.bring_to_front()
    second.cards.first.focus()
    second.page.keyboard.press("Enter")
    second.page.locator("#mark-question").fill("Second?")
    second.page.keyboard.press("Control+Enter")
    second.wait_state("Not saved")
    second.page.unroute("**/api/**")
    second.save_now()
    expect(second.page.locator("#choice-title")).to_have_text("This mark was deleted in another window")
    second.page.keyboard.press("Escape")
    second.wait_state("Not saved - a mark needs your decision")
    second.page.get_by_role("button", name="Decide").click()
    second.page.get_by_role("button", name="The one here").click()
    second.wait_saved()
    assert [questions for questions, _, _ in stored(first.assignment)] == ["Second?"]


def test_two_devices_of_one_person_merge_what_they_can_and_ask_about_the_rest(browser: Any, start: Any) -> None:
    """Nothing but the server tells one device of the other."""
    laptop = start()
    laptop.mark("left", "Where?")
    laptop.wait_saved()
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    tablet = WorkspacePage(context.new_page(), laptop.server, laptop.assignment)
    ask(laptop, "Where to?")
    laptop.wait_saved()
    tablet.cards.first.focus()
    tablet.page.keyboard.press("Enter")
    tablet.write("", 5)  # one more kind of error; the question is still the old one here
    tablet.page.keyboard.press("Control+Enter")
    tablet.wait_saved()
    assert stored(laptop.assignment) == [("Where to?", [(5, 9, "left")], ["entity omission", "discontinuity"])]
    ask(laptop, "And why?")
    ask(tablet, "With whom?")
    asked = [device for device in (laptop, tablet) if keep_both_if_asked(device)]
    assert len(asked) == 1  # whichever came second
    assert sorted(questions for questions, _, _ in stored(laptop.assignment)) == ["And why?", "With whom?"]
    context.close()


def keep_both_if_asked(work: WorkspacePage) -> bool:
    """Wait until everything is saved, or the page asks which of two versions to keep; then both."""
    dialog = work.page.locator("#choice-dialog[open]")
    saved = work.page.locator("#saved-state[data-state=saved]")
    expect(dialog.or_(saved)).to_have_count(1)
    asked = dialog.count() == 1
    if asked:
        dialog.get_by_role("button", name="Both, as two marks").click()
    work.wait_saved()
    return asked


def ask(work: WorkspacePage, question: str) -> None:
    """Write another question into the first mark, and wait until the server has answered."""
    with work.page.expect_response("**/marks/*-*/"):
        work.cards.first.focus()
        work.page.keyboard.press("Enter")
        work.page.locator("#mark-question").fill(question)
        work.page.keyboard.press("Control+Enter")
