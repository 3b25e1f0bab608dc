"""The annotate page in a real browser: every way of selecting, and every way to lose work."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Annotation, AnnotationSet
from tests.browser.workspace_page import WorkspacePage, log_in, stored
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = (
    "Emma left. Rolf stayed in the boathouse.\n\nNobody called Petra was mentioned before. "
    "She burned the mill, and then she saved it. Rolf packed his bag."
)
EMOJI = "😀 Emma smiled.\nRolf said “no.” Mia left 👩\u200d🚀 early.\n\nZoe\u0308 stayed."


@pytest.fixture
def start(page: Any, live_server: Any) -> Any:
    return lambda text=TEXT, **options: WorkspacePage(page, live_server.url, make_annotate_task(text, **options))


# --- the text -------------------------------------------------------------------------------------------------------


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


# --- selecting ------------------------------------------------------------------------------------------------------


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


# --- marks ----------------------------------------------------------------------------------------------------------


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


# --- nothing is lost ------------------------------------------------------------------------------------------------


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


def test_an_expired_session_is_said_and_one_click_saves_after_login(start: Any) -> None:
    work = start()
    work.mark("left", "Where?")
    work.wait_saved()
    Session.objects.all().delete()
    work.mark("stayed", "Why?")
    work.wait_state("Not saved - you are logged out, kept here")
    expect(work.page.get_by_role("link", name="Log in in a new tab")).to_be_visible()
    assert len(stored(work.assignment)) == 1
    assert work.page.locator("input[type=password]").count() == 0
    log_in(work.page.context, work.assignment.annotator.user, work.server)
    work.save_now()
    work.wait_saved()
    assert len(stored(work.assignment)) == 2


def test_a_token_that_changed_since_the_page_was_loaded_is_no_problem(start: Any) -> None:
    work = start()
    other = work.page.context.new_page()
    other.context.clear_cookies(name="csrftoken")
    other.goto(f"{work.server}/tasks/{work.assignment.key}/annotate/")
    work.mark("left")
    work.wait_saved()
    assert Annotation.objects.count() == 1


def second_tab(work: WorkspacePage) -> WorkspacePage:
    page = work.page.context.new_page()
    page.set_default_timeout(15_000)
    return WorkspacePage(page, work.server, work.assignment)


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
    assert stored(first.assignment) == [("Where to?", [(5, 9, "left")], ["entity omission", "discontinuity"])]


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


# --- ending ---------------------------------------------------------------------------------------------------------


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


# --- around it ------------------------------------------------------------------------------------------------------


def test_hostile_texts_are_shown_as_characters(start: Any) -> None:
    evil = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>'
    work = start(f"Emma left. {evil} Rolf stayed.", title=evil)
    work.mark(evil, evil)
    work.wait_saved()
    work.open()
    assert stored(work.assignment)[0][:2] == (evil, [(11, 11 + len(evil), evil)])
    expect(work.page.locator(".mark-question")).to_have_text(evil)
    assert work.page.evaluate("window.hacked") is None


def test_guidelines_and_keys_open_with_their_keys(start: Any) -> None:
    work = start()
    work.page.keyboard.press("g")
    expect(work.page.locator("#guidelines")).to_contain_text("Causal omission")
    work.page.keyboard.press("Escape")
    expect(work.page.locator("#guidelines")).to_be_hidden()
    work.page.keyboard.press("?")
    expect(work.page.locator("#keys")).to_be_visible()
    work.page.keyboard.press("Escape")
    expect(work.page.locator("#keys")).to_be_hidden()


def test_without_the_highlight_api_boxes_show_the_marks(page: Any, live_server: Any) -> None:
    page.add_init_script("delete CSS.highlights; Object.defineProperty(CSS, 'highlights', { value: undefined })")
    work = WorkspacePage(page, live_server.url, make_annotate_task(TEXT))
    work.mark("left")
    work.wait_saved()
    box = work.page.locator(".paint").bounding_box()
    x1, y1, x2, _ = work.points("left")
    assert box["x"] <= x1 <= box["x"] + box["width"]
    assert abs(box["x"] + box["width"] - x2) < 4
    assert box["y"] <= y1 <= box["y"] + box["height"]


def test_active_time_reaches_the_server(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    work.page.wait_for_timeout(1500)
    work.page.evaluate(
        """() => {
            Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    work.page.wait_for_timeout(500)
    assert 1 <= AnnotationSet.objects.get().active_seconds <= 30


def test_with_a_finger_a_button_opens_the_form(browser: Any, live_server: Any) -> None:
    context = browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True)
    work = WorkspacePage(context.new_page(), live_server.url, make_annotate_task(TEXT))
    x1, y1, x2, _ = work.points("stayed")
    work.page.touchscreen.tap((x1 + x2) / 2, y1)
    # What a long press and its handles do, which playwright can't.
    work.page.evaluate("document.getSelection().setBaseAndExtent(text.firstChild, 16, text.firstChild, 22)")
    expect(work.form).to_be_hidden()
    work.page.get_by_role("button", name="Mark this").tap()
    work.write("Why?", 1)
    work.page.locator("#mark-form button[type=submit]").tap()
    work.wait_saved()
    assert [spans for _, spans, _ in stored(work.assignment)] == [[(16, 22, "stayed")]]
    context.close()


def test_the_page_fits_a_tablet_and_says_so_below(start: Any) -> None:
    work = start()
    for width, told in ((768, False), (390, True)):
        work.page.set_viewport_size({"width": width, "height": 900})
        assert work.page.evaluate("document.documentElement.scrollWidth") == width
        assert work.page.locator(".annotate-narrow").is_visible() is told


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
    assert work.page.evaluate("[...CSS.highlights.get('hovered')].map(String)") == ["left"]


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
