"""Two summaries of one book that one person annotates come in a stored order that is balanced over people."""

from collections import Counter

import pytest
from django.urls import reverse

from annotation.models import Assignment
from annotation.services.marks import annotation_set_of, reopen_annotation_set, submit_annotation_set
from annotation.services.studies import add_member, add_summaries, create_study, open_annotating
from annotation.sides import Reading, balanced_order
from tests.factories import make_annotator, make_pair, make_user

pytestmark = pytest.mark.django_db


def firsts(order):
    """How often each system comes first among the two summaries of a book that a person has."""
    groups = {}
    for each in order:
        groups.setdefault((each.person, each.book), []).append(each.system)
    return Counter(systems[0] for systems in groups.values() if len(systems) == 2)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_each_system_comes_first_as_often_as_the_other(seed):
    tasks = [
        Reading(10 * book + system, person, book, system)
        for book in range(3)
        for person in range(3)
        for system in (1, 2)
    ]
    order = balanced_order(tasks, [], seed=seed)
    assert sorted(order, key=str) == sorted(tasks, key=str)
    assert sorted(firsts(order).values()) == [4, 5]  # of nine


def test_new_tasks_even_out_the_earlier_ones_and_come_after_them():
    earlier = [Reading(1, 7, 1, 1), Reading(2, 7, 1, 2), Reading(4, 8, 2, 2)]
    tasks = [Reading(1, 9, 1, 1), Reading(2, 9, 1, 2), Reading(3, 8, 2, 1)]
    # System 1 was first once; person 8 has system 2 first already, which evens it: the next is by lot, no more than one
    assert balanced_order(tasks[2:], earlier, seed="x") == tasks[2:]
    assert [each.system for each in balanced_order(tasks[:2], earlier[:2], seed="x")] == [2, 1]


@pytest.fixture
def study():
    """Four people who each annotate both summaries of one book."""
    study = create_study(name="both", annotation_overlap=4, review_overlap=0)
    add_summaries(study=study, summaries=make_pair())
    for _ in range(4):
        add_member(study=study, annotator=make_annotator(make_user()))
    open_annotating(study=study)
    return study


def test_half_of_the_people_begin_with_each_summary(study):
    first = study.assignments.filter(order=0)
    assert sorted(Counter(first.values_list("summary", flat=True)).values()) == [2, 2]


def test_the_second_summary_waits_for_the_first(client, study):
    first, second = Assignment.objects.filter(annotator=study.members.first().annotator).order_by("order")
    client.force_login(first.annotator.user)
    address = reverse("annotation:annotate", args=[second.key])
    marks = reverse("annotation-api:marks", args=[second.key])
    assert client.get(address).status_code == 404
    assert "comes first in your list" in client.get(marks).json()["detail"]
    assert "After the other summary of this book" in client.get(reverse("annotation:tasks")).content.decode()
    submit_annotation_set(annotation_set=annotation_set_of(first), nothing_found=True)
    assert client.get(address).status_code == 200
    annotation_set_of(second)  # begun
    reopen_annotation_set(annotation_set=annotation_set_of(first))
    assert client.get(address).status_code == 200
