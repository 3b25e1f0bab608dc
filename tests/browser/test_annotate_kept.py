"""The annotate page in a real browser: what is not saved yet is kept, said and sent, once."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.browser.workspace_page import stored

pytestmark = pytest.mark.django_db(transaction=True)


def test_marks_are_there_after_a_reload(start: Any) -> None:
    work = start()
    work.mark("left", "Where?")
    work.wait_saved()
    work.open()
    expect(work.cards).to_have_count(1)
    assert work.highlighted() == ["left"]


def test_a_half_written_form_is_there_after_a_reload(start: Any) -> None:
    work = start()
    work.drag("left")
    work.write("Half a quest", 2)
    work.open()
    expect(work.page.locator("#mark-question")).to_have_value("Half a quest")
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    assert stored(work.assignment) == [("Half a quest", [(5, 9, "left")], ["event omission"])]


def test_double_click_on_save_makes_one_mark(start: Any) -> None:
    work = start()
    work.drag("left")
    work.write("Where?", 1)
    work.page.locator("#mark-form button[type=submit]").dblclick()
    work.wait_saved()
    assert Annotation.objects.count() == 1


def test_a_lost_answer_and_its_repeat_make_one_mark(start: Any) -> None:
    work = start()
    sends = []

    def lose_first(route: Any) -> None:
        sends.append(route.request.post_data)
        if len(sends) == 1:
            route.fetch()  # reaches the server, the answer does not come back
            route.abort()
        else:
            route.continue_()

    work.page.route("**/marks/*-*/", lose_first)
    work.mark("left", "Where?")
    work.wait_state("Not saved - no connection, kept here")
    work.save_now()
    work.wait_saved()
    assert len(sends) >= 2
    assert Annotation.objects.count() == 1


def test_offline_keeps_the_work_over_a_reload_and_sends_it_later(start: Any) -> None:
    work = start()
    work.page.route("**/api/**", lambda route: route.abort())
    work.mark("left", "Where?")
    work.wait_state("Not saved - no connection, kept here")
    expect(work.cards.first).to_contain_text("Not saved yet")
    work.open()
    expect(work.cards).to_have_count(1)
    assert stored(work.assignment) == []
    work.page.unroute("**/api/**")
    work.save_now()
    work.wait_saved()
    assert stored(work.assignment) == [("Where?", [(5, 9, "left")], ["entity omission"])]
    assert not [key for key in work.local() if key.startswith("marks:")]


def test_a_server_error_keeps_the_work(start: Any) -> None:
    work = start()
    work.page.route("**/api/**", lambda route: route.fulfill(status=500, body="<h1>Oops</h1>"))
    work.mark("left", "Where?")
    work.wait_state("Not saved - the server has a problem, kept here")
    work.page.unroute("**/api/**")
    work.wait_saved()  # without a hand: it is tried again
    assert len(stored(work.assignment)) == 1
