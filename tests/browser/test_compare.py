"""The comparison page in a real browser: answering by keys, drafts that survive everything, submit and take back."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Assignment, ComparisonAnswer, ComparisonQuestion, ComparisonSheet
from tests.browser.workspace_page import log_in
from tests.factories import make_compare_task

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = ("a", "b", "d", "n", "y", "n", "a")  # one for each question, in order


@pytest.fixture
def task(page: Any, live_server: Any) -> Assignment:
    task = make_compare_task("💧 Emma left.\n\nThe <b>lamp</b> went out.", "Rolf stayed.", first_is_a=False)
    log_in(page.context, task.annotator.user, live_server.url)
    open_page(page, live_server, task)
    return task


def open_page(page: Any, live_server: Any, task: Assignment) -> None:
    page.goto(f"{live_server.url}/tasks/{task.key}/compare/")
    page.wait_for_selector("#not-started", state="detached")


def saved(page: Any) -> None:
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"Saved \d\d:\d\d"))


def drafts(task: Assignment) -> dict[str, tuple[str, str]]:
    answers = ComparisonSheet.objects.get(assignment=task).answers
    return {slot: (each["answer"], each["comment"]) for slot, each in answers.items()}


def checked(page: Any) -> list[str]:
    return [each.get_attribute("value") for each in page.locator(".compare-questions input:checked").all()]


def problem(page: Any) -> Any:
    return page.locator("[data-problem]")


def test_the_whole_comparison_by_keys_with_submit_and_take_back(page: Any, task: Assignment) -> None:
    assert page.locator("[data-text=a] .reading").inner_text() == "Rolf stayed."
    assert page.locator("[data-text=b] .reading").inner_text() == "💧 Emma left.\n\nThe <b>lamp</b> went out."
    page.keyboard.press("y")  # no answer to the first question
    page.keyboard.press("Control+Enter")
    expect(problem(page)).to_contain_text("7 questions have no answer yet")
    for key in KEYS[:6]:
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.keyboard.type("a b d y n: it flows")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.locator("[data-count]")).to_have_text("7 of 7 answered")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")  # a double submit
    expect(page.locator("[data-submitted] .primary")).to_be_focused()
    stored = dict(ComparisonAnswer.objects.values_list("question", "answer"))
    assert stored == {
        "detail": "second",
        "structure": "first",
        "logic": "draw",
        "contradiction": "no",
        "omission-second": "yes",
        "omission-first": "no",
        "preference": "second",
    }
    assert ComparisonAnswer.objects.get(question="preference").comment == "a b d y n: it flows"
    page.keyboard.press("b")  # locked
    page.reload()
    expect(page.locator("[data-submitted]")).to_be_visible()
    assert checked(page)[0] == "a"
    page.locator("[data-reopen]").click()
    expect(page.locator("[data-submitted]")).to_be_hidden()
    assert not ComparisonAnswer.objects.exists()
    page.keyboard.press("b")
    saved(page)
    page.locator("[data-submit]").click()
    expect(page.locator("[data-submitted]")).to_be_visible()
    assert ComparisonAnswer.objects.get(question="detail").answer == "first"


def test_answers_and_comments_are_there_after_a_reload(page: Any, task: Assignment) -> None:
    page.keyboard.press("a")
    page.keyboard.press("c")
    page.keyboard.type("Half a word")
    page.reload()  # before the pause after which it is sent
    expect(page.locator("[data-slot=structure] textarea")).to_have_value("Half a word")
    expect(page.locator("[data-slot=detail] input[value=a]")).to_be_checked()
    page.keyboard.press("d")
    saved(page)
    assert drafts(task) == {"detail": ("a", ""), "structure": ("draw", "Half a word")}


def test_no_connection_keeps_answers_and_sends_them_later_also_after_a_reload(
    page: Any, task: Assignment, live_server: Any
) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("a")
    expect(problem(page)).to_contain_text("kept here")
    page.unroute("**/api/**")
    open_page(page, live_server, task)
    expect(page.locator("[data-slot=detail] input[value=a]")).to_be_checked()
    saved(page)
    assert drafts(task) == {"detail": ("a", "")}


def test_an_expired_session_keeps_answers(page: Any, task: Assignment, live_server: Any) -> None:
    Session.objects.all().delete()
    page.keyboard.press("b")
    expect(problem(page)).to_contain_text("You are logged out")
    log_in(page.context, task.annotator.user, live_server.url)
    saved(page)
    assert drafts(task) == {"detail": ("b", "")}


def test_two_windows_with_different_answers_ask_and_keep_both_comments(
    page: Any, task: Assignment, live_server: Any
) -> None:
    other = page.context.new_page()
    open_page(other, live_server, task)
    other.route("**/api/**", lambda route: route.abort())
    other.locator("[data-slot=detail] textarea").fill("from the other window")
    other.locator("[data-slot=detail] input[value=b]").check(force=True)
    expect(other.locator("[data-saved]")).to_contain_text("Not saved")
    page.bring_to_front()
    page.locator("[data-slot=detail] textarea").fill("from the first")
    page.locator("[data-slot=detail] input[value=a]").check(force=True)
    saved(page)
    other.unroute("**/api/**")
    expect(other.locator("[data-slot=detail] .compare-conflict")).to_contain_text("Summary A", timeout=20_000)
    other.locator("[data-slot=detail] input[value=draw]").check(force=True)
    saved(other)
    assert drafts(task) == {"detail": ("draw", "from the first\nfrom the other window")}


def test_keys_lead_to_a_question_that_may_stay_open_too(page: Any, task: Assignment, live_server: Any) -> None:
    ComparisonQuestion.objects.filter(key="preference").update(required=False)
    open_page(page, live_server, task)
    for key in KEYS[:6]:
        page.keyboard.press(key)
    expect(page.locator("[data-slot=preference]")).to_have_attribute("data-current", "")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-submitted]")).to_be_visible()
    assert not ComparisonAnswer.objects.filter(question="preference").exists()


def test_a_phone_shows_one_text_at_a_time(page: Any, task: Assignment) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("[data-text=a]")).to_be_visible()
    expect(page.locator("[data-text=b]")).to_be_hidden()
    page.locator("[data-tab=b]").click()
    expect(page.locator("[data-text=b]")).to_be_visible()
    expect(page.locator("[data-text=a]")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("[data-slot=preference] textarea").scroll_into_view_if_needed()
    bar, tabs = (page.locator(each).bounding_box() for each in (".workspace-bar", ".part-tabs"))
    assert tabs["y"] == pytest.approx(bar["y"] + bar["height"], abs=0.5)  # in view, below the bar's two lines
