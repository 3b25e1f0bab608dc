"""Pages that are nothing without their script say so where it does not run."""

import uuid
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, ReviewItem
from tests.browser.workspace_page import log_in
from tests.factories import make_annotate_task, make_annotator, make_judge, make_marks

pytestmark = pytest.mark.django_db(transaction=True)


def task_of(kind: str) -> Assignment:
    task = make_annotate_task()
    if kind == "annotate":
        return task
    mark = make_marks(task.summary, make_judge()).annotations.get()
    type(task.study).objects.update(phase="reviewing")
    ReviewItem.objects.create(key=uuid.uuid4(), study=task.study, annotation=mark, order=0)
    return Assignment.objects.create(
        key=uuid.uuid4(), study=task.study, summary=task.summary, annotator=make_annotator(), task="review"
    )


def open_task(page: Any, server: str, kind: str) -> Any:
    task = task_of(kind)
    log_in(page.context, task.annotator.user, server)
    return page.goto(f"{server}/tasks/{task.key}/{kind}/")


@pytest.mark.parametrize("kind", ["annotate", "review"])
@pytest.mark.parametrize("broken", ["**/js/offsets*.js", "**/js/annotate*.js", "**/js/review*.js"])
def test_a_script_that_does_not_start_is_said_and_a_working_one_says_nothing(
    page: Any, live_server: Any, kind: str, broken: str
) -> None:
    page.route(broken, lambda route: route.fulfill(status=500, body=""))
    open_task(page, live_server.url, kind)
    page.wait_for_load_state("networkidle")
    notice = page.locator("#not-started")
    submit = page.get_by_role("button", name="Submit").first
    if kind in broken or "offsets" in broken:
        expect(notice).to_be_visible(timeout=10_000)
        expect(notice).to_contain_text("This page could not start")
        expect(submit).to_be_disabled()
    else:
        expect(notice).to_have_count(0)
        expect(submit).to_be_enabled()


@pytest.mark.parametrize("kind", ["annotate", "review"])
def test_without_scripts_the_page_says_that_it_needs_them(browser: Any, live_server: Any, kind: str) -> None:
    """Chromium renders no <noscript> where Playwright switches scripts off, so that one is looked for in the bytes."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    response = open_task(page, live_server.url, kind)
    assert '<noscript><p class="notice error">This page needs JavaScript.' in response.text()
    expect(page.locator("#not-started")).to_be_visible(timeout=10_000)
    context.close()
