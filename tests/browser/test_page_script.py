"""What every page has in a real browser: colours, questions before what can't be undone, forms sent once, times."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from booookweb.models import Role, User
from tests.browser.workspace_page import log_in
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin(page: Any, live_server: Any) -> User:
    person = make_user(Role.ADMIN, "ada")
    log_in(page.context, person, live_server.url)
    return person


def test_no_page_is_stopped_by_the_content_security_policy(page: Any, live_server: Any, admin: User) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if "Content Security" in message.text else None)
    for address in ("/", "/people/", "/people/new/", "/account/", "/design/", "/nothing/"):
        page.goto(live_server.url + address)
    assert refused == []


def test_chosen_colours_hold_on_the_next_page_before_any_script(page: Any, live_server: Any, admin: User) -> None:
    page.goto(live_server.url + "/account/")
    page.locator(".account-menu summary").click()
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.route("**/*.js", lambda route: route.abort())
    page.goto(live_server.url + "/people/")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark
    assert dark == "rgb(23, 23, 20)"


def test_the_systems_colours_come_back(page: Any, live_server: Any, admin: User) -> None:
    page.goto(live_server.url + "/account/")
    page.locator(".account-menu summary").click()
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="System").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") is None


def test_closing_an_account_asks_first(page: Any, live_server: Any, admin: User) -> None:
    mara = make_user(name="mara")
    page.goto(live_server.url + "/people/")
    page.get_by_role("button", name="Close the account of mara").click()
    dialog = page.get_by_role("dialog", name="Close the account of mara?")
    expect(dialog).to_contain_text("What was submitted is kept, open tasks go to others")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    mara.refresh_from_db()
    assert mara.is_active
    page.get_by_role("button", name="Close the account of mara").click()
    dialog.get_by_role("button", name="Close the account").click()
    expect(page.get_by_role("status").first).to_contain_text("The account of mara is closed.")
    mara.refresh_from_db()
    assert not mara.is_active


def test_two_quick_clicks_send_a_form_once(page: Any, live_server: Any, admin: User) -> None:
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.goto(live_server.url + "/people/new/")
    page.get_by_label("Name").fill("mara")
    page.evaluate("""() => {
        const button = document.querySelector("main form .primary");
        button.click();
        button.click();
    }""")
    expect(page.locator(".secret")).to_be_visible()
    assert len(posts) == 1
    assert User.objects.filter(username="mara").count() == 1


def test_a_form_works_again_after_going_back(page: Any, live_server: Any, admin: User) -> None:
    page.goto(live_server.url + "/people/new/")
    page.get_by_label("Name").fill("mara")
    page.get_by_role("button", name="Add this person").click()
    expect(page.locator(".secret")).to_be_visible()
    page.go_back()
    page.get_by_label("Name").fill("rolf")
    page.get_by_role("button", name="Add this person").click()
    expect(page.get_by_role("heading", name="rolf can log in now")).to_be_visible()


def test_a_form_of_an_old_page_is_sent_with_the_token_of_today(page: Any, live_server: Any, admin: User) -> None:
    """Logging in again in another tab changes the token; the page that was open keeps working."""
    page.goto(live_server.url + "/people/new/")
    other = page.context.new_page()
    other.goto(live_server.url + "/account/")
    other.locator(".account-menu summary").click()
    other.get_by_role("button", name="Log out").click()
    other.get_by_label("Name").fill(admin.username)
    other.get_by_label("Password").fill("secret")
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("heading", name="A study, step by step")).to_be_visible()
    page.get_by_label("Name").fill("mara")
    page.get_by_role("button", name="Add this person").click()
    expect(page.locator(".secret")).to_be_visible()


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=5), r"just now"),
        (timedelta(minutes=3), r"3 min ago"),
        (timedelta(hours=5), r"5 h ago"),
        (timedelta(days=2), r"2 days ago"),
        (timedelta(days=30), r"\d{1,2} [A-Z][a-z]+ \d{4}"),
    ],
)
def test_times_are_said_as_people_say_them(
    page: Any, live_server: Any, admin: User, ago: timedelta, words: str
) -> None:
    User.objects.filter(pk=admin.pk).update(date_joined=timezone.now() - ago)
    page.goto(live_server.url + "/people/")
    time = page.locator("td time").last
    expect(time).to_have_text(re.compile(f"^{words}$"))
    expect(time).to_have_attribute("title", re.compile(r"\d{4}.*\d\d:\d\d"))


def test_the_first_tab_stop_skips_to_the_content(page: Any, live_server: Any, admin: User) -> None:
    page.goto(live_server.url + "/people/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    assert page.locator("main").count() == 1


@pytest.mark.parametrize("works", [True, False])
def test_a_connection_test_shows_that_it_is_under_way(
    page: Any, live_server: Any, admin: User, llm_server: Any, works: bool
) -> None:
    llm_server.latency = 2
    page.goto(f"{live_server.url}/endpoints/new/")
    page.get_by_label("Address").fill(llm_server.base_url if works else "http://127.0.0.1:9/v1")
    page.get_by_label("Model").fill("scripted-1")
    asking, connection = page.get_by_text("Asking ..."), page.locator("#connection")
    expect(asking).to_be_hidden()
    page.get_by_role("button", name="Test connection").click()
    if works:
        expect(asking).to_be_visible()
        expect(connection).to_have_attribute("aria-busy", "true")
    expect(connection.locator(".notice")).to_be_visible(timeout=20_000)
    expect(asking).to_be_hidden()
    expect(connection).not_to_have_attribute("aria-busy", "true")
