"""The annotate page counts the time in which somebody works, and no other."""

from typing import Any

import pytest

from annotation.models import AnnotationSet

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_hidden_tab_and_a_quiet_minute_are_no_work(page: Any, start: Any) -> None:
    page.clock.install()
    work = start()
    work.mark("left")
    work.wait_saved()
    page.clock.run_for(20_000)
    begun = seconds_when_hidden(page)
    assert begun >= 20
    page.clock.run_for(50_000)  # less than a minute after the last sign of life
    show(page)
    hidden = seconds_when_hidden(page) - begun
    assert hidden <= 5  # what the clock of the test itself went on
    show(page)
    page.keyboard.press("t")
    for _ in range(15):
        page.clock.run_for(10_000)
        page.wait_for_timeout(200)  # answers do not come faster because the page's clock does
    assert 55 <= seconds_when_hidden(page) - begun - hidden <= 75


def test_time_whose_answer_was_lost_is_not_counted_twice(page: Any, start: Any) -> None:
    page.clock.install()
    work = start()
    work.mark("left")
    work.wait_saved()
    lost = []

    def lose_the_first_answer(route: Any) -> Any:
        if lost:
            return route.continue_()
        lost.append(route.fetch())
        return route.abort()

    page.route("**/active-time/", lose_the_first_answer)
    page.clock.run_for(20_000)
    stored = seconds_when_hidden(page)
    assert lost
    show(page)
    page.keyboard.press("t")
    page.clock.run_for(10_000)
    seconds_when_hidden(page)  # sends again what was not answered
    show(page)
    assert stored + 10 <= seconds_when_hidden(page) <= stored + 18


def seconds_when_hidden(page: Any) -> int:
    """Hide the tab, which sends the time, and read what is stored then."""
    page.evaluate(
        """() => {
            Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(700)
    return AnnotationSet.objects.get().active_seconds


def show(page: Any) -> None:
    page.evaluate(
        """() => {
            delete document.visibilityState;
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
