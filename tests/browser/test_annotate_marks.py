"""The annotate page in a real browser: marks are shown, changed, deleted, related and undone."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.browser.workspace_page import TEXT, stored

pytestmark = pytest.mark.django_db(transaction=True)


def test_overlapping_marks_lie_on_different_layers(start: Any) -> None:
    work = start()
    work.mark("Emma left. Rolf")
    work.mark("left. Rolf stayed", types=(1,))
    work.mark("Rolf stayed in", types=(4,))
    expect(work.cards).to_have_count(3)
    names = work.page.evaluate("[...CSS.highlights.keys()].filter((name) => name.startsWith('mark-')).sort()")
    assert names == ["mark-entity-omission-0", "mark-entity-omission-1", "mark-salience-2"]


def test_edit_keeps_the_mark_and_changes_it(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    work.page.keyboard.press("Enter")
    work.form.wait_for()
    work.page.locator("#mark-question").fill("Where did she go?")
    work.page.keyboard.press("Alt+Digit1")
    work.page.keyboard.press("Alt+Digit3")
    work.page.keyboard.press("Control+Enter")
    expect(work.cards.first).to_contain_text("Where did she go?")
    work.wait_saved()
    assert stored(work.assignment) == [("Where did she go?", [(5, 9, "left")], ["causal omission"])]
    assert Annotation.objects.count() == 1


def test_resize_delete_undo_redo(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    work.page.keyboard.press("c")
    work.drag("Emma left")
    expect(work.cards.locator("blockquote")).to_have_text("Emma left")
    work.cards.first.focus()
    work.page.keyboard.press("Delete")
    expect(work.cards).to_have_count(0)
    work.page.locator("#notices").get_by_role("button", name="Undo").click()
    expect(work.cards).to_have_count(1)
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(0, 9, "Emma left")]]
    work.page.keyboard.press("Control+z")
    expect(work.cards.locator("blockquote")).to_have_text("left")
    work.page.keyboard.press("Control+Shift+z")
    expect(work.cards.locator("blockquote")).to_have_text("Emma left")
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(0, 9, "Emma left")]]


def test_escape_gives_up_and_can_be_taken_back(start: Any) -> None:
    work = start()
    work.drag("left")
    work.write("Where to?", 2)
    work.page.keyboard.press("Escape")
    expect(work.form).to_be_hidden()
    assert stored(work.assignment) == []
    work.page.get_by_role("button", name="Bring it back").click()
    expect(work.page.locator("#mark-question")).to_have_value("Where to?")
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    assert stored(work.assignment) == [("Where to?", [(5, 9, "left")], ["event omission"])]


def test_a_relation_is_made_shown_and_deleted_with_its_end(start: Any) -> None:
    work = start()
    work.mark("burned the mill", "How?")
    work.mark("saved it", "When?")
    work.wait_saved()
    work.cards.first.focus()
    work.page.keyboard.press("r")
    work.click("saved it")
    expect(work.form.locator("q")).to_have_text(["burned the mill", "saved it"])
    work.page.locator("#mark-question").fill("Which of the two?")
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    burned, saved = TEXT.index("burned the mill"), TEXT.index("saved it")
    relation = ("Which of the two?", [(burned, burned + 15, "burned the mill"), (saved, saved + 8, "saved it")])
    assert relation in [(questions, spans) for questions, spans, _ in stored(work.assignment)]
    expect(work.page.locator(".bracket")).to_have_count(1)
    work.page.locator("#cards article", has_text="When?").focus()
    work.page.keyboard.press("Delete")
    work.page.get_by_role("button", name="Delete the mark and its relations").click()
    expect(work.cards).to_have_count(0)
    work.wait_saved()
    assert stored(work.assignment) == []


def test_a_place_can_not_be_related_to_itself(start: Any) -> None:
    work = start()
    work.mark("saved it")
    work.wait_saved()
    work.page.keyboard.press("r")
    work.click("saved it")
    work.page.wait_for_timeout(200)
    expect(work.form).to_be_hidden()
    assert [len(spans) for _, spans, _ in stored(work.assignment)] == [1]


def test_hovering_a_mark_in_the_text_lights_its_card_and_the_other_way(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    x1, y1, x2, _ = work.points("left")
    work.page.mouse.move((x1 + x2) / 2, y1)
    expect(work.page.locator(".mark-card.hovered")).to_have_count(1)
    work.page.mouse.move(5, 300)
    expect(work.page.locator(".mark-card.hovered")).to_have_count(0)
    work.cards.first.hover()
    work.page.wait_for_function("String([...CSS.highlights.get('hovered')]) === 'left'")
