"""Dashboard, charts, report page and the view of one summary, over HTTP."""

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, ReviewItem, Study
from annotation.services.release import import_release
from scoring.charts.registry import CHARTS
from summarizer.models import Endpoint, Summary, System
from tests.factories import make_annotator, make_summary, make_user
from tests.scoring.release_folder import write_release
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study, strict

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def imported(shared_rows, tmp_path_factory):
    folder = write_release(tmp_path_factory.mktemp("small") / "release")
    import_release(folder=folder, study_name="small", absent="published")


@pytest.fixture
def small(imported):
    return Study.objects.get(name="small")


def drawing(response, key):
    """The rows that the page hands to the chart's script."""
    found = re.search(rf'<script id="drawing-{key}" type="application/json">(.*?)</script>', response.content.decode())
    return strict(found.group(1))["rows"] if found else None


def addresses(study):
    summary = study.summaries.first()
    return [
        reverse("scoring:dashboard", args=[study.name]),
        reverse("scoring:report", args=[study.name]),
        reverse("scoring:summary-marks", args=[study.name, summary.pk]),
        reverse("scoring:judge-and-people", args=[study.name]),
        reverse("scoring:differences", args=[study.name]),
        *(
            reverse("scoring:chart", args=[study.name, key, form])
            for key in CHARTS
            for form in ("svg", "png", "csv", "json")
        ),
    ]


# --- who may see them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "status"), [("admin", 200), ("researcher", 200), ("annotator", 403)])
def test_pages_by_role(client, small, role, status):
    client.force_login(make_user(role))
    pages = [address for address in addresses(small) if not address.endswith((".png", ".svg"))]
    for address in [*pages, reverse("scoring:methods")]:
        assert client.get(address).status_code == status, address


def test_pages_need_a_login(client, small):
    for address in addresses(small):
        assert client.get(address).status_code == 302


@pytest.mark.parametrize("task", ["annotate", "review"])
@pytest.mark.parametrize("role", ["admin", "researcher"])
def test_whoever_has_a_task_open_sees_none_of_it(client, small, role, task):
    user = make_user(role)
    client.force_login(user)
    open_task = Assignment.objects.create(
        key="00000000-0000-0000-0000-000000000001",
        study=Study.objects.create(name="another", title="Another study with the same summary"),
        annotator=make_annotator(user),
        task=task,
        summary=small.summaries.get(system__name="alpha-inc", book__source_name="a.epub"),
    )
    for address in addresses(small):
        response = client.get(address)
        assert response.status_code == 403, address
        assert b"Rolf" not in response.content
    open_task.delete()
    assert client.get(addresses(small)[0]).status_code == 200


# --- figures --------------------------------------------------------------------------------------------------------


def test_dashboard_command_and_json_page_show_the_same_figures(researcher, small):
    page = researcher.get(reverse("scoring:dashboard", args=["small"]))
    report = strict(researcher.get(reverse("scoring:report", args=["small"])).content)
    system = next(system for system in report["systems"] if system["system"] == "alpha-inc")
    [human, judge] = [row for row in drawing(page, "scores") if row["system"] == "alpha-inc"]
    assert (human["score"], human["n"]) == (system["human"]["sentence"], system["human"]["n"])
    assert (judge["score"], [judge["low"], judge["high"]]) == (
        system["judges"][0]["score"],
        system["judges"][0]["ci95"],
    )
    assert "absent books: published" in page.content.decode()
    assert "1 sentence without a judgement" in page.content.decode()
    assert "1 of 7" not in page.content.decode()
    assert "1 of 6 sentences could not be read" in page.content.decode()


def test_a_point_leads_to_the_sentences_behind_it(researcher, small):
    page = researcher.get(reverse("scoring:dashboard", args=["small"]))
    point = next(row for row in drawing(page, "summaries") if row["book"] == "A")
    summary = small.summaries.get(system__name="alpha-inc", book__source_name="a.epub")
    assert point["url"] == reverse("scoring:summary-marks", args=["small", summary.pk])
    assert f'href="{point["url"]}"' in page.content.decode()


def test_summaries_can_be_listed_by_system(researcher, small):
    page = researcher.get(reverse("scoring:dashboard", args=["small"]), {"system": "gamma-inc"}).content.decode()
    listed = page[page.index('id="summaries"') :]
    assert listed.count("<tr>") == 1 + 3
    assert "50.0–100.0" in listed
    assert "1 of 2 not judged" in listed


def test_charts_as_files(researcher, small):
    svg = researcher.get(reverse("scoring:chart", args=["small", "scores", "svg"]))
    assert svg["Content-Type"] == "image/svg+xml"
    assert svg.content.startswith(b"<svg")
    assert b"alpha-inc" in svg.content
    png = researcher.get(reverse("scoring:chart", args=["small", "scores", "png"]), {"theme": "dark"})
    assert png.content.startswith(b"\x89PNG")
    table = researcher.get(reverse("scoring:chart", args=["small", "summaries", "csv"]))
    assert 'filename="small-summaries.csv"' in table["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(table.content.decode())))
    assert [(row["book"], row["human"], row["judge"]) for row in rows] == [
        ("A", "0.25", "0.25"),
        ("B", "1.0", "1.0"),
        ("C", "0.5", "0.5"),
    ]


def test_every_chart_draws(researcher, small):
    for key in CHARTS:
        assert researcher.get(reverse("scoring:chart", args=["small", key, "svg"])).content.startswith(b"<svg"), key


@pytest.mark.parametrize(("key", "form"), [("nothing", "svg"), ("scores", "exe")])
def test_unknown_charts_are_not_found(researcher, small, key, form):
    assert researcher.get(reverse("scoring:chart", args=["small", key, form])).status_code == 404


def test_unknown_studies_and_foreign_summaries_are_not_found(researcher, small):
    assert researcher.get(reverse("scoring:dashboard", args=["nothing"])).status_code == 404
    other = make_summary()
    assert researcher.get(reverse("scoring:summary-marks", args=["small", other.pk])).status_code == 404


def test_text_that_looks_like_a_formula_or_markup_stays_text(researcher):
    study, [summary] = make_study("Emma left. Rolf stayed.")
    System.objects.filter(pk=summary.system_id).update(name="=1+1</script><b>")
    add_set(study, summary, [(0, 4)])
    table = researcher.get(reverse("scoring:chart", args=["own", "scores", "csv"])).content.decode()
    assert "'=1+1" in table
    page = researcher.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    assert "</script><b>" not in page


# --- little data ----------------------------------------------------------------------------------------------------


def test_an_empty_study_says_what_to_do(researcher):
    make_study()
    page = researcher.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    assert "No summaries yet" in page
    assert researcher.get(reverse("scoring:chart", args=["own", "scores", "svg"])).status_code == 404
    assert strict(researcher.get(reverse("scoring:report", args=["own"])).content)["systems"] == []


@pytest.mark.parametrize("books", [1, 2])
def test_one_and_two_books(researcher, books):
    study, summaries = make_study(*["Emma left. Rolf stayed."] * books)
    page = researcher.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    assert page.count("Not enough data") == 2
    assert "Error types" not in page  # nobody marked
    judge = add_judge(study, model="m", mode="sentence")
    for summary in summaries:
        add_set(study, summary, [(0, 4)])
        add_verdicts(judge, summary, ["clean", "confused"])
    response = researcher.get(reverse("scoring:dashboard", args=["own"]))
    assert [row["score"] for row in drawing(response, "scores")] == [0.5, 0.5]
    assert drawing(response, "precision") is None
    assert researcher.get(reverse("scoring:chart", args=["own", "scores", "svg"])).status_code == 200
    strict(researcher.get(reverse("scoring:report", args=["own"])).content)


def test_samples_and_baselines_are_labelled(researcher):
    study, [summary] = make_study("Emma left. Rolf stayed.")
    rules = Endpoint.objects.create(name="rules", provider="rules")
    System.objects.filter(pk=summary.system_id).update(
        endpoint=Endpoint.objects.create(name="extractive", provider="extractive")
    )
    add_verdicts(add_judge(study, endpoint=rules, mode="sentence"), summary, ["clean", "confused"])
    sample = make_annotator()
    sample.is_sample = True
    sample.save()
    add_set(study, summary, [(0, 4)], annotator=sample)
    for address in addresses(study)[:3:2]:
        page = researcher.get(address).content.decode()
        assert "No LLM: rule baseline" in page
        assert "No LLM: extractive baseline" in page
        assert '<span class="badge sample">Sample</span>' in page


# --- one summary ----------------------------------------------------------------------------------------------------


def test_one_summary_shows_who_marked_which_sentence(researcher, small):
    summary = small.summaries.get(system__name="alpha-inc", book__source_name="a.epub")
    page = researcher.get(reverse("scoring:summary-marks", args=["small", summary.pk])).content.decode()
    states = re.findall(r'data-state="(\w+)" data-kind="(\w+)" title="(\w)', page)
    people = [state for state, kind, _ in states if kind == "person"]
    judge = [state for state, kind, _ in states if kind == "judge"]
    assert people == ["marked", "marked", "clean", "marked"]
    assert judge == ["marked", "marked", "marked", "clean"]
    assert "Does he stay because of the snow?" in page
    assert 'href="#s4"' in page
    assert "span occurs 2 times" in page


def test_drafts_and_marks_of_other_studies_are_not_shown(researcher):
    study, [summary] = make_study("Emma left. Rolf stayed.")
    add_set(study, summary, [(0, 4)], state="draft")
    add_set(Study.objects.create(name="other", title="Other"), summary, [(0, 4)])
    page = researcher.get(reverse("scoring:summary-marks", args=["own", summary.pk])).content.decode()
    assert "Nobody has marked this summary yet" in page


# --- size -----------------------------------------------------------------------------------------------------------


def test_queries_do_not_grow_with_books_and_people(researcher):
    study, summaries = make_study(*["One. Two. Three."] * 5)
    judge = add_judge(study, model="m", mode="sentence")

    def fill(chosen, offset):
        for number, summary in enumerate(chosen):
            annotation_set = add_set(study, summary, [(0, 4)])
            add_verdicts(judge, summary, ["clean", "confused", "clean"])
            ReviewItem.objects.create(
                key=f"00000000-0000-0000-0000-{offset + number:012}",
                study=study,
                annotation=annotation_set.annotations.get(),
                order=offset + number,
            )

    def queries():
        with CaptureQueriesContext(connection) as captured:
            assert researcher.get(reverse("scoring:dashboard", args=["own"])).status_code == 200
        return len(captured)

    fill(summaries, 0)
    queries()  # the first request of a session may write it
    of_five = queries()
    more = [make_summary("One. Two. Three.", title=f"Further {index}") for index in range(45)]
    Summary.objects.filter(pk__in=[summary.pk for summary in more[:20]]).update(system=summaries[0].system)
    study.summaries.add(*more)
    fill(more, 5)
    assert queries() == of_five <= 47


def test_the_script_of_the_charts_is_a_static_file(settings, tmp_path):
    from django.contrib.staticfiles.finders import find

    from scoring.charts.bundle import ChartScriptFinder

    assert find("js/vega.js")
    finder = ChartScriptFinder()
    finder.folder = tmp_path
    assert "window.vegaEmbed" in Path(finder.find("js/vega.js")).read_text(encoding="utf-8")
    assert [name for name, _ in finder.list(None)] == ["js/vega.js"]
    assert [path.name for path in (tmp_path / "js").iterdir()] == ["vega.js"]


def test_several_processes_may_find_the_script_of_the_charts_missing_at_once(tmp_path, monkeypatch):
    import vl_convert

    from scoring.charts.bundle import ChartScriptFinder

    together = Barrier(2, timeout=20)

    def made_at_once(leave: str) -> str:
        together.wait()
        return f"window.made = true; {leave}"

    def find(_: int) -> str:
        finder = ChartScriptFinder()
        finder.folder = tmp_path
        return Path(finder.find("js/vega.js")).read_text(encoding="utf-8")

    monkeypatch.setattr(vl_convert, "javascript_bundle", made_at_once)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(find, range(2))
    assert first == second == "window.made = true; window.vegaEmbed = vegaEmbed;"


def test_chart_rows_are_strict_json(researcher, small):
    for key in CHARTS:
        content = researcher.get(reverse("scoring:chart", args=["small", key, "json"])).content
        assert strict(content) == json.loads(content)


# --- progress -------------------------------------------------------------------------------------------------------


def test_the_dashboard_counts_a_task_that_was_left_out_as_missing_and_not_as_done(researcher):
    study = Study.objects.create(name="pilot", title="The pilot", phase=Study.Phase.ANNOTATING)
    person = make_annotator()
    for number, state in enumerate(("submitted", "open", "skipped")):
        summary = make_summary(title=f"Book {number}")
        study.summaries.add(summary)
        Assignment.objects.create(
            key=f"00000000-0000-0000-0000-00000000000{number}",
            study=study,
            annotator=person,
            task="annotate",
            summary=summary,
            state=state,
            ended_at=None if state == "open" else study.created_at,
        )
    body = researcher.get(reverse("scoring:dashboard", args=["pilot"])).content.decode()
    assert "1 of 3 annotated, 1 with nobody" in body
    assert "<span>1 of 2 annotated</span>" in body
