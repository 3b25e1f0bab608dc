"""A researcher walks through a study as an annotator and a reviewer would, and no table has a row more."""

import re
from typing import Any

import pytest
from django.apps import apps
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Study
from annotation.services.studies import add_summaries, create_study
from tests.browser.workspace_page import WorkspacePage, log_in
from tests.factories import make_pair, make_summary, make_user

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "💧 Emma left the mill. Rolf stayed. The lamp went out."


def rows() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


class WalkThrough(WorkspacePage):
    """The annotate page without a task in the database."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.open()


@pytest.fixture
def address(page: Any, live_server: Any) -> str:
    study = create_study(name="pilot", title="The pilot", seed=1)
    add_summaries(study=study, summaries=[make_summary(TEXT)])
    log_in(page.context, make_user("researcher"), live_server.url)
    return f"{live_server.url}/studies/pilot/walk-through/"


def test_marking_and_submitting_leaves_nothing(page: Any, address: str) -> None:
    before = rows()
    walk = WalkThrough(page, f"{address}annotate/")
    expect(page.get_by_text("Walk-through: nothing is kept.")).to_be_visible()
    walk.drag("Rolf stayed")
    page.fill("#mark-question", "Who is Rolf?")
    page.locator("#mark-form .chip").first.click()
    page.locator("#mark-form button[type=submit]").click()
    expect(page.locator("#saved-state")).to_have_text(re.compile(r"Saved"))
    expect(page.locator("#cards > li")).to_have_count(1)
    page.locator("#submit").click()
    page.locator("[data-submit]").click()
    expect(page.locator("#task-state")).to_be_visible()
    page.locator("#reopen").click()
    expect(page.locator("#task-state")).to_be_hidden()
    page.reload()
    expect(page.locator("#cards > li")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('marks:')).length") == 0
    assert rows() == before


def test_reviewing_made_up_marks_leaves_nothing(page: Any, address: str) -> None:
    before = rows()
    page.goto(f"{address}review/")
    expect(page.get_by_text("Walk-through: nothing is kept.")).to_be_visible()
    for key in "131":
        page.keyboard.press(key)
    expect(page.locator("[data-position]")).to_have_text("Mark 3 of 3, 3 answered")
    page.locator("[data-submit]").click()
    page.locator("[data-submit-confirm]").click()
    page.wait_for_url("**/studies/pilot/")
    assert rows() == before


@pytest.mark.parametrize("route", ["study-walk-annotate", "study-walk-review"])
def test_it_is_for_researchers_and_needs_a_summary(client: Any, route: str) -> None:
    create_study(name="empty", title="Empty")
    client.force_login(make_user())
    assert client.get(reverse(f"annotation:{route}", args=["empty"])).status_code == 403
    client.force_login(make_user("researcher"))
    shown = client.get(reverse(f"annotation:{route}", args=["empty"]), follow=True)
    assert "Choose summaries first" in shown.content.decode()


def test_comparing_leaves_nothing(page: Any, address: str) -> None:
    study = Study.objects.get()
    add_summaries(study=study, summaries=make_pair("Emma left. " * 40, "Nobody came."))
    before = rows()
    page.goto(f"{address}compare/")
    expect(page.get_by_text("Walk-through: nothing is kept.")).to_be_visible()
    for key in "abdnyna":
        page.keyboard.press(key)
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"Saved"))
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-submitted]")).to_be_visible()
    page.locator("[data-reopen]").click()
    expect(page.locator("[data-submitted]")).to_be_hidden()
    expect(page.locator("[data-count]")).to_contain_text("7")
    page.reload()
    expect(page.locator("input:checked:not([data-together])")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('comparison:')).length") == 0
    assert rows() == before
    study.summaries.clear()
    page.goto(f"{address}compare/")
    expect(page.get_by_text("Choose two summaries of one book first")).to_be_visible()
