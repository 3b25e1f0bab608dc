"""The annotate page when the session or its token is not the one it was loaded with."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.models import Annotation
from tests.browser.workspace_page import log_in, stored

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_after_a_login_in_the_tab_that_the_page_offers_everything_is_sent_without_a_hand(start: Any) -> None:
    work = start()
    person = work.assignment.annotator.user
    person.set_password("a long password")
    person.save()
    log_in(work.page.context, person, work.server)  # the old session ended with the old password
    work.mark("left", "Where?")
    work.wait_saved()
    token = token_of(work.page.context)
    Session.objects.all().delete()
    work.mark("stayed", "Why?")
    work.wait_state("Not saved - you are logged out, kept here")
    with work.page.context.expect_page() as opened:
        work.page.get_by_role("link", name="Log in in a new tab").click()
    login = opened.value
    login.get_by_label("Name").fill(person.username)
    login.get_by_label("Password", exact=True).fill("a long password")
    login.get_by_role("button", name="Log in").click()
    login.wait_for_url("**/tasks/**")
    assert token_of(work.page.context) != token
    work.wait_saved()
    assert [questions for questions, _, _ in stored(work.assignment)] == ["Where?", "Why?"]


def token_of(context: Any) -> str:
    (token,) = [cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken"]
    return str(token)
