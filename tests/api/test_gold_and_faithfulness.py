"""Gold sets, frozen reports, and answers about faithfulness over the API, of a study that has all of them."""

import hashlib
import json

import pytest

from annotation.models import Assignment, MarksSeen, Study
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.api.clients import program
from tests.factories import make_summary
from tests.scoring.exports.whole_study import SECRETS, whole_study


@pytest.fixture(scope="module")
def made(shared_rows):
    return whole_study()


@pytest.fixture
def study(db, made):
    return Study.objects.get(pk=made.pk)


@pytest.fixture
def researcher(study):
    return program("researcher")


@pytest.fixture
def first(study):
    return study.summaries.get(system__name="tiny-2048-hier")


def test_a_gold_set_is_read_with_its_sources_and_how_far_people_agree(researcher, study, first):
    lines = researcher.get("studies/whole/gold/")
    assert lines["count"] == study.summaries.count()
    line = next(each for each in lines["results"] if each["summary"] == first.pk)
    assert (line["people"], line["marks"], line["decided"], line["gold"]) == (1, 2, 1, 1)
    assert researcher.get("studies/whole/gold/", state="finished")["count"] == 0
    gold = researcher.get(f"studies/whole/gold/{first.pk}/")
    (mark,) = gold["marks"]
    assert (mark["questions"], mark["by"]) == ("Who?", "P-AAA222")
    assert [source["annotator"] for source in mark["sources"]] == ["P-AAA222"]
    # One person alone agrees with nobody; beside the judge there is one pair.
    assert (gold["pairs"], gold["agreement"]["kappa"]["value"]) == ([], None)
    assert "Fewer than two people" in gold["agreement"]["kappa"]["reason"]
    (pair,) = researcher.get(f"studies/whole/gold/{first.pk}/", judge="tiny judge")["pairs"]
    assert (pair["first"], pair["first_marks"], pair["second_marks"]) == ("P-AAA222", 2, 1)
    assert MarksSeen.objects.filter(user=researcher.user, summary=first).exists()
    assert not [secret for secret in SECRETS if secret in json.dumps([lines, gold])]
    researcher.get(f"studies/whole/gold/{first.pk}/", status=404, judge="nobody")
    researcher.get(f"studies/whole/gold/{make_summary().pk}/", status=404)


def test_whoever_downloads_all_gold_sets_has_seen_the_marks(client, researcher, first):
    client.force_login(researcher.user)
    assert client.get("/studies/whole/gold.json").status_code == 200
    assert MarksSeen.objects.filter(user=researcher.user, summary=first).exists()


def test_a_report_is_frozen_listed_and_read_to_the_letter(researcher, study):
    before = researcher.get("studies/whole/reports/")["count"]
    frozen = researcher.post("studies/whole/reports/", status=201, note=" as submitted ")
    assert (frozen["number"], frozen["note"]) == (before + 1, "as submitted")
    assert researcher.get("studies/whole/reports/")["results"][0] == frozen
    stored = researcher.client.get(f"/api/v1/studies/whole/reports/{frozen['number']}/")
    assert hashlib.sha256(stored.content).hexdigest() == frozen["content_sha256"]
    assert "no-store" in stored["Cache-Control"]
    researcher.get("studies/whole/reports/999/", status=404)
    researcher.post("studies/whole/reports/", status=400, note=" ")
    researcher.post("studies/whole/reports/", status=400, note="x", epsilon=2)


def test_what_is_asked_about_faithfulness_and_what_was_answered(researcher, study):
    plan = researcher.get("studies/whole/faithfulness/")
    stored = study.faithfulness
    assert (plan["state"], plan["scale"], plan["unit_rule"]) == (stored.state, stored.scale, stored.unit_rule)
    submitted = study.assignments.filter(state="submitted")
    assert plan["fine"]["submitted"] == submitted.filter(task="fine").count() > 0
    assert plan["work"]["units"] == researcher.get("studies/whole/units/")["count"] > 0
    unit = researcher.get("studies/whole/units/")["results"][0]
    assert "expected" not in unit
    judgement = researcher.get("studies/whole/unit-judgements/")["results"][0]
    assert judgement["evidence"][0].keys() == {"start", "end", "hint_rank"}  # and no words of the book
    same = {"annotator": judgement["annotator"], "summary": judgement["summary"], "unit": judgement["unit"]}
    assert researcher.get("studies/whole/unit-judgements/", **same)["results"] == [judgement]
    other = "no" if judgement["supported"] else "yes"
    assert judgement not in researcher.get("studies/whole/unit-judgements/", supported=other)["results"]
    rating = researcher.get("studies/whole/ratings/")["results"][0]
    assert researcher.get("studies/whole/ratings/", annotator=rating["annotator"])["results"] == [rating]
    assert researcher.get("studies/whole/ratings/", annotator="nobody")["count"] == 0
    assert MarksSeen.objects.filter(user=researcher.user).count() == study.summaries.count()
    # Drafts are nobody's answers.
    study.assignments.filter(task__in=("fine", "coarse")).update(state="open", ended_at=None)
    assert (
        researcher.get("studies/whole/unit-judgements/")["count"] == researcher.get("studies/whole/ratings/")["count"]
    )
    assert researcher.get("studies/whole/ratings/")["count"] == 0


def test_every_section_of_the_report_is_reached(researcher, study):
    report = researcher.get("studies/whole/report/")
    assert report.keys() == report_json(build_report(study)).keys()
    assert report["faithfulness"] == researcher.get("studies/whole/faithfulness/figures/")
    assert {"systems", "precision", "preferences", "agreement", "judges_together", "costs", "metrics"} < report.keys()


def test_a_study_that_asks_nothing_about_faithfulness_says_so(researcher):
    Study.objects.create(name="bare", title="Bare")
    for path in ("faithfulness/", "faithfulness/figures/", "units/", "unit-judgements/", "ratings/"):
        assert "asks nothing" in researcher.get(f"studies/bare/{path}", status=404)["detail"]
    assert researcher.get("studies/bare/gold/") == {"count": 0, "next": None, "results": []}
    assert Assignment.objects.filter(study__name="bare").count() == 0
