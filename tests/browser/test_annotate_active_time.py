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
    page.wait_for_timeout(1000)  # what the key sets in motion, such as scrolling, is a sign of life too
    page.clock.run_for(300_000)
    assert 55 <= seconds_when_hidden(page) - begun - hidden <= 75


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
