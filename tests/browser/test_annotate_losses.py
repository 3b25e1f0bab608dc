"""What must not lose a mark: a browser without room, a network that comes and goes, a server that is killed."""

import re
import signal
from typing import Any

import psutil
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Annotation
from tests.benchmarks.fifty_people import add_people
from tests.browser.workspace_page import WorkspacePage, stored
from tests.factories import make_annotate_task
from tests.running import RunningSystem, running_system

pytestmark = pytest.mark.timeout(240)

TEXT = "Emma left. Rolf stayed in the boathouse."


@pytest.fixture
def start(page: Any, live_server: Any, transactional_db: None) -> Any:
    return lambda: WorkspacePage(page, live_server.url, make_annotate_task(TEXT))


@pytest.mark.parametrize("fault", ["throw new DOMException('full', 'QuotaExceededError')", "throw new Error('off')"])
def test_a_browser_that_keeps_nothing_says_to_leave_the_page_open(page: Any, start: Any, fault: str) -> None:
    page.add_init_script(f"Storage.prototype.setItem = () => {{ {fault}; }}")
    work = start()
    work.page.route("**/api/**", lambda route: route.abort())
    work.mark("left", "Where?")
    work.wait_state("Not saved - no connection, leave this page open")
    work.page.unroute("**/api/**")
    work.wait_saved()
    assert len(stored(work.assignment)) == 1


def test_what_was_marked_offline_is_sent_once_there_is_a_connection(start: Any) -> None:
    work = start()
    work.page.context.set_offline(True)
    work.mark("left", "Where?")
    work.mark("stayed", "Why?", (2, 3))
    work.wait_state("Not saved - no connection, kept here")
    work.page.context.set_offline(False)  # no hand is needed
    work.wait_saved()
    assert [questions for questions, _, _ in stored(work.assignment)] == ["Where?", "Why?"]


def test_a_page_closed_while_offline_sends_its_marks_when_it_is_opened_again(start: Any) -> None:
    work = start()
    context = work.page.context
    context.set_offline(True)
    work.mark("left", "Where?")
    work.wait_state("Not saved - no connection, kept here")
    work.page.close()
    context.set_offline(False)
    again = WorkspacePage(context.new_page(), work.server, work.assignment)
    again.wait_saved()
    expect(again.cards).to_have_count(1)
    assert [questions for questions, _, _ in stored(work.assignment)] == ["Where?"]


def test_a_send_that_comes_twice_changes_nothing(start: Any) -> None:
    work = start()

    def twice(route: Any) -> None:
        route.fetch()
        route.continue_()

    work.page.route("**/marks/*-*/", twice)
    work.mark("left", "Where?")
    work.wait_saved()
    assert [(mark.questions, mark.version) for mark in Annotation.objects.all()] == [("Where?", 1)]
    expect(work.page.locator("#choice-dialog")).to_be_hidden()


@pytest.fixture
def system(tmp_path: Any) -> Any:
    with running_system(tmp_path) as system:
        yield system


def web_process(system: RunningSystem) -> psutil.Process:
    assert system.process is not None
    children = psutil.Process(system.process.pid).children(recursive=True)
    (web,) = [child for child in children if "web" in child.cmdline()]
    return web


@pytest.mark.processes
def test_a_server_killed_in_the_middle_of_a_save(browser: Any, system: RunningSystem) -> None:
    (person,) = add_people(system.environment, 1)
    context: BrowserContext = browser.new_context(base_url=system.address, viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": person.session, "url": system.address}])
    page: Page = context.new_page()
    page.goto(person.page)
    page.wait_for_load_state("networkidle")
    web = web_process(system)
    web.send_signal(signal.SIGSTOP)  # it takes the request and is killed with it in hand
    page.keyboard.press("t")
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    page.keyboard.type("Who is that?")
    page.keyboard.press("Alt+Digit1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#saved-state")).to_have_text("Saving…")
    web.kill()
    assert system.process is not None
    system.process.wait(30)
    expect(page.locator("#saved-state")).to_contain_text("Not saved - no connection, kept here", timeout=30_000)
    system.start()
    saved = re.compile(r"^Saved( \d\d:\d\d)?$")
    expect(page.locator("#saved-state")).to_have_text(saved, timeout=60_000)  # without a hand
    page.reload()
    expect(page.locator("#cards article")).to_have_count(1)
    expect(page.locator(".mark-question")).to_have_text("Who is that?")
    expect(page.locator(".mark-card .badge.warning")).to_have_count(0)
    context.close()
