"""The FINE page in a real browser: units judged by keys, with evidence from hints and selections, and nothing lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.faithfulness.plans import close_plan
from annotation.models import Assignment, UnitJudgement
from tests.browser.workspace_page import log_in
from tests.factories import make_fine_task
from tests.sources import SOURCE, checked_summary

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Emma left the mill at dawn. Rolf stayed behind in the boathouse. A \N{DROPLET} ferry sank in the storm."

BOX_OF = """(quote) => {
    const blocks = [...document.querySelectorAll("[data-start]")];
    const node = blocks.find(({ textContent }) => textContent.includes(quote)).firstChild;
    const range = document.createRange();
    const at = node.data.indexOf(quote);
    range.setStart(node, at);
    range.setEnd(node, at + quote.length);
    const boxes = [...range.getClientRects()];
    const [a, z] = [boxes[0], boxes.at(-1)];
    return [a.left + 1, a.top + a.height / 2, z.right - 1, z.top + z.height / 2];
}"""


@pytest.fixture
def task(page: Any, live_server: Any) -> Assignment:
    task = make_fine_task(checked_summary(TEXT))
    log_in(page.context, task.annotator.user, live_server.url)
    open_page(page, live_server, task)
    return task


def open_page(page: Any, live_server: Any, task: Assignment) -> None:
    page.goto(f"{live_server.url}/tasks/{task.key}/fine/")
    page.wait_for_selector("#not-started", state="detached")


def saved(page: Any) -> None:
    expect(page.locator("#saved-state")).to_have_text(re.compile(r"Saved \d\d:\d\d"))


def drag(page: Any, quote: str) -> None:
    x1, y1, x2, y2 = page.evaluate(BOX_OF, quote)
    page.mouse.move(x1, y1)
    page.mouse.down()
    page.mouse.move(x2, y2, steps=4)
    page.mouse.up()


def stored(task: Assignment) -> list[tuple[bool | None, list[tuple[str, int | None]]]]:
    """Of each unit the answer, and its evidence with the rank of the hint."""
    rows = UnitJudgement.objects.filter(sampled__assignment=task, version__gt=0).order_by("sampled__position")
    return [(row.supported, list(row.evidence.values_list("quote", "hint_rank"))) for row in rows]


def test_a_summary_from_start_to_end(page: Any, task: Assignment) -> None:
    number = page.locator("#unit-number")
    expect(number).to_have_text("Statement 1 of 3")
    expect(page.locator("#hint-label")).to_have_text(re.compile(r"\d+ hints"), timeout=30_000)
    page.keyboard.press("y")
    expect(page.locator("#evidence-empty")).to_have_attribute("data-missing", "")
    page.keyboard.press("j")
    expect(page.locator("#hint-label")).to_contain_text("Hint 1 of")
    page.mouse.click(*page.evaluate(BOX_OF, "lived in the")[:2])  # one click takes the hint
    expect(page.locator("#evidence li")).to_have_count(1)
    expect(page.locator("[data-unit='0']")).to_have_attribute("data-state", "supported")

    page.keyboard.press("ArrowDown")
    expect(number).to_have_text("Statement 2 of 3")
    page.keyboard.press("/")
    page.keyboard.type("CAFE zoe")
    page.keyboard.press("Enter")
    expect(page.locator(".source-count")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    drag(page, "Nobody</b> called")
    page.locator("#take-selection").click()
    expect(page.locator("#evidence blockquote")).to_have_text("Nobody</b> called")
    page.keyboard.press("z")
    expect(page.locator("#evidence li")).to_have_count(0)
    drag(page, "Rolf stayed in the boathouse")
    page.keyboard.press("e")
    page.keyboard.press("c")
    page.keyboard.type("He never leaves.")
    page.keyboard.press("Escape")

    page.keyboard.press("Control+Enter")
    expect(number).to_have_text("Statement 3 of 3")  # it lacks an answer
    asked = page.locator("#notices .warning")
    expect(asked).to_have_count(1)
    page.keyboard.press("n")
    saved(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#submitted")).to_be_visible()
    expect(asked).to_have_count(0)
    task.refresh_from_db()
    assert task.state == "submitted"
    assert stored(task) == [
        (True, [("Emma lived in the mill.", 1)]),
        (True, [("Rolf stayed in the boathouse", None)]),
        (False, []),
    ]
    judgements = UnitJudgement.objects.order_by("sampled__position")
    assert [each.comment for each in judgements] == ["", "He never leaves.", ""]

    page.locator("#reopen").click()
    expect(page.locator("#submit")).to_be_visible()
    page.keyboard.press("n")
    saved(page)
    page.locator("[data-unit='1']").click()
    expect(number).to_have_text("Statement 2 of 3")
    task.refresh_from_db()
    assert (task.state, stored(task)[0]) == ("open", (False, []))


def test_without_a_connection_answers_are_kept_and_sent_later(page: Any, task: Assignment, live_server: Any) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("n")
    expect(page.locator("#saved-state")).to_contain_text("no connection, kept here")
    assert stored(task) == []
    other = page.context.new_page()  # another window answers otherwise meanwhile
    open_page(other, live_server, task)
    drag(other, "She left it")
    other.keyboard.press("e")
    saved(other)
    page.close()
    again = other.context.new_page()
    open_page(again, live_server, task)
    expect(again.locator("#choice-dialog")).to_be_visible()
    again.get_by_role("button", name="The one here").click()
    saved(again)
    assert stored(task) == [(False, [])]
    again.keyboard.press("Control+Enter")
    expect(again.locator("#notices")).to_contain_text("2 statements are not done")


def test_by_keyboard_alone_in_the_source(page: Any, task: Assignment) -> None:
    page.keyboard.press("t")
    page.keyboard.press("Control+ArrowDown")
    page.keyboard.press("s")
    page.keyboard.press("e")
    saved(page)
    assert stored(task) == [(True, [(SOURCE[SOURCE.index("She left") : SOURCE.index("\n\nRolf")], None)])]

    page.keyboard.press("ArrowDown")
    page.keyboard.press("/")
    page.keyboard.type("boathouse")
    page.keyboard.press("Enter")
    expect(page.locator(".source-count")).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    page.keyboard.press("t")  # to what was found
    page.keyboard.press("s")
    page.keyboard.press("e")
    expect(page.locator("#evidence blockquote")).to_contain_text("Rolf stayed in the boathouse.")


def test_a_page_that_is_open_when_the_plan_closes_says_what_is_kept(page: Any, task: Assignment) -> None:
    """And its answers stand at the same place whatever statement is in hand."""
    place = page.locator("[data-supported=no]").bounding_box()
    page.keyboard.press("n")
    expect(page.locator("#unit-number")).to_have_text("Statement 2 of 3")
    assert page.locator("[data-supported=no]").bounding_box() == place
    saved(page)
    close_plan(plan=task.study.faithfulness)
    page.keyboard.press("n")
    problem = page.locator("#problem")
    expect(problem).to_contain_text("the study has stopped taking answers. What was saved before is kept.")
    expect(problem).to_contain_text("What you did last on statement 2 was not saved")
    expect(problem.locator("a, button")).to_have_count(0)
    expect(page.locator("#closed")).to_be_visible()
    assert stored(task) == [(False, [])]
