"""Lists take as many queries for many rows as for few."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.services.studies import create_study
from scoring.models import MetricValue, StudyExport
from summarizer.models import Job, JobItem, Section
from summarizer.services.endpoints import endpoint_named
from tests.api.clients import program
from tests.factories import make_annotator, make_marks, make_summary
from tests.scoring.exports.whole_study import whole_study

pytestmark = pytest.mark.django_db

LISTS = (
    *(
        "books/",
        "endpoints/",
        "prompt-sets/",
        "systems/",
        "summaries/",
        "jobs/",
        "studies/",
        "studies/whole/summaries/",
    ),
    *("studies/whole/members/", "studies/whole/annotation-sets/", "studies/whole/annotations/"),
    *("studies/whole/verdicts/", "studies/whole/review-decisions/", "studies/whole/comparisons/"),
    *("studies/whole/metrics/", "studies/whole/exports/"),
)


def queries(owner, path):
    with CaptureQueriesContext(
        connection,
    ) as found:
        owner.get(path)
    return len(found)


def add_rows(study, number):
    """More of whatever the lists hold."""
    summary = make_summary()
    study.summaries.add(summary)
    Section.objects.create(book=summary.book, index=0, start=0, end=0)
    person = make_annotator()
    study.members.create(annotator=person)
    make_marks(summary, person, study=study, spans=[[(0, 4)], [(0, 4), (5, 9)]])
    job = Job.objects.create(kind="judge", endpoint=endpoint_named("rules"), parameters={})
    JobItem.objects.create(job=job, index=0, summary=summary)
    MetricValue.objects.create(summary=summary, name="BLANC", value=1)
    StudyExport.objects.create(study=study, form="jsonl")
    create_study(name=f"study-{number}")


def test_the_number_of_queries_does_not_depend_on_the_number_of_rows():
    study, owner = whole_study(), program("researcher")
    add_rows(study, 0)
    for path in LISTS:
        owner.get(path)  # what is made on first use is made, and what is seen is noted
    few = {path: queries(owner, path) for path in LISTS}
    for number in range(1, 5):
        add_rows(study, number)
    for path in LISTS[9:14]:
        owner.get(path)
    assert {path: queries(owner, path) for path in LISTS} == few
    assert max(few.values()) <= 20


def test_so_it_is_for_one_summary_job_and_book():
    study, owner = whole_study(), program("researcher")
    summary = study.summaries.get(system__name="tiny-2048-hier")
    job = Job.objects.get(kind="judge")
    paths = (f"summaries/{summary.pk}/nodes/", f"jobs/{job.pk}/", f"books/{summary.book_id}/")
    few = [queries(owner, path) for path in paths]
    top = summary.nodes.get(kind="merge")
    for number in range(1, 5):
        node = summary.nodes.create(kind="chunk", level=0, index=number, text="x", tokens=1)
        top.sources.add(node)
        JobItem.objects.create(job=job, index=10 + number, summary=make_summary())
        Section.objects.create(book=summary.book, index=10 + number, start=0, end=0)
    assert [queries(owner, path) for path in paths] == few
