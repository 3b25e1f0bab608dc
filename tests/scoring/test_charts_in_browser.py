"""Charts in a real browser under the site's security policy: drawn, linked, in both themes."""

import pytest
from django.urls import reverse

from annotation.services.release import import_release
from tests.factories import make_user
from tests.scoring.release_folder import write_release

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def dashboard(live_server, page, client, tmp_path):
    import_release(folder=write_release(tmp_path / "release"), study_name="small", absent="published")
    client.force_login(make_user("researcher"))
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    refused = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(live_server.url + reverse("scoring:dashboard", args=["small"]))
    page.locator("#chart-scores svg.marks").wait_for()
    yield page
    assert refused == []  # among them whatever the security policy stops


def test_every_chart_is_drawn_in_its_place(dashboard):
    figures = dashboard.locator("[data-chart]")
    assert figures.count() == 7
    for index in range(figures.count()):
        figures.nth(index).locator("svg.marks").wait_for()
    assert dashboard.evaluate("document.documentElement.scrollWidth") == 1440


def test_the_first_screen_holds_scores_precision_and_people(dashboard):
    for selector in ("#chart-scores svg.marks", "#chart-precision svg.marks", "#people-title"):
        box = dashboard.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= 900, selector


def test_a_point_leads_to_the_sentences_behind_it(dashboard):
    dashboard.locator("#chart-summaries svg.marks .mark-symbol path").first.click()
    dashboard.wait_for_url("**/studies/small/summaries/*/")
    opened = dashboard.locator("details.line").first
    opened.locator("summary").click()
    assert opened.locator(".line-marks li").count() >= 1


def test_the_menu_and_the_table_work_by_keyboard(dashboard):
    menu = dashboard.locator("#chart-scores details.menu")
    menu.locator("summary").focus()
    dashboard.keyboard.press("Enter")
    assert menu.locator("a").all_inner_texts() == [
        "Picture as SVG",
        "Picture as PNG",
        "Data as CSV",
        "Table as LaTeX",
        "How this is computed",
    ]
    dashboard.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    table = dashboard.locator("#chart-scores details.chart-table")
    table.locator("summary").focus()
    dashboard.keyboard.press("Enter")
    assert table.locator("tbody tr").count() == 4


def test_charts_follow_the_theme(dashboard):
    axis = "#chart-scores svg.marks .role-axis-label text"
    light = dashboard.locator(axis).first.get_attribute("fill")
    dashboard.emulate_media(color_scheme="dark")
    dashboard.wait_for_function(
        "([selector, before]) => document.querySelector(selector)?.getAttribute('fill') !== before", arg=[axis, light]
    )
    assert dashboard.locator(axis).first.get_attribute("fill") not in (None, light)
