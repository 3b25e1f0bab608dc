"""The annotate page counts the time in which somebody works, and no other."""

from typing import Any

import pytest

from annotation.models import AnnotationSet

pytestmark = pytest.mark.django_db(transaction=True)

#: Gives the page `answered()`, which waits until all that it asked the server is answered (or is not) and taken in.
WATCH_REQUESTS = """
    const asked = new Set();
    const send = window.fetch;
    window.fetch = (...request) => {
        const answer = send(...request);
        const whole = answer.then((response) => response.clone().text()).catch(() => null);
        asked.add(whole);
        whole.then(() => asked.delete(whole));
        return answer;
    };
    window.answered = async () => {
        while (asked.size) await Promise.all(asked);
        const { port1, port2 } = new MessageChannel();
        await new Promise((resolve) => ((port1.onmessage = resolve), port2.postMessage("later")));
    };
"""
HIDE = """async () => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    await answered();
}"""


@pytest.fixture(autouse=True)
def _watch_requests(page: Any) -> None:
    page.add_init_script(WATCH_REQUESTS)


def test_active_time_reaches_the_server(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    work.page.wait_for_timeout(1500)
    assert 1 <= seconds_when_hidden(work.page) <= 30


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
        page.evaluate("answered()")  # that does not come faster because the page's clock does
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
    page.evaluate(HIDE)
    return AnnotationSet.objects.get().active_seconds


def show(page: Any) -> None:
    page.evaluate(
        """() => {
            delete document.visibilityState;
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
