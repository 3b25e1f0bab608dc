"""Every table of a study's pages as a file, for whom the page is open and nobody else."""

import csv
import io
import re

import pytest
from django.urls import reverse

from annotation.models import Study
from annotation.services.release import import_release
from scoring.charts.registry import CHARTS
from tests.factories import make_annotator
from tests.scoring.release_folder import write_release
from tests.scoring.test_report import add_set

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def imported(shared_rows, tmp_path_factory):
    import_release(folder=write_release(tmp_path_factory.mktemp("files")), study_name="small", absent="published")
    study = Study.objects.get(name="small")
    summary = study.summaries.order_by("pk").first()
    for _ in range(2):  # others on the same summary, so that there are people beside each other
        add_set(study, summary, [(0, 4)], annotator=make_annotator())


@pytest.fixture
def small(db, imported):
    return Study.objects.get(name="small")


def links(client, name):
    """Addresses of files in the menus of a page."""
    page = client.get(reverse(f"scoring:{name}", args=["small"])).content.decode()
    return [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]+/(?:tables|charts)/[^"]+)" download', page)]


def test_every_menu_leads_to_whole_files(researcher, small):
    found = {link for name in ("dashboard", "judge-and-people", "people") for link in links(researcher, name)}
    tables = {link.split("?")[0].rsplit("/", 2)[-1] for link in found if "/tables/" in link}
    expected = {"systems", "pairs", "precision", "summaries", "people", "controls", "types", "spans", "alternative"}
    expected |= {"orders", "recall"}
    assert expected <= {name.removesuffix(".csv").removesuffix(".tex") for name in tables}
    for link in sorted(found):
        if link.endswith((".svg", ".png")):
            continue
        response = researcher.get(link)
        assert response.status_code == 200, link
        text = response.content.decode()
        if ".tex" in link:
            assert text.count("\\toprule") == 1, link
            assert "\\caption{" in text
        else:
            [head, *rows] = csv.reader(io.StringIO(text))
            assert rows, link
            assert {len(row) for row in rows} == {len(head)}, link


def test_a_file_has_the_figures_of_the_page(researcher, small):
    address = reverse("scoring:table", args=["small", "dashboard", "systems", "csv"])
    rows = list(csv.DictReader(io.StringIO(researcher.get(address).content.decode())))
    [alpha] = [row for row in rows if row["System"] == "alpha-inc"]
    # The judge on a, b and c as in the report's tests, and on d, which it did not list: nothing found.
    assert float(alpha["Judge's score"]) == pytest.approx((0.25 + 1 + 0.5 + 1) / 4)
    assert alpha["Judge's score n"] == "4"


def test_files_ask_what_the_page_was_asked(researcher, small):
    address = reverse("scoring:table", args=["small", "dashboard", "summaries", "csv"])
    rows = list(csv.DictReader(io.StringIO(researcher.get(address, {"system": "gamma-inc"}).content.decode())))
    assert {row["System"] for row in rows} == {"gamma-inc"}
    epsilon = researcher.get(
        reverse("scoring:table", args=["small", "judge-and-people", "alternative", "tex"]), {"epsilon": "0.3"}
    )
    assert "epsilon 0.3" in epsilon.content.decode()


@pytest.mark.parametrize(
    ("group", "table", "form"),
    [("dashboard", "nothing", "csv"), ("nothing", "systems", "csv"), ("dashboard", "systems", "exe")],
)
def test_unknown_tables_are_not_found(researcher, small, group, table, form):
    assert researcher.get(reverse("scoring:table", args=["small", group, table, form])).status_code == 404


def test_charts_have_a_latex_table(researcher, small):
    text = researcher.get(reverse("scoring:chart", args=["small", "scores", "tex"])).content.decode()
    assert "\\caption{BooookScore by system." in text
    assert "alpha-inc" in text


def test_every_how_this_is_computed_leads_somewhere(researcher, small):
    methods = set(re.findall(r'<section id="([\w-]+)"', researcher.get(reverse("scoring:methods")).content.decode()))
    assert set(CHARTS) <= methods
    for name in ("dashboard", "judge-and-people", "people"):
        page = researcher.get(reverse(f"scoring:{name}", args=["small"])).content.decode()
        sections = set(re.findall(rf'href="{reverse("scoring:methods")}#([\w-]+)"', page))
        assert sections
        assert sections <= methods


@pytest.mark.parametrize("group", ["dashboard", "judge-and-people", "people", "metrics"])
def test_files_are_sealed_as_pages_are(researcher, small, group):
    Study.objects.filter(pk=small.pk).update(phase="reviewing")
    response = researcher.get(reverse("scoring:table", args=["small", group, "systems", "csv"]))
    assert response.status_code == 403
    assert b"under blind review" in response.content
