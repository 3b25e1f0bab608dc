"""The rows of tasks that were dealt: what each is about, and which place it has in its person's list."""

import pytest

from annotation.models import Assignment, Purpose
from annotation.services.assignment import Given, add_tasks
from annotation.services.studies import create_study
from tests.factories import make_annotator, make_pair, make_round, make_summary

pytestmark = pytest.mark.django_db

ANNOTATE, COMPARE, FINE = Assignment.Task.ANNOTATE, Assignment.Task.COMPARE, Assignment.Task.FINE


def test_new_tasks_go_to_the_end_of_each_persons_list_of_their_kind():
    study = create_study(name="pilot")
    first, second, third = (make_summary().pk for _ in range(3))
    ann, bob = make_annotator(), make_annotator()
    add_tasks(study, ANNOTATE, [Given(first, ann.pk), Given(second, ann.pk, Purpose.CHECK)])
    add_tasks(study, ANNOTATE, [Given(second, bob.pk, Purpose.TRAINING)])
    add_tasks(study, FINE, [Given(third, ann.pk)])
    added = add_tasks(study, ANNOTATE, [Given(first, bob.pk), Given(third, ann.pk), Given(third, bob.pk)])
    assert [(each.annotator, each.summary_id, each.order) for each in added] == [
        (bob, first, 0),  # training has an order of its own
        (ann, third, 2),
        (bob, third, 1),
    ]
    of_ann = Assignment.all_purposes.filter(annotator=ann).order_by("task", "order")
    assert list(of_ann.values_list("task", "summary", "comparison", "order", "purpose")) == [
        ("annotate", first, None, 0, "study"),
        ("annotate", second, None, 1, "check"),
        ("annotate", third, None, 2, "study"),
        ("fine", third, None, 0, "study"),
    ]


def test_a_task_to_compare_is_about_the_comparison():
    asked_in = make_round(make_pair())
    comparison = asked_in.comparisons.get()
    (task,) = add_tasks(asked_in.study, COMPARE, [Given(comparison.pk, make_annotator().pk)])
    task.refresh_from_db()
    assert (task.comparison, task.summary, task.order) == (comparison, None, 0)
    assert (task.state, task.purpose) == ("open", "study")
