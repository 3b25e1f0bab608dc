"""The editor of a summary's units, by keyboard, by buttons and by clicks."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from booookweb.models import Role
from tests.browser.workspace_page import log_in
from tests.factories import make_plan, make_summary, make_user

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "Emma 🐎 left the mill early, and Rolf stayed behind. He died."


def test_units_are_split_joined_moved_and_undone(page: Any, live_server: Any) -> None:
    summary = make_summary(TEXT)
    plan = make_plan(summary)
    log_in(page.context, make_user(Role.RESEARCHER), live_server.url)
    page.goto(live_server.url + reverse("annotation:summary-units", args=[plan.study.name, summary.pk]))
    text, units = page.locator("#units-text"), page.locator(".unit")
    expect(units).to_have_text(["Emma 🐎 left the mill early, and Rolf stayed behind.", "He died."])

    page.locator(".unit-word", has_text="and").click()
    page.keyboard.press("Enter")
    expect(units).to_have_text(["Emma 🐎 left the mill early,", "and Rolf stayed behind.", "He died."])
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect(units.nth(1)).to_have_text("stayed behind.")
    page.get_by_role("button", name="Move border back Shift ←").click()
    expect(units.nth(1)).to_have_text("Rolf stayed behind.")
    page.keyboard.press("Control+z")
    expect(units.nth(1)).to_have_text("stayed behind.")
    expect(page.locator("#units-state")).to_contain_text("Saved")
    expect(page.locator("#units-count")).to_have_text("3 units")
    page.reload()
    expect(units).to_have_text(["Emma 🐎 left the mill early, and Rolf", "stayed behind.", "He died."])

    text.focus()  # at the first word
    page.keyboard.press("Delete")
    expect(page.locator("#units-why")).to_contain_text("A sentence always begins a unit")
    expect(units).to_have_count(3)
    expect(page.locator("[data-act=join]")).to_have_attribute("aria-disabled", "true")
    page.locator(".unit-word", has_text="stayed").click()
    expect(page.locator("#units-why")).to_be_empty()
    page.keyboard.press("Delete")
    expect(units).to_have_text(["Emma 🐎 left the mill early, and Rolf stayed behind.", "He died."])
    expect(page.locator("#units-live")).to_contain_text("Joined: Emma")
    expect(page.locator("#units-count")).to_have_text("2 units")
    page.keyboard.press("Delete")
    expect(page.locator("#units-why")).to_contain_text("Go to the first word of a unit")
    assert list(plan.units.order_by("index").values_list("start", "end")) == [(0, 51), (52, 60)]


def test_repeated_units_are_shown_as_such(page: Any, live_server: Any) -> None:
    summary = make_summary("He died. Emma left. He died.")
    plan = make_plan(summary)
    log_in(page.context, make_user(Role.RESEARCHER), live_server.url)
    page.goto(live_server.url + reverse("annotation:summary-units", args=[plan.study.name, summary.pk]))
    units = page.locator(".unit")
    expect(units.nth(2)).to_have_attribute("data-repeats", "says the same as 1")
    expect(units.nth(0)).to_have_attribute("data-number", "1")
    units.nth(2).locator(".unit-word", has_text="died").click()
    page.keyboard.press("Enter")
    expect(page.locator("[data-repeats]")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator("#units-count")).to_have_text("3 units, 1 of them repeated")
    expect(page.locator("[data-repeats]")).to_have_count(1)
