"""Queries that are written once: the same answers as the ordinary ones, with the values of each time."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.db.models import BigAutoField, Exists, F, OuterRef, TextField, UUIDField

from annotation.access import own_annotation_set
from annotation.models import AnnotationSet, Assignment, Study
from annotation.services.marks import annotation_set_of
from annotation.statements import Parameter, Statement
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db


def test_each_run_takes_its_own_values() -> None:
    built = []

    def task_of_key() -> Any:
        built.append(1)
        return Assignment.objects.filter(key=Parameter("key", UUIDField())).values_list("pk", "state")

    statement = Statement(task_of_key)
    tasks = [make_annotate_task("Emma left."), make_annotate_task("Emma left.")]
    assert [statement.row(key=task.key) for task in tasks] == [(task.pk, "open") for task in tasks]
    assert statement.row(key=uuid.uuid4()) is None
    assert len(built) == 1


def test_a_change_reaches_the_rows_of_its_conditions_alone() -> None:
    open_study = Study.objects.filter(pk=OuterRef("study"), phase=Parameter("phase", TextField()))
    statement = Statement(
        lambda: AnnotationSet.objects.filter(Exists(open_study), pk=Parameter("set", BigAutoField())),
        returning="version",
        version=F("version") + 5,
    )
    first, second = (annotation_set_of(make_annotate_task("Emma left.")) for _ in range(2))
    assert statement.row(set=first.pk, phase="annotating") == (5,)
    assert statement.row(set=first.pk, phase="closed") is None
    assert statement.row(set=second.pk + 100, phase="annotating") is None
    assert list(AnnotationSet.objects.order_by("pk").values_list("version", flat=True)) == [5, 0]


def test_values_are_never_part_of_the_text() -> None:
    statement = Statement(lambda: Study.objects.filter(name=Parameter("name", TextField())).values_list("name"))
    hostile = "x' OR '1'='1' -- %s {}"
    make_annotate_task("Emma left.")
    assert statement.row(name=hostile) is None
    Study.objects.update(name=hostile)
    assert statement.row(name=hostile) == (hostile,)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps statements by itself")
def test_postgresql_prepares_what_is_asked_often_and_only_that() -> None:
    task = make_annotate_task("Emma left.")
    person, expected = task.annotator.user, annotation_set_of(task)
    assert person is not None
    for _ in range(5):
        assert own_annotation_set(person, task.key) == expected
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = [text for (text,) in cursor.fetchall() if "pg_prepared_statements" not in text]
    assert prepared
    assert all('FROM "annotation_annotationset"' in text for text in prepared)
