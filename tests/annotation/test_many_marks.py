"""Five hundred marks on one summary: what shows or takes them stays right, in as many queries as for five."""

import json
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Annotation, AnnotationSet, ErrorType, ReviewDecision, ReviewItem, Span
from annotation.services.marks import submit_annotation_set
from annotation.services.studies import add_member, open_review
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.annotation.marks_client import Task, mark, span
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SENTENCE = "Emma left the mill before Rolf had packed his bag. "
#: 500 sentences; each mark is on the name at the beginning of its own.
TEXT = SENTENCE * 500
MANY = 500


def fill(task, number):
    """So many marks, each with its number in its question."""
    assignment = task.assignment
    marks, _ = AnnotationSet.objects.get_or_create(
        study=assignment.study, annotator=assignment.annotator, summary=assignment.summary
    )
    salience = ErrorType.objects.get(key="salience")
    made = Annotation.objects.bulk_create(
        Annotation(annotation_set=marks, client_key=uuid.uuid4(), questions=f"Question {index}?")
        for index in range(number)
    )
    starts = [index * len(SENTENCE) for index in range(number)]
    Span.objects.bulk_create(
        Span(annotation=each, start=start, end=start + 4, quote="Emma")
        for each, start in zip(made, starts, strict=True)
    )
    through = Annotation.error_types.through
    through.objects.bulk_create(through(annotation=each, errortype=salience) for each in made)
    return marks


def begin(number):
    task = Task(TEXT)
    task.assignment.study.review_overlap = 1
    task.assignment.study.save()
    return task, fill(task, number)


def queries(act):
    """What the act answers, and how many queries it took."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        answer = act()
    return answer, len(captured)


def test_the_page_and_its_api_have_all_of_them(django_assert_max_num_queries):
    few, many = begin(5)[0], begin(MANY)[0]
    page = reverse("annotation:annotate", args=[many.assignment.key])
    for task in (few, many):
        task.client.get(task.url)  # the first request of a session may write it
    state, of_many = queries(many.state)
    assert [each["questions"] for each in state["annotations"]] == [f"Question {index}?" for index in range(MANY)]
    assert {tuple(span["quote"] for span in each["spans"]) for each in state["annotations"]} == {("Emma",)}
    assert of_many == queries(few.state)[1]
    assert many.client.get(page).content.decode().count("Question 4") == 111  # 4, 40 to 49, 400 to 499


def test_one_more_is_saved_changed_and_deleted_as_among_few():
    taken = []
    for number in (5, MANY):
        task, marks = begin(number)
        key = uuid.uuid4()
        task.put(mark(span(5, 9, "left")))  # writes what is written once
        saved, to_save = queries(lambda task=task, key=key: task.put(mark(span(35, 41, "packed")), key))
        changed, to_change = queries(
            lambda task=task, key=key, saved=saved: task.put(
                mark(span(35, 41, "packed"), base=saved.json()["version"], questions="When?"), key
            )
        )
        gone, to_delete = queries(
            lambda task=task, key=key, changed=changed: task.delete(key, changed.json()["version"])
        )
        assert [saved.status_code, changed.status_code, gone.status_code] == [201, 200, 204]
        assert marks.annotations.count() == number + 1
        taken.append((to_save, to_change, to_delete))
    assert taken[0] == taken[1]


def test_all_are_submitted_and_reviewed_and_each_stands_beside_its_sentence(client):
    task, marks = begin(MANY)
    study = task.assignment.study
    reviewer = make_user()
    add_member(study=study, annotator=annotator_of(reviewer), annotates=False)
    submit_annotation_set(annotation_set=marks)
    open_review(study=study)
    assert ReviewItem.objects.count() == MANY
    client.force_login(reviewer)
    api = reverse("annotation-api:review", args=[study.assignments.get(task="review").key])
    client.get(api)
    answer, number = queries(lambda: client.get(api))
    items = answer.json()["items"]
    assert sorted(item["questions"][0] for item in items) == sorted(f"Question {index}?" for index in range(MANY))
    assert number <= 12
    sent = client.put(f"{api}marks/{items[-1]['key']}/", json.dumps({"agreement": "agree"}), "application/json")
    assert sent.status_code == 200
    assert ReviewDecision.objects.count() == 1


def test_researchers_see_every_mark_and_the_figures_count_every_one(client):
    client.force_login(make_user("researcher"))
    taken = []
    for number in (5, MANY):
        task, marks = begin(number)
        study, summary = task.assignment.study, task.assignment.summary
        submit_annotation_set(annotation_set=marks)
        address = reverse("scoring:summary-marks", args=[study.name, summary.pk])
        client.get(address)
        page, of_page = queries(lambda address=address: client.get(address).content.decode())
        _, of_list = queries(lambda study=study: client.get(reverse("annotation:study", args=[study.name])))
        _, of_dashboard = queries(lambda study=study: client.get(reverse("scoring:dashboard", args=[study.name])))
        taken.append((of_page, of_list, of_dashboard))
        lines = page.split('role="listitem"')[1:]
        assert ["Question" in line for line in lines] == [index < number for index in range(500)]
        assert f"{number} marks" in page
        human = report_json(build_report(study))["systems"][0]["human"]
        assert (human["annotations"], human["published"]) == (number, 1 - number / 500)
    assert taken[0] == taken[1]
