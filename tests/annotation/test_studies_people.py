"""Who may not do what, and what happens to the tasks of people who can't work any more."""

from collections import Counter

import pytest
from django.urls import reverse

from annotation.models import AnnotationSet, Assignment, Study
from annotation.services.assignment import fill_tasks
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
    update_study,
)
from booookweb.services.people import deactivate, reactivate
from summarizer.models import Summary, System
from tests.at_once import at_once
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

ANNOTATE, REVIEW = Assignment.Task.ANNOTATE, Assignment.Task.REVIEW


@pytest.fixture
def admin(client):
    user = make_user("admin", "ada")
    client.force_login(user)
    return user


def second_summary_of(book):
    system = System.objects.create(name=f"another for {book.pk}", strategy="imported")
    return Summary.objects.create(book=book, system=system, text="B.", text_sha256="b", tokens=1, splitter="test")


def study_of(summaries, people, **settings):
    study = create_study(name="pilot", seed=5, **settings)
    add_summaries(study=study, summaries=summaries)
    for person in people:
        add_member(study=study, annotator=person)
    return study


def submit_all(study):
    for task in study.assignments.filter(task=ANNOTATE, state="open"):
        make_marks(task.summary, task.annotator, study=study)
        task.state, task.ended_at = "submitted", task.created_at
        task.save()


def holders(study, task=ANNOTATE):
    return study.assignments.filter(task=task).exclude(state="skipped")


def test_nobody_reviews_another_summary_of_a_book_that_they_annotated():
    """One annotates both summaries of the book or the other does: in either case the other one reviews both."""
    first = make_summary(title="The Mill")
    study = study_of([first, second_summary_of(first.book)], [make_annotator(), make_annotator()])
    open_annotating(study=study)
    (annotated_by,) = set(holders(study).values_list("annotator", flat=True))
    submit_all(study)
    open_review(study=study)
    (reviewed_by,) = set(holders(study, REVIEW).values_list("annotator", flat=True))
    assert annotated_by != reviewed_by
    assert holders(study, REVIEW).count() == 2


def test_a_design_without_reviewers_names_the_summary_and_what_to_change(client, admin):
    study = study_of([make_summary(title="The Mill")], [make_annotator(), make_annotator()], annotation_overlap=2)
    page = client.get(reverse("annotation:study", args=["pilot"])).content.decode()
    assert "1 summary has no eligible reviewer: The Mill" in page
    for way_out in ("add people who review", "let fewer people annotate", "lower the number of reviewers per mark"):
        assert way_out in page
    refused = client.post(reverse("annotation:study-open-annotating", args=["pilot"]))
    assert refused.status_code == 409
    study.refresh_from_db()
    assert (study.phase, study.assignments.count()) == ("setup", 0)


def test_more_reviewers_than_there_are_eligible_people_are_refused_while_people_annotate():
    study = study_of([make_summary(title="The Mill")], [make_annotator(), make_annotator()])
    open_annotating(study=study)
    with pytest.raises(StudyError, match="fewer than 2 eligible reviewers: The Mill"):
        update_study(study=study, review_overlap=2)
    study.refresh_from_db()
    assert study.review_overlap == 1


def test_a_closed_account_hands_its_open_tasks_to_others_and_keeps_what_was_submitted(client, admin):
    leaver, stays = make_annotator(), make_annotator()
    study = study_of([make_summary() for _ in range(4)], [leaver, stays], review_overlap=0)
    open_annotating(study=study)
    done = study.assignments.filter(annotator=leaver).first()
    make_marks(done.summary, leaver, study=study)
    Assignment.objects.filter(pk=done.pk).update(state="submitted", ended_at=done.created_at)
    client.post(reverse("person-deactivate", args=[leaver.user_id]))
    assert list(holders(study).filter(annotator=leaver).values_list("pk", "state")) == [(done.pk, "submitted")]
    assert AnnotationSet.objects.get(annotator=leaver).state == "submitted"
    assert Counter(holders(study).values_list("annotator", flat=True)) == {leaver.pk: 1, stays.pk: 3}


def test_a_closed_account_gets_no_tasks_and_an_opened_one_gets_what_nobody_has(admin):
    only = make_annotator()
    study = study_of([make_summary(title="The Mill")], [only], review_overlap=0)
    deactivate(person=only.user, by=admin)
    with pytest.raises(StudyError, match="The Mill"):
        open_annotating(study=study)
    reactivate(person=only.user)
    open_annotating(study=study)
    add_summary_late(study)
    deactivate(person=only.user, by=admin)
    assert not holders(study).exists()
    reactivate(person=only.user)
    assert [task.summary.book.title for task in holders(study)] == ["Late"]


def add_summary_late(study):
    """A task that the person never had, so that it can come back to them."""
    study.summaries.add(make_summary(title="Late"))


def test_the_page_of_an_annotating_study_says_when_its_reviewers_are_gone(client, admin):
    people = [make_annotator(), make_annotator()]
    study = study_of([make_summary(title="The Mill")], people)
    open_annotating(study=study)
    address = reverse("annotation:study", args=["pilot"])
    assert "could not be opened like this" not in client.get(address).content.decode()
    reviewer = study.members.exclude(annotator=holders(study).get().annotator).get().annotator
    deactivate(person=reviewer.user, by=admin)
    page = client.get(address).content.decode()
    assert "could not be opened like this" in page
    assert "1 summary has no eligible reviewer: The Mill" in page


@pytest.mark.django_db(transaction=True)
def test_accounts_closed_and_tasks_asked_for_at_once_give_no_summary_to_more_people_than_asked():
    admin = make_user("admin")
    people = [make_annotator() for _ in range(5)]
    for name in ("one", "two"):
        study = create_study(name=name, annotation_overlap=2, review_overlap=0)
        add_summaries(study=study, summaries=[make_summary() for _ in range(4)])
        for person in people:
            add_member(study=study, annotator=person)
        open_annotating(study=study)
    studies = list(Study.objects.all())
    calls = [
        *(lambda person=person: deactivate(person=person.user, by=admin) for person in people[:2]),
        *(lambda study=study: fill_tasks(study=study, task=ANNOTATE) for study in studies * 2),
    ]
    at_once(calls)
    for study in studies:
        fill_tasks(study=study, task=ANNOTATE)
        held = holders(study)
        assert not held.filter(annotator__in=people[:2]).exists()
        assert list(Counter(held.values_list("summary", flat=True)).values()) == [2, 2, 2, 2]
