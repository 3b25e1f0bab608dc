"""The page on which people read and try the API: from our own files alone, under the content security policy."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.test_accessibility import serious
from tests.browser.workspace_page import log_in
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)

#: What axe finds in the markup of Swagger UI, which is not ours: buttons inside the heads of requests, and a list.
SWAGGERS_OWN = ("nested-interactive", "listitem")


def test_the_documentation_shows_and_sends_requests_without_a_breach_of_the_policy(page, live_server):
    said = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    log_in(page.context, make_user("researcher", "rita"), live_server.url)
    page.goto(live_server.url + reverse("api-docs"))
    expect(page.locator("#operations-me-get_me")).to_be_visible()
    found = serious(page)
    assert [each for each in found if not any(rule in each for rule in SWAGGERS_OWN)] == []
    page.locator("#operations-me-get_me .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator("#operations-me-get_me .live-responses-table")).to_contain_text('"username": "rita"')
    assert said == []
