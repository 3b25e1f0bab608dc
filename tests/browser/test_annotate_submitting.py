"""The annotate page in a real browser: ending a task, and taking that back."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation, AnnotationSet

pytestmark = pytest.mark.django_db(transaction=True)


def test_submit_asks_for_what_is_missing_then_ends_and_can_be_undone(start: Any) -> None:
    work = start()
    work.mark("left", "", ())
    work.wait_saved()
    work.page.locator("#submit").click()
    expect(work.page.locator("[data-submit]")).to_be_disabled()
    work.page.get_by_role("button", name="“left” needs a question and a kind of error").click()
    work.write("Where?", 1)
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    work.page.locator("#submit").click()
    work.page.locator("[data-submit]").dblclick()
    expect(work.page.locator("#task-state")).to_contain_text("You submitted this summary")
    assert AnnotationSet.objects.get().state == AnnotationSet.State.SUBMITTED
    work.drag("stayed")
    work.page.wait_for_timeout(200)
    expect(work.form).to_be_hidden()
    work.page.get_by_role("button", name="Reopen").click()
    expect(work.page.locator("#task-state")).to_be_hidden()
    work.mark("stayed")
    expect(work.cards).to_have_count(2)


def test_nothing_found_needs_a_tick(start: Any) -> None:
    work = start()
    work.page.locator("#submit").click()
    expect(work.page.locator("[data-submit]")).to_be_disabled()
    work.page.get_by_label("nothing in it confused me").check()
    work.page.locator("[data-submit]").click()
    expect(work.page.locator("#task-state")).to_be_visible()
    assert AnnotationSet.objects.get().state == AnnotationSet.State.SUBMITTED


def test_submit_waits_for_a_slow_save(start: Any) -> None:
    work = start()
    work.page.route("**/marks/*-*/", lambda route: (work.page.wait_for_timeout(1500), route.continue_()))
    work.mark("left", "Where?")
    work.page.locator("#submit").click()
    work.page.locator("[data-submit]").click()
    expect(work.page.locator("#task-state")).to_be_visible()
    assert AnnotationSet.objects.get().state == AnnotationSet.State.SUBMITTED
    assert Annotation.objects.count() == 1


def test_a_failed_submit_says_so_and_keeps_everything(start: Any) -> None:
    work = start()
    work.mark("left", "Where?")
    work.wait_saved()
    work.page.route("**/submit/", lambda route: route.fulfill(status=500, body="Oops"))
    work.page.locator("#submit").click()
    work.page.locator("[data-submit]").click()
    expect(work.page.locator("[data-error]")).to_contain_text("Your marks are kept")
    assert AnnotationSet.objects.get().state == AnnotationSet.State.DRAFT
    work.open()
    expect(work.cards).to_have_count(1)


def test_the_back_button_after_submitting_leads_to_no_open_task(start: Any) -> None:
    work = start()
    work.mark("left", "Where?")
    work.wait_saved()
    work.page.locator("#submit").click()
    work.page.locator("[data-submit]").click()
    expect(work.page.locator("#task-state")).to_be_visible()
    work.page.get_by_role("link", name="Back to my tasks").last.click()
    work.page.wait_for_url("**/tasks/")
    work.page.go_back()
    expect(work.page.locator("#task-state")).to_contain_text("You submitted this summary")
    expect(work.page.locator("#submit")).to_be_hidden()
    work.drag("stayed")
    work.page.wait_for_timeout(200)
    expect(work.form).to_be_hidden()
