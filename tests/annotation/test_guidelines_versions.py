"""Versions of guidelines: who is told of a change, and under which version an answer was given."""

import uuid

import pytest
from django.urls import reverse

from annotation.guidelines import guidelines_html
from annotation.models import Annotation, AnnotationSet, GuidelinesVersion, ReviewDecision, ReviewItem, Study
from annotation.services.guidelines import change_guidelines
from annotation.services.studies import create_study
from scoring.report.building import build_report
from scoring.report.writing import report_json
from tests.factories import make_annotate_task, make_annotator, make_judge, make_marks, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db

TOLD = "The guidelines changed since you last read them"


@pytest.fixture
def task(client):
    """An open task in a study with version 1 of its guidelines; its person is logged in."""
    assignment = make_annotate_task()
    change_guidelines(study=assignment.study, text="Mark what confuses.", base=0)
    client.force_login(assignment.annotator.user)
    return assignment


def body(response):
    assert response.status_code == 200
    return response.content.decode()


def page(name, assignment):
    return reverse(f"annotation:{name}", args=[assignment.key])


def put_mark(client, assignment, version=None, key=None, base=0, question="Who?"):
    headers = {} if version is None else {"X-Guidelines-Version": str(version)}
    return client.put(
        reverse("annotation-api:mark", args=[assignment.key, key or uuid.uuid4()]),
        {
            "base_version": base,
            "questions": question,
            "error_types": ["language"],
            "spans": [{"start": 0, "end": 4, "quote": "Emma"}],
        },
        content_type="application/json",
        headers=headers,
    )


def test_a_new_study_begins_with_version_1():
    study = create_study(name="pilot", guidelines="Read.")
    assert [(each.number, each.text) for each in study.guidelines_versions.all()] == [(1, "Read.")]
    assert not create_study(name="bare", guidelines="").guidelines_versions.exists()


def test_saving_what_a_form_began_with_makes_no_version(client):
    client.force_login(make_user("researcher", "rosa"))
    sent = {"title": "T", "name": "pilot", "annotation_overlap": 1, "review_overlap": 1}
    client.post(reverse("annotation:study-add"), {**sent, "guidelines": "Read.\r\n\r\nMark.\r\n"})
    study = Study.objects.get(name="pilot")
    sent = {"text": study.guidelines.replace("\n", "\r\n"), "note": "", "base": 1}
    client.post(reverse("annotation:study-guidelines", args=["pilot"]), sent)
    assert [(each.number, each.text) for each in study.guidelines_versions.all()] == [(1, "Read.\n\nMark.\n")]


def test_a_researcher_makes_versions_and_sees_what_changed(client):
    client.force_login(make_user("researcher", "rosa"))
    study = create_study(name="pilot", guidelines="Read it once.")
    address = reverse("annotation:study-guidelines", args=["pilot"])
    sent = {"text": "Read it twice.", "note": "Twice, not once.", "base": 1}
    listed = body(client.post(address, sent, follow=True))
    assert "Version 2 is saved." in listed
    assert "Twice, not once." in listed
    shown = body(client.get(reverse("annotation:study-guidelines-version", args=["pilot", 2])))
    assert "<del>once.</del>" in shown
    assert "<ins>twice.</ins>" in shown
    study.refresh_from_db()
    assert study.guidelines == "Read it twice."
    assert study.guidelines_versions.get(number=2).author.username == "rosa"
    body(client.post(address, sent | {"base": 2}, follow=True))
    assert study.guidelines_versions.count() == 2  # the same text makes no version


def test_who_wrote_from_an_older_version_is_told_and_keeps_the_text(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="pilot", guidelines="One.")
    change_guidelines(study=study, text="Two.", base=1)
    address = reverse("annotation:study-guidelines", args=["pilot"])
    answer = body(client.post(address, {"text": "Mine.", "base": 1}))
    assert "Version 2 was made while you wrote" in answer
    assert "Mine." in answer
    assert 'name="base" value="2"' in answer
    study.refresh_from_db()
    assert study.guidelines == "Two."


def test_guidelines_of_a_closed_study_stay(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="pilot", guidelines="One.")
    Study.objects.update(phase="closed")
    answer = client.post(reverse("annotation:study-guidelines", args=["pilot"]), {"text": "Two.", "base": 1})
    assert answer.status_code == 200
    study.refresh_from_db()
    assert study.guidelines == "One."


def test_a_change_is_told_until_it_is_read_and_never_at_the_first_meeting(client, task):
    assert TOLD not in body(client.get(page("annotate", task)))
    change_guidelines(study=task.study, text="Mark all that confuses.", base=1, note="All of it.")
    for _ in range(2):
        opened = body(client.get(page("annotate", task)))
        assert f"{TOLD}: All of it." in opened
        assert '<meta name="guidelines-version" content="2">' in opened
    read = body(client.get(page("guidelines", task)))
    assert "All of it." in read
    assert "<ins>all that " in read
    assert TOLD not in body(client.get(page("annotate", task)))
    assert "What changed since" not in body(client.get(page("guidelines", task)))


def test_a_mark_has_the_version_that_its_page_showed(client, task):
    change_guidelines(study=task.study, text="Two.", base=1)
    key = uuid.uuid4()
    saved = put_mark(client, task, version=1, key=key).json()
    assert Annotation.objects.get().guidelines.number == 1
    put_mark(client, task, version=2, key=key, base=saved["version"])  # a repeat under another version
    assert Annotation.objects.get().guidelines.number == 1
    put_mark(client, task, version=2, key=key, base=saved["version"], question="Who is she?")
    assert Annotation.objects.get().guidelines.number == 2
    submit = reverse("annotation-api:marks-submit", args=[task.key])
    assert (
        client.post(submit, {}, content_type="application/json", headers={"X-Guidelines-Version": "1"}).status_code
        == 200
    )
    assert AnnotationSet.objects.get().guidelines.number == 1


@pytest.mark.parametrize("named", ["7", "-1", "x", "9" * 40, ""])
def test_a_page_that_names_no_version_of_the_study_counts_as_showing_the_newest(client, task, named):
    change_guidelines(study=task.study, text="Two.", base=1)
    assert put_mark(client, task, version=named).status_code == 201
    assert Annotation.objects.get().guidelines == GuidelinesVersion.objects.get(study=task.study, number=2)


def test_a_decision_has_the_version_that_its_page_showed(client):
    reviewer = make_annotator()
    summary = make_summary()
    task = make_task(reviewer.user, "review", make_study(summary))
    change_guidelines(study=task.study, text="One.", base=0)
    mark = make_marks(summary, make_judge()).annotations.get()
    item = ReviewItem.objects.create(key=uuid.uuid4(), study=task.study, annotation=mark, order=0)
    client.force_login(reviewer.user)
    body(client.get(page("review", task)))
    change_guidelines(study=task.study, text="Two.", base=1)
    client.put(
        reverse("annotation-api:review-decision", args=[task.key, item.key]),
        {"agreement": "agree"},
        content_type="application/json",
        headers={"X-Guidelines-Version": "1"},
    )
    assert ReviewDecision.objects.get().guidelines.number == 1
    assert TOLD in body(client.get(page("review", task)))


def test_the_report_counts_answers_by_version(client, task):
    change_guidelines(study=task.study, text="Two.", base=1, note="New.")
    put_mark(client, task, version=1)
    client.post(reverse("annotation-api:marks-submit", args=[task.key]), {}, content_type="application/json")
    make_marks(task.summary, make_annotator(), study=task.study)  # from before versions were recorded
    rows = report_json(build_report(task.study))["guidelines"]
    counts = [(row["version"], row["note"], row["annotation_sets"], row["marks"], row["decisions"]) for row in rows]
    assert counts == [(1, "", 0, 1, 0), (2, "New.", 1, 0, 0), (None, "", 1, 1, 0)]


def test_a_heading_of_the_first_level_stays_a_heading():
    assert "<h2>What this is about</h2>" in guidelines_html("# What this is about\n\nSummaries.")
