"""The annotate page where people go far: a pasted essay as a question, drags that leave the text, 500 marks."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import AnnotationSet
from tests.browser.workspace_page import WorkspacePage, stored
from tests.factories import make_annotate_task, make_marks

pytestmark = pytest.mark.django_db(transaction=True)

LINES = "Emma left early.\n\nRolf stayed in the boathouse.\n\nNobody asked.\n\nThe lamp went out."


def test_a_pasted_question_that_is_too_long_is_said_and_kept_whole(start: Any) -> None:
    work = start()
    question, too_long = work.page.locator("#mark-question"), work.page.locator("#mark-form .field-error")
    work.drag("left")
    work.form.wait_for(state="visible")
    work.page.keyboard.insert_text("Why? " * 2001)
    expect(too_long).to_have_text(
        "Not saved: this is 5 characters too long, 10,000 are the most. Shorten it; all of it stays here until then."
    )
    work.page.keyboard.press("Alt+Digit1")
    work.page.keyboard.press("Control+Enter")
    work.drag("stayed")  # would save it and begin another one
    expect(work.form.locator("q")).to_have_text("left")
    work.open()
    expect(too_long).to_be_visible()
    expect(question).to_have_value("Why? " * 2001)
    assert stored(work.assignment) == []
    question.press("Control+End")
    for _ in range(5):
        question.press("Backspace")
    expect(too_long).to_have_count(0)
    question.press("Control+Enter")
    work.wait_saved()
    assert stored(work.assignment) == [("Why? " * 2000, [(5, 9, "left")], ["entity omission"])]


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("card", "stayed in the boathouse."),
        ("right of the window", "stayed in the boathouse."),
        ("left of the window", "Rolf"),
        ("below the window", "stayed in the boathouse.\n\nNobody asked.\n\nThe lamp went out."),
        ("above the window", "Emma left early.\n\nRolf"),
    ],
)
def test_a_drag_that_leaves_the_text_selects_up_to_where_it_left(start: Any, to: str, expected: str) -> None:
    work = start(LINES)
    work.mark("boathouse")
    work.wait_saved()
    card = work.cards.first.bounding_box()
    x, y, *_ = work.points("stayed")
    ends = {
        "card": (card["x"] + card["width"] / 2, y),
        "right of the window": (1500, y),
        "left of the window": (-40, y),
        "below the window": (x, 960),
        "above the window": (x, -40),
    }
    work.page.mouse.move(x, y)
    work.page.mouse.down()
    work.page.mouse.move(*ends[to], steps=8)
    work.page.mouse.up()
    expect(work.form.locator("q")).to_have_text(expected)


def test_five_hundred_marks_are_all_there_and_can_be_walked_through(page: Any, live_server: Any) -> None:
    sentence = "Emma left the mill before Rolf had packed. "
    task = make_annotate_task(sentence * 500)
    places = [[(index * len(sentence), index * len(sentence) + 4)] for index in range(500)]
    make_marks(task.summary, task.annotator, spans=places, study=task.study, state=AnnotationSet.State.DRAFT)
    work = WorkspacePage(page, live_server.url, task)
    expect(work.cards).to_have_count(500)
    expect(page.locator("#submit")).to_have_text("Submit 500 marks")
    page.keyboard.press("p")  # the last one
    expect(work.cards.last).to_be_focused()
    expect(work.cards.last).to_be_in_viewport()
    page.keyboard.press("Delete")
    expect(work.cards).to_have_count(499)
    work.wait_saved()
    page.keyboard.press("Control+z")
    work.wait_saved()
    expect(work.cards).to_have_count(500)
    page.locator("#submit").click()
    page.locator("[data-submit]").click()
    expect(page.locator("#task-state")).to_contain_text("You submitted this summary", timeout=30_000)
    assert AnnotationSet.objects.get().annotations.count() == 500
