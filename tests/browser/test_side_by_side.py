"""The summaries of one book beside each other: scrolled together, each to its own share, and apart."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.services.studies import add_summaries, create_study
from booookweb.models import Role
from tests.browser.workspace_page import log_in
from tests.factories import make_pair, make_user

pytestmark = pytest.mark.django_db(transaction=True)

#: Where a text is scrolled to, as a share of how far it goes.
SHARE = """(text) => text.scrollTop / (text.scrollHeight - text.clientHeight)"""


def test_long_summaries_scroll_in_step_or_apart(page: Any, live_server: Any) -> None:
    study = create_study(name="own", title="Our own")
    one, other = make_pair("The mill stood still. " * 200, "Rolf stayed. " * 600)
    add_summaries(study=study, summaries=[one, other])
    log_in(page.context, make_user(Role.RESEARCHER), live_server.url)
    page.goto(f"{live_server.url}/studies/own/books/{one.book_id}/")
    short, long = page.locator("[data-scrolls]").all()

    def scroll(text: Any, share: float) -> None:
        text.evaluate("(text, share) => { text.scrollTop = share * (text.scrollHeight - text.clientHeight); }", share)

    def wait_for(text: Any, share: float) -> None:
        page.wait_for_function(
            f"([text, share]) => Math.abs(({SHARE})(text) - share) < 0.01", arg=[text.element_handle(), share]
        )

    together = page.get_by_label("Scroll all texts together")
    expect(together).not_to_be_checked()
    together.check()
    scroll(short, 0.5)
    wait_for(long, 0.5)
    scroll(long, 1)
    wait_for(short, 1)
    together.uncheck()
    scroll(short, 0.25)
    wait_for(short, 0.25)
    assert long.evaluate(SHARE) > 0.99
