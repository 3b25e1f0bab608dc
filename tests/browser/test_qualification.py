"""The qualification test in a browser: made on its page, done by keys, and told at once whether it was passed."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.faithfulness.plans import open_plan
from annotation.models import QualificationAttempt
from annotation.services.studies import add_member
from booookweb.models import Role
from tests.annotation.faithfulness.tested_studies import ferry, make_study_to_test, own_task
from tests.browser.test_accessibility import serious
from tests.browser.workspace_page import log_in
from tests.factories import make_annotator, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_test_from_making_it_to_the_first_task(page: Any, live_server: Any) -> None:
    study = make_study_to_test()
    ferry()
    log_in(page.context, make_user(Role.RESEARCHER), live_server.url)
    page.goto(f"{live_server.url}/studies/tested/faithfulness/qualification/")
    found = serious(page)
    page.get_by_role("button", name="Choose The Ferry").click()
    page.get_by_role("button", name="Propose 2 changes").click()
    found += serious(page)
    accept = page.get_by_role("button", name="Accept change")
    for left in (1, 0):
        accept.first.click()
        expect(accept).to_have_count(left)
    expect(page.get_by_text("Not supported", exact=True)).to_have_count(2)
    page.get_by_label("I checked against the story").check()
    page.get_by_role("button", name="Make the test").click()
    expect(page.get_by_role("heading", name="The test is made")).to_be_visible()

    person = make_annotator()
    add_member(study=study, annotator=person, annotates=False, reviews=False, judges_units=True)
    open_plan(plan=study.faithfulness)
    page.context.clear_cookies()
    log_in(page.context, person.user, live_server.url)
    page.goto(f"{live_server.url}/tasks/{own_task(study, person).key}/fine/")
    found += serious(page)
    page.get_by_role("button", name="Begin the test").click()
    page.wait_for_selector("#not-started", state="detached")
    changed = {
        "Bela came at noon without Ada.",
        "The ferry was not late.",
        "The ferry was early.",
        "Nobody sang loudly.",
    }
    for number in range(1, 5):
        expect(page.locator("#unit-number")).to_have_text(f"Statement {number} of 4")
        quote = page.locator("#unit-quote").inner_text()
        page.keyboard.press("n" if quote in changed else "y")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/qualification/")
    expect(page.locator(".notice.success")).to_contain_text("You passed. 4 of 4 statements were right")
    found += serious(page)
    assert QualificationAttempt.objects.get().passed
    page.get_by_role("link", name="Begin with your tasks").click()
    expect(page.locator("#unit-number")).to_have_text("Statement 1 of 2")
    assert found == []
