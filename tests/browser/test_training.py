"""The training in a browser: the real page, and what was expected as soon as it is submitted."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.services.known import add_known_text
from annotation.services.studies import add_member, add_summaries, create_study, open_annotating
from annotation.services.training import begin_training, set_training
from tests.browser.workspace_page import WorkspacePage
from tests.factories import make_annotator, make_summary

pytestmark = pytest.mark.django_db(transaction=True)


def test_submitting_the_training_shows_what_was_expected(page: Any, live_server: Any) -> None:
    study = create_study(name="pilot", title="The pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person = make_annotator()
    add_member(study=study, annotator=person, reviews=False)
    add_known_text(study=study, title="The Ferry", text="Ada waited. [[She slept]] by night.", purpose="training")
    set_training(study=study, asks=True)
    open_annotating(study=study)
    work = WorkspacePage(page, live_server.url, begin_training(study=study, annotator_id=person.pk))
    work.mark("slept by", types=(1,))
    work.wait_saved()
    page.locator("#submit").click()
    expect(page.locator("#skip-reason")).to_be_hidden()
    expect(page.locator("#submit-dialog")).to_contain_text("Next you see what was expected.")
    page.locator("[data-submit]").click()
    page.wait_for_url("**/training/")
    expect(page.locator("article")).to_contain_text("Touched")
    page.get_by_role("link", name="Begin with your tasks").click()
    expect(page.locator("#text")).to_have_text("Emma left. Rolf stayed.")
