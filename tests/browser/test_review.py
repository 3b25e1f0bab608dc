"""The review page in a real browser: answering by keys, and every way to lose an answer."""

import re
import uuid
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Assignment, OriginGuess, ReviewDecision, ReviewItem, Study
from tests.browser.workspace_page import log_in
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "💧 Emma left. Rolf stayed.\n\nThe lamp went out, and nobody lit it again. <b>Petra</b> says so."


def span(quote: str) -> tuple[int, int]:
    start = TEXT.index(quote)  # in code points
    return start, start + len(quote)


@pytest.fixture
def task(page: Any, live_server: Any) -> Assignment:
    """Three marks: after an emoji, a relation, and one on text that looks like markup."""
    summary = make_summary(TEXT)
    study = Study.objects.create(name="blind", title="Blind", phase="reviewing")
    study.summaries.add(summary)
    places = [[span("Emma left")], [span("Rolf stayed."), span("The lamp went out")], [span("Petra")]]
    marks = make_marks(summary, make_judge(), spans=places, questions="Who?\nWhy <b>now</b>?")
    for order, mark in enumerate(marks.annotations.order_by("pk")):
        ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=order)
    task = Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=summary, annotator=make_annotator(), task="review"
    )
    log_in(page.context, task.annotator.user, live_server.url)
    page.goto(f"{live_server.url}/tasks/{task.key}/review/")
    return task


def marked(page: Any) -> list[str]:
    return page.locator(".review-text mark").all_inner_texts()


def saved(page: Any) -> None:
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"Saved \d\d:\d\d"))


def stored(task: Assignment) -> list[tuple[str, list[str], str]]:
    decisions = ReviewDecision.objects.filter(reviewer=task.annotator).order_by("item__order")
    return list(decisions.values_list("agreement", "reasons", "comment"))


def test_one_mark_at_a_time_with_its_places_in_the_whole_text(page: Any, task: Assignment) -> None:
    assert page.locator("[data-text]").inner_text() == TEXT
    assert marked(page) == ["Emma left"]
    assert page.locator("[data-questions] p").all_inner_texts() == ["Who?", "Why <b>now</b>?"]
    page.keyboard.press("1")
    assert marked(page) == ["Rolf stayed.", "The lamp went out"]
    expect(page.locator("[data-place]")).to_have_text("About these two places together")
    page.keyboard.press("3")
    assert marked(page) == ["Petra"]
    expect(page.locator("[data-position]")).to_have_text("Mark 3 of 3, 2 answered")
    saved(page)
    assert stored(task) == [("agree", [], ""), ("disagree", [], "")]


def test_partial_asks_for_a_reason_and_other_for_words(page: Any, task: Assignment) -> None:
    expect(page.locator("[data-reasons]")).to_be_hidden()
    page.keyboard.press("2")
    expect(page.locator("[data-reasons]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-problem]")).to_have_text("Choose what is wrong with the question.")
    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-problem]")).to_contain_text("Say in the comment")
    assert stored(task) == []
    page.locator("[data-comment]").fill("It is about 1 2 3.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-position]")).to_contain_text("Mark 2 of 3")
    saved(page)
    assert stored(task) == [("partial", ["other"], "It is about 1 2 3.")]


@pytest.mark.parametrize("answer", ["1", "3", "a"])
def test_an_answer_takes_away_what_was_said_about_the_lack_of_one(page: Any, task: Assignment, answer: str) -> None:
    """On the last mark too, where the page stays as it is."""
    for key in ("1", "1", "2", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("[data-problem]")).to_have_text("Choose what is wrong with the question.")
    page.keyboard.press(answer)
    expect(page.locator("[data-problem]")).to_be_hidden()
    expect(page.locator("[data-position]")).to_contain_text("Mark 3 of 3")


def test_what_is_said_about_the_connection_stays_when_an_answer_changes(page: Any, task: Assignment) -> None:
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("a")
    expect(page.locator("[data-problem]")).to_contain_text("kept here")
    page.keyboard.press("b")
    expect(page.locator("[data-problem]")).to_contain_text("kept here")
    page.context.set_offline(False)


def test_back_shows_the_answer_which_can_be_changed(page: Any, task: Assignment) -> None:
    page.keyboard.press("1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-agreement=agree]")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-agreement=disagree]").click()
    expect(page.locator("[data-position]")).to_contain_text("Mark 2 of 3")
    saved(page)
    assert stored(task) == [("disagree", [], "")]


def test_a_reload_goes_on_at_the_first_mark_without_an_answer(page: Any, task: Assignment) -> None:
    page.keyboard.press("1")
    saved(page)
    page.reload()
    expect(page.locator("[data-position]")).to_have_text("Mark 2 of 3, 1 answered")


def test_a_reload_keeps_the_place_after_going_back(page: Any, task: Assignment) -> None:
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("ArrowLeft")
    saved(page)
    page.reload()
    expect(page.locator("[data-position]")).to_have_text("Mark 2 of 3, 2 answered")


def test_the_last_answer_can_be_taken_back_also_one_that_replaced_another(page: Any, task: Assignment) -> None:
    undo = page.get_by_role("button", name="Undo last answer")
    expect(undo).to_be_disabled()
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.keyboard.press("z")
    expect(page.locator("[data-position]")).to_have_text("Mark 2 of 3, 1 answered")
    saved(page)
    assert stored(task) == [("agree", [], "")]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("3")
    page.keyboard.press("Control+z")
    expect(page.locator("[data-position]")).to_have_text("Mark 1 of 3, 1 answered")
    expect(page.locator("[data-agreement=agree]")).to_have_attribute("aria-pressed", "true")
    saved(page)
    assert stored(task) == [("agree", [], "")]
    undo.click()
    expect(undo).to_be_disabled()
    expect(page.locator("[data-position]")).to_have_text("Mark 1 of 3, 0 answered")
    saved(page)
    assert stored(task) == []


def test_answers_without_a_connection_are_kept_said_and_sent_later(page: Any, task: Assignment) -> None:
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved - no connection, kept here")
    expect(page.locator("[data-problem]")).to_contain_text("kept here")
    assert stored(task) == []
    page.context.set_offline(False)
    saved(page)
    expect(page.locator("[data-problem]")).to_be_hidden()
    assert stored(task) == [("agree", [], "")]


def test_answers_that_could_not_be_sent_survive_a_reload(page: Any, task: Assignment) -> None:
    page.route("**/api/**", lambda route: route.fulfill(status=500, body="{}"))
    page.keyboard.press("1")
    expect(page.locator("[data-saved]")).to_contain_text("Not saved")
    page.unroute_all()
    page.reload()
    saved(page)
    assert stored(task) == [("agree", [], "")]


def test_an_expired_session_keeps_the_answer_until_the_person_is_back(
    page: Any, task: Assignment, live_server: Any
) -> None:
    Session.objects.all().delete()
    page.keyboard.press("1")
    expect(page.locator("[data-problem]")).to_contain_text("You are logged out")
    expect(page.get_by_role("link", name="Log in again")).to_have_attribute("href", re.compile(r"/login/\?next="))
    assert stored(task) == []
    log_in(page.context, task.annotator.user, live_server.url)
    saved(page)
    assert stored(task) == [("agree", [], "")]


def test_submitting_asks_for_what_is_missing_then_locks(page: Any, task: Assignment) -> None:
    page.locator("[data-submit]").click()
    expect(page.locator("[data-problem]")).to_contain_text("3 marks have no answer yet")
    for _ in range(3):
        page.keyboard.press("1")
    expect(page.locator("[data-submit]")).to_have_text("Submit 3 answers")
    expect(page.locator("[data-submit]")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("[data-submit-confirm]").click()
    page.wait_for_url("**/guesses/")
    expect(page.locator(".guess mark").first).to_be_visible()
    for number, guess in ((0, "A person"), (1, "An LLM"), (2, "Can’t tell")):
        page.locator(".guess").nth(number).get_by_label(guess).check()
        if number == 1:
            page.reload()
    page.get_by_role("button", name="Submit answers and guesses").click()
    page.wait_for_url("**/tasks/")
    guesses = OriginGuess.objects.filter(assignment=task).order_by("order")
    assert list(guesses.values_list("guess", flat=True)) == ["person", "llm", "unknown"]
    task.refresh_from_db()
    assert task.state == "submitted"
    page.go_back()
    expect(page.get_by_role("heading", name="You submitted this review")).to_be_visible()


def test_a_review_that_was_closed_meanwhile_says_so(page: Any, task: Assignment) -> None:
    Study.objects.update(phase="closed")
    page.keyboard.press("1")
    expect(page.locator("[data-problem]")).to_contain_text("This task is closed, or somebody else is logged in now")
    assert stored(task) == []


def test_somebody_else_who_logs_in_meanwhile_costs_no_answer(page: Any, task: Assignment, live_server: Any) -> None:
    log_in(page.context, make_user(), live_server.url)
    page.keyboard.press("1")
    expect(page.locator("[data-problem]")).to_contain_text("somebody else is logged in now")
    log_in(page.context, task.annotator.user, live_server.url)
    saved(page)
    assert stored(task) == [("agree", [], "")]
