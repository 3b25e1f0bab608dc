"""The annotate page in a real browser: more ways to select, relations that lose an end, and what needs no colour."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.workspace_page import TEXT, WorkspacePage, stored
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)


def spans_of(work: WorkspacePage) -> list[list[tuple[int, int, str]]]:
    return [spans for _, spans, _ in stored(work.assignment)]


def save(work: WorkspacePage) -> None:
    work.write("Why?", 1)
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()


def test_a_triple_click_takes_the_paragraph(start: Any) -> None:
    work = start()
    x1, y1, x2, _ = work.points("stayed")
    work.page.mouse.click((x1 + x2) / 2, y1, click_count=3)
    save(work)
    assert spans_of(work) == [[(0, 40, "Emma left. Rolf stayed in the boathouse.")]]


def test_a_drag_that_ends_outside_the_text_is_clipped(start: Any) -> None:
    work = start()
    x1, y1, *_ = work.points("packed")
    end = work.page.locator("#text").bounding_box()
    work.page.mouse.move(x1, y1)
    work.page.mouse.down()
    work.page.mouse.move(end["x"] + end["width"] + 200, end["y"] + end["height"] + 60, steps=6)
    work.page.mouse.up()
    save(work)
    ((span,),) = spans_of(work)
    assert span == (TEXT.index("packed"), len(TEXT), "packed his bag.")


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("Text: Berlin,  Germany.", "Berlin,  Germany", (6, 22)),
        ("שלום עולם. Emma said so.", "עולם", (5, 9)),
        ("Emma <b>left</b> & went.", "<b>left</b> &", (5, 18)),
        ("💩This is an annotation.", "annotation", (12, 22)),
        ("👨🏻\u200d🚒 firemen drive firetrucks at work", "firetrucks", (19, 29)),
    ],
)
def test_offsets_in_all_kinds_of_text(start: Any, text: str, quote: str, expected: tuple[int, int]) -> None:
    work = start(text)
    work.mark(quote)
    work.wait_saved()
    assert spans_of(work) == [[(*expected, quote)]]
    assert work.highlighted() == [quote]


def test_two_marks_on_the_same_words_are_two(start: Any) -> None:
    work = start()
    work.mark("left", "Where?")
    work.mark("left", "When?", (2,))
    work.wait_saved()
    assert spans_of(work) == [[(5, 9, "left")], [(5, 9, "left")]]
    active = work.page.locator(".mark-card.active")
    for _ in range(2):  # each click goes on to the other one that lies here
        key = active.get_attribute("data-key")
        work.page.wait_for_timeout(700)  # sooner it would be a double click, which selects
        work.click("left")
        expect(work.page.locator(f".mark-card.active:not([data-key='{key}'])")).to_have_count(1)


def test_the_keyboard_alone_relates_two_places(start: Any) -> None:
    work = start()
    keys = work.page.keyboard
    keys.press("t")
    keys.press("w")
    keys.press("Enter")
    save(work)
    keys.press("r")  # the card has the focus; now the text has it
    expect(work.page.locator("#purpose")).to_contain_text("Select the second place")
    keys.press("Control+ArrowDown")
    keys.press("w")
    keys.press("Enter")
    expect(work.form.locator("q")).to_have_text(["Emma", "Rolf"])
    keys.press("Control+Enter")
    work.wait_saved()
    assert spans_of(work) == [[(0, 4, "Emma"), (11, 15, "Rolf")]]


@pytest.fixture
def related(start: Any) -> WorkspacePage:
    work = start()
    work.mark("burned the mill", "Which of the two?")
    work.cards.first.focus()
    work.page.keyboard.press("r")
    work.drag("saved it")
    work.form.wait_for(state="visible")
    work.page.keyboard.press("Control+Enter")
    expect(work.cards.locator("blockquote")).to_have_count(2)
    work.wait_saved()
    assert [len(spans) for spans in spans_of(work)] == [2]
    return work


@pytest.mark.parametrize("kept", ["burned the mill", "saved it"])
def test_of_a_relation_one_place_can_stay_as_a_mark(related: WorkspacePage, kept: str) -> None:
    related.page.keyboard.press("Delete")
    related.page.get_by_role("button", name=f"Keep only “{kept}”").click()
    expect(related.page.locator(".bracket")).to_have_count(0)
    related.wait_saved()
    at = TEXT.index(kept)
    assert [row[:2] for row in stored(related.assignment)] == [("Which of the two?", [(at, at + len(kept), kept)])]
    related.page.locator("#notices").get_by_role("button", name="Undo").click()
    expect(related.cards.locator("blockquote")).to_have_count(2)
    related.wait_saved()
    assert [len(spans) for spans in spans_of(related)] == [2]
    related.page.keyboard.press("Control+Shift+z")
    expect(related.cards.locator("blockquote")).to_have_count(1)
    related.wait_saved()
    assert [len(spans) for spans in spans_of(related)] == [1]


def test_a_relation_is_deleted_only_after_a_yes(related: WorkspacePage) -> None:
    related.page.keyboard.press("Delete")
    related.page.keyboard.press("Escape")
    related.page.keyboard.press("Delete")
    related.page.get_by_role("button", name="Keep it").click()
    expect(related.cards).to_have_count(1)
    related.page.keyboard.press("Delete")
    related.page.get_by_role("button", name="Delete it").click()
    expect(related.cards).to_have_count(0)
    related.wait_saved()
    assert stored(related.assignment) == []


def test_without_the_highlight_api_kinds_are_told_apart_without_colour(page: Any, live_server: Any) -> None:
    page.add_init_script("delete CSS.highlights; Object.defineProperty(CSS, 'highlights', { value: undefined })")
    text = "One two three four five six seven eight."
    work = WorkspacePage(page, live_server.url, make_annotate_task(text))
    for number, word in enumerate(text.rstrip(".").split(), 1):
        work.mark(word, types=(number,))
    work.wait_saved()
    expect(work.page.locator(".paint")).to_have_count(8)
    patterns = work.page.evaluate(
        """[...document.querySelectorAll(".paint")].map((box) => {
            const { borderBottomStyle, borderBottomWidth, borderTopStyle } = getComputedStyle(box);
            return [borderBottomStyle, borderBottomWidth, borderTopStyle].join(" ");
        })"""
    )
    assert len(set(patterns)) == 8
