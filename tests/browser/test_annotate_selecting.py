"""The annotate page in a real browser: the text is exactly the stored one, and every way of selecting in it."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.workspace_page import EMOJI, TEXT, stored

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        EMOJI,
        "\n  Emma left.  \n\n\tRolf  stayed. ",
        '<b>Emma</b> & &amp; </script><script>alert(1)</script> <img src=x onerror="alert(1)"> {{ x }} {% y %}',
        "שלום עולם. Emma \u202bsaid\u202c so. مرحبا",
        "De\u0301partement de Me\u0301decine, Universite\u0301",
    ],
)
def test_the_page_holds_exactly_the_canonical_text(start: Any, text: str) -> None:
    work = start(text)
    assert work.page.evaluate("document.getElementById('text').textContent") == text
    assert work.page.evaluate("document.getElementById('text').children.length") == 0


@pytest.mark.parametrize("backwards", [False, True])
def test_drag_ask_and_save(start: Any, backwards: bool) -> None:
    work = start()
    work.drag("left", backwards=backwards)
    expect(work.page.locator("#mark-question")).to_be_focused()
    work.write("Where to?", 2, 8)
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    assert stored(work.assignment) == [("Where to?", [(5, 9, "left")], ["event omission", "language"])]
    assert work.highlighted() == ["left"]
    expect(work.cards).to_have_count(1)
    expect(work.cards.first).to_be_focused()


def test_double_click_takes_the_word_without_the_full_stop(start: Any) -> None:
    work = start()
    x1, y1, x2, _ = work.points("left")
    work.page.mouse.dblclick((x1 + x2) / 2, y1)
    work.write("Why?", 1)
    work.page.locator("#mark-form button[type=submit]").click()
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(5, 9, "left")]]


def test_edge_spaces_are_trimmed(start: Any) -> None:
    work = start()
    work.mark(" stayed ")
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(16, 22, "stayed")]]


def test_several_sentences_across_a_paragraph_break_are_one_span(start: Any) -> None:
    work = start()
    work.mark("boathouse.\n\nNobody called Petra")
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(30, 61, "boathouse.\n\nNobody called Petra")]]


def test_a_drag_from_above_the_text_is_clipped(start: Any) -> None:
    work = start()
    x1, y1, x2, y2 = work.points("Emma left")
    work.page.mouse.move(x1, y1 - 40)
    work.page.mouse.down()
    work.page.mouse.move(x2, y2, steps=5)
    work.page.mouse.up()
    work.write("Who?", 1)
    work.page.keyboard.press("Control+Enter")
    work.wait_saved()
    ((_, [(start_at, _, quote)], _),) = stored(work.assignment)
    assert (start_at, quote) == (0, "Emma left")


def test_a_click_without_a_selection_opens_nothing(start: Any) -> None:
    work = start()
    work.click("left")
    work.page.wait_for_timeout(200)
    expect(work.form).to_be_hidden()


def test_keyboard_alone_marks_a_word_a_sentence_and_submits(start: Any) -> None:
    work = start()
    keys = work.page.keyboard
    keys.press("t")
    keys.press("Control+ArrowDown")  # second sentence
    expect(work.page.locator("#announcer")).to_have_text("Rolf stayed in the boathouse.")
    keys.press("w")
    keys.press("Enter")
    work.write("Who is Rolf?", 1)
    keys.press("Control+Enter")
    work.wait_saved()
    keys.press("Escape")  # from the card back to the text
    expect(work.page.locator("#text")).to_be_focused()
    keys.press("s")
    keys.press("s")
    expect(work.page.locator("#announcer")).to_have_text(re.compile("^Selected: Rolf stayed .* before[.]$", re.DOTALL))
    keys.press("Enter")
    work.form.wait_for()
    keys.type("What?")
    keys.press("Tab")
    keys.press("3")  # on the chips the number alone is enough
    keys.press("Control+Enter")
    expect(work.cards).to_have_count(2)
    work.wait_saved()
    assert stored(work.assignment) == [
        ("Who is Rolf?", [(11, 15, "Rolf")], ["entity omission"]),
        ("What?", [(11, 83, TEXT[11:83])], ["causal omission"]),
    ]


def test_shift_and_arrows_select_by_character_and_word(start: Any) -> None:
    work = start()
    keys = work.page.keyboard
    keys.press("t")
    keys.press("Control+ArrowRight")
    keys.press("ArrowRight")
    for _ in range(4):
        keys.press("Shift+ArrowRight")
    keys.press("Enter")
    work.write("Why?", 1)
    keys.press("Control+Enter")
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(5, 9, "left")]]


@pytest.mark.parametrize(
    ("quote", "start_at", "end_at"),
    [("smiled", 7, 13), ("“no.”", 25, 30), ("👩\u200d🚀", 40, 43), ("early", 44, 49), ("stayed", 57, 63)],
)
def test_offsets_after_emoji_and_combining_marks(start: Any, quote: str, start_at: int, end_at: int) -> None:
    work = start(EMOJI)
    work.mark(quote)
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(start_at, end_at, quote)]]
    assert work.highlighted() == [quote]


@pytest.mark.parametrize(
    ("units", "expected"),
    [([44, 46], (40, 43)), ([41, 43], (40, 43)), ([44, 52], (40, 49)), ([55, 58], (52, 56)), ([1, 7], (0, 6))],
)
def test_an_edge_inside_a_character_moves_to_its_edge(start: Any, units: list[int], expected: tuple[int, int]) -> None:
    work = start(EMOJI)
    span = work.page.evaluate(
        """async ([start, end]) => {
            const { TextMap } = await import("/static/js/offsets.js");
            const map = new TextMap(document.getElementById("text"));
            const range = document.createRange();
            range.setStart(map.node, start);
            range.setEnd(map.node, end);
            return map.selected(range);
        }""",
        units,
    )
    assert (span["start"], span["end"]) == expected
    assert span["quote"] == EMOJI[expected[0] : expected[1]]
