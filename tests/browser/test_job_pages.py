"""Pages of jobs: readable on a telephone without a sideways scroll, and steered while they renew themselves."""

from typing import Any

import pytest
from playwright.sync_api import expect

from booookweb.models import Role
from summarizer.jobs import queue
from summarizer.jobs.services import launch_job
from summarizer.models import Book, Endpoint, Job
from tests.browser.workspace_page import log_in
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

#: For each cell of the first row: its name as shown before it, and whether all of it is in view.
CELLS = """() => [...document.querySelectorAll("table.stacked tbody tr:first-of-type td")].map((cell) => {
    const box = cell.getBoundingClientRect();
    return [getComputedStyle(cell, "::before").content, box.left >= 0 && box.right <= innerWidth];
})"""


@pytest.fixture
def job(db: None, monkeypatch: pytest.MonkeyPatch) -> Job:
    """It waits for a worker that never comes."""
    monkeypatch.setattr(queue, "send", lambda items: None)
    endpoint = Endpoint.objects.create(name="gpt", base_url="http://127.0.0.1:9/v1", model="gpt-4o-mini-2024-07-18")
    book = Book.objects.create(title="The Mill on the Floss, Complete and Unabridged", source_format="none")
    return launch_job(kind="summarize", endpoint=endpoint, subjects=[book], parameters={})


@pytest.mark.parametrize("where", ["list", "job"])
def test_nothing_of_a_job_hides_behind_a_sideways_scroll(page: Any, live_server: Any, job: Job, where: str) -> None:
    log_in(page.context, make_user(Role.ADMIN), live_server.url)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/jobs/" if where == "list" else f"{live_server.url}/jobs/{job.pk}/")
    names = ["Endpoint", "State", "Progress", "Cost", "Launched"] if where == "list" else ["State", "Progress", "Cost"]
    assert page.evaluate(CELLS) == [[f'"{name}"', True] for name in names]
    scrolled = "[...document.querySelectorAll('.table-scroll')].filter(box => box.scrollWidth > box.clientWidth).length"
    assert page.evaluate(scrolled) == 0
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.evaluate(CELLS) == [["none", True] for _ in names]


def test_a_stop_is_sent_though_the_page_was_about_to_renew_itself(page: Any, live_server: Any, job: Job) -> None:
    held: list[Any] = []
    page.route("**/progress/", lambda route: held.append(route))
    log_in(page.context, make_user(Role.ADMIN), live_server.url)
    with page.expect_request("**/progress/"):
        page.goto(f"{live_server.url}/jobs/{job.pk}/")
    page.locator("#cancel").click()
    with page.expect_response("**/progress/"):
        held[0].continue_()
    page.wait_for_timeout(200)
    page.locator("dialog[open]").get_by_role("button", name="Stop the job").click()
    expect(page.locator(".job-state")).to_contain_text("Cancelled")
    job.refresh_from_db()
    assert job.cancelled_at is not None
