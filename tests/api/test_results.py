"""What researchers take away over the API: marks, verdicts, decisions, answers, the report, files, figures."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.models import Annotation, Annotator, MarksSeen, ReviewDecision, Withdrawal
from scoring.models import MetricValue, StudyExport
from scoring.services import export_jobs
from scoring.services.export_jobs import make_export
from summarizer.models import Summary, System
from tests.api.clients import program
from tests.scoring.exports.whole_study import SECRETS, whole_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return whole_study()


@pytest.fixture
def researcher(study):
    return program("researcher")


@pytest.fixture
def first(study):
    return study.summaries.get(system__name="tiny-2048-hier")


def test_sets_and_marks_come_under_pseudonyms_and_without_checks_and_planted_marks(researcher, first):
    sets = researcher.get("studies/whole/annotation-sets/")["results"]
    assert sorted((each["annotator"], each["kind"], each["marks"]) for each in sets) == [
        ("P-AAA222", "person", 0),
        ("P-AAA222", "person", 2),
        ("tiny judge", "judge", 1),
    ]
    marks = researcher.get("studies/whole/annotations/", kind="person")["results"]
    assert [mark["questions"] for mark in marks] == ["=HYPERLINK(1)"] * 2
    assert marks[0]["error_types"] == ["salience", "language"]
    assert marks[0]["spans"] == [{"start": 5, "end": 6, "quote": "😀"}]
    assert [span["quote"] for span in marks[1]["spans"]] == ["Emma", "Rolf"]
    everything = json.dumps([sets, researcher.get("studies/whole/annotations/")])
    assert not [secret for secret in SECRETS if secret in everything]


def test_marks_are_filtered(researcher, first):
    def count(**query):
        return researcher.get("studies/whole/annotations/", **query)["count"]

    assert (count(), count(kind="judge"), count(annotator="tiny judge"), count(annotator="P-BBB333")) == (3, 1, 1, 0)
    assert (count(error_type="salience"), count(error_type="discontinuity")) == (2, 0)
    assert count(summary=first.pk) == 3
    other = Summary.objects.get(system__name="raw")  # not in the study
    researcher.get("studies/whole/annotations/", status=404, summary=other.pk)
    researcher.get("studies/whole/annotations/", status=400, kind="robot")


def test_verdicts_keep_unparsed_apart_from_clean(researcher):
    verdicts = researcher.get("studies/whole/verdicts/")["results"]
    assert [(each["index"], each["state"]) for each in verdicts] == [
        (0, "confused"),
        (1, "clean"),
        (2, "unparsed"),
        (3, "clean"),
    ]
    assert verdicts[0]["annotation"] == Annotation.objects.get(annotation_set__annotator__kind="judge").pk
    assert verdicts[2]["problem"] == "No answer could be read."
    assert researcher.get("studies/whole/verdicts/", state="unparsed")["count"] == 1


def test_decisions_and_comparisons(researcher, first):
    decisions = researcher.get("studies/whole/review-decisions/")["results"]
    assert sorted(each["agreement"] for each in decisions) == ["agree", "disagree", "partial"]
    assert {each["reviewer"] for each in decisions} == {"P-BBB333"}
    mark = ReviewDecision.objects.get(agreement="partial").item.annotation_id
    (partial,) = researcher.get("studies/whole/review-decisions/", annotation=mark)["results"]
    assert (partial["reasons"], partial["comment"]) == (["answered"], "@why")
    (pair,) = researcher.get("studies/whole/comparisons/")["results"]
    assert pair["first"] == first.pk
    assert pair["answers"] == [
        {"annotator": "P-AAA222", "question": "detail", "words": "Which?", "answer": "first", "comment": "\tbecause"}
    ]
    assert researcher.get("studies/whole/comparisons/", round="pilot")["count"] == 0


def test_whoever_reads_marks_has_seen_them(researcher, first, study):
    assert researcher.get("studies/whole/report/")
    assert not MarksSeen.objects.exists()  # figures alone
    researcher.get("studies/whole/verdicts/", summary=first.pk)
    assert set(MarksSeen.objects.values_list("user", "summary")) == {(researcher.user.pk, first.pk)}
    researcher.get("studies/whole/annotations/", annotator="nobody")
    assert MarksSeen.objects.filter(user=researcher.user).count() == 2


def test_the_report_is_that_of_the_command(researcher):
    out = io.StringIO()
    call_command("report", "whole", stdout=out)
    assert researcher.get("studies/whole/report/") == json.loads(out.getvalue())
    out = io.StringIO()
    call_command("report", "whole", "--epsilon", "0.1", "--difference", "0.05", stdout=out)
    assert researcher.get("studies/whole/report/", epsilon=0.1, difference=0.05) == json.loads(out.getvalue())
    for query in ({"epsilon": 1}, {"epsilon": "nan"}, {"difference": 0}, {"difference": 2}, {"other": 1}):
        researcher.get("studies/whole/report/", status=400, **query)


@pytest.mark.django_db(transaction=True)  # progress is written through a connection of its own
def test_a_file_is_asked_for_waited_for_and_downloaded(researcher, monkeypatch):
    woken = []
    monkeypatch.setattr(export_jobs, "wake", woken.append)
    export = researcher.post("studies/whole/exports/", status=202, format="jsonl")
    assert (export["state"], export["outdated"]) == ("queued", False)
    assert researcher.post("studies/whole/exports/", status=202, format="jsonl")["id"] == export["id"]
    path = f"studies/whole/exports/{export['id']}/"
    assert "not ready" in researcher.get(f"{path}file/", status=409)["detail"]
    make_export(*woken)
    assert researcher.get(path)["state"] == "done"
    answer = researcher.get(f"{path}file/")
    content = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="whole.jsonl"'
    assert len(content) == researcher.get(path)["size"] == int(answer["Content-Length"])
    assert json.loads(content.partition(b"\n")[0])["record"] == "header"
    researcher.get(path.replace("whole", "other"), status=404)
    researcher.post("studies/whole/exports/", status=400, format="pdf")
    study = StudyExport.objects.get().study
    leaver = Annotator.objects.get(pseudonym="P-CCC444")
    Withdrawal.objects.create(study=study, annotator=leaver, by_themselves=True)
    assert researcher.get("studies/whole/exports/")["results"][0]["outdated"] is True
    assert "withdrew" in researcher.get(f"{path}file/", status=409)["detail"]


def test_summaries_and_figures_of_others_are_taken_in(researcher):
    def rows(text, name):
        return SimpleUploadedFile(name, text.encode())

    data = json.dumps({"The Mill": "Emma left. Rolf stayed.", "The Ford": "Ada swam."})
    taken = researcher.upload("imports/summaries/", status=200, file=rows(data, "x.json"), system="theirs")
    assert [each["new"] for each in taken["summaries"]] == [True, True]
    assert taken["books"] == 1
    again = researcher.upload("imports/summaries/", status=200, file=rows(data, "x.json"), system="theirs")
    assert [each["new"] for each in again["summaries"]] == [False, False]
    assert System.objects.get(name="theirs").summaries.count() == 2
    figures = "book,system,name,value\nThe Mill,tiny-2048-hier,SUPERT,0.5\n"
    counts = researcher.upload("imports/metrics/", status=200, file=rows(figures, "x.csv"))
    assert counts == {"new": 1, "changed": 0, "unchanged": 0}
    values = researcher.get("studies/whole/metrics/")["results"]
    assert {each["name"]: each["value"] for each in values} == {"BLANC": 0.125, "SUPERT": 0.5}
    assert researcher.get("studies/whole/metrics/", name="BLANC")["count"] == 1


@pytest.mark.parametrize(
    ("path", "name", "content", "fields", "status"),
    [
        ("imports/summaries/", "x.json", b"[", {"system": "theirs"}, 400),
        ("imports/summaries/", "x.pdf", b"{}", {"system": "theirs"}, 400),
        ("imports/summaries/", "x.json", b'{"The Mill": "A."}', {"system": "tiny-2048-hier"}, 400),
        ("imports/summaries/", "x.json", b'{"The Mill": "A."}', {"system": "theirs", "study": "nothing"}, 404),
        ("imports/summaries/", "x.json", b'{"The Mill": "A."}', {"system": "theirs", "study": "whole"}, 400),
        ("imports/summaries/", "x.json", b'{"The Mill": "A."}', {}, 400),
        ("imports/metrics/", "x.csv", b"book,system,name,value\nThe Mill,tiny-2048-hier,X,nan\n", {}, 400),
        ("imports/metrics/", "x.csv", b"\xff\xfe\x00", {}, 400),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_words_and_nothing_is_stored(
    researcher, path, name, content, fields, status
):
    refused = researcher.upload(path, status=status, file=SimpleUploadedFile(name, content), **fields)
    assert set(refused) == {"detail", "code"}
    assert not System.objects.filter(name="theirs").exists()
    assert MetricValue.objects.count() == 1
