"""A study that is annotated: who gets which task, also when people come, leave and ask at once."""

from collections import Counter

import pytest

from annotation.models import AnnotationSet
from annotation.services.assignment import fill_tasks
from annotation.services.mark_errors import NotEditable
from annotation.services.marks import annotation_set_of, reopen_annotation_set, skip_annotation_set
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    remove_member,
    remove_summaries,
    update_study,
)
from tests.annotation.staged_studies import ANNOTATE, finish, study_with, tasks_of
from tests.at_once import at_once
from tests.factories import make_annotator, make_judge, make_marks, make_summary

pytestmark = pytest.mark.django_db


def test_opening_gives_every_summary_to_as_many_people_as_asked():
    study = study_with(summaries=10, people=5, annotation_overlap=2)
    open_annotating(study=study)
    assert set(Counter(summary for summary, _ in tasks_of(study, ANNOTATE)).values()) == {2}
    assert set(Counter(person for _, person in tasks_of(study, ANNOTATE)).values()) == {4}
    for person in study.members.values_list("annotator", flat=True):
        order = study.assignments.filter(annotator=person).order_by("order").values_list("order", flat=True)
        assert list(order) == [0, 1, 2, 3]


def test_opening_twice_is_refused_and_gives_nothing_twice():
    study = study_with()
    open_annotating(study=study)
    with pytest.raises(StudyError, match="only once"):
        open_annotating(study=study)
    assert len(tasks_of(study, ANNOTATE)) == 3


def test_asking_again_for_tasks_gives_nobody_more():
    study = study_with(summaries=4)
    open_annotating(study=study)
    filled = fill_tasks(study=study, task=ANNOTATE)
    assert (filled.given, filled.free) == (0, 0)
    assert len(tasks_of(study, ANNOTATE)) == 4


def test_summaries_and_overlap_are_fixed_once_people_work():
    study = study_with()
    open_annotating(study=study)
    with pytest.raises(StudyError, match="only while a study is being set up"):
        add_summaries(study=study, summaries=[make_summary()])
    with pytest.raises(StudyError, match="only while a study is being set up"):
        remove_summaries(study=study, summaries=study.summaries.all())
    with pytest.raises(StudyError, match="annotation overlap"):
        update_study(study=study, annotation_overlap=2)
    assert update_study(study=study, title="Better").title == "Better"


def test_the_tasks_of_a_person_who_leaves_go_to_others_and_submitted_work_stays():
    study = study_with(summaries=6, people=3)
    open_annotating(study=study)
    leaver = study.members.first()
    done, *left = study.assignments.filter(annotator=leaver.annotator)
    make_marks(done.summary, leaver.annotator, study=study)
    finish(done)
    draft = make_marks(left[0].summary, leaver.annotator, study=study, state=AnnotationSet.State.DRAFT)
    filled = remove_member(study=study, member=leaver)
    assert (filled.given, filled.free) == (len(left), 0)
    open_by_summary = Counter(summary for summary, _ in tasks_of(study, ANNOTATE))
    assert done.summary_id not in open_by_summary
    assert len(open_by_summary) == 5
    assert leaver.annotator_id not in {person for _, person in tasks_of(study, ANNOTATE)}
    draft.refresh_from_db()
    assert draft.state == AnnotationSet.State.SKIPPED
    assert draft.annotations.count() == 1


def test_who_joins_late_gets_what_is_free():
    study = study_with(summaries=2, people=2)
    open_annotating(study=study)
    task = study.assignments.first()
    task.state, task.ended_at = "skipped", task.created_at
    task.save()
    late = make_annotator()
    add_member(study=study, annotator=late, reviews=False)
    assert (task.summary_id, late.pk) in tasks_of(study, ANNOTATE)


def test_a_task_that_was_given_back_and_given_to_somebody_else_can_not_be_reopened():
    study = study_with(summaries=1, people=3)
    open_annotating(study=study)
    task = study.assignments.get()
    marks = skip_annotation_set(annotation_set=annotation_set_of(task))
    assert reopen_annotation_set(annotation_set=marks).state == "draft"
    skip_annotation_set(annotation_set=marks)
    assert fill_tasks(study=study, task=ANNOTATE).given == 1
    with pytest.raises(NotEditable, match="Somebody else has this summary now"):
        reopen_annotation_set(annotation_set=marks)
    assert len(tasks_of(study, ANNOTATE)) == 1


def test_a_member_who_only_stops_annotating_keeps_reviewing():
    study = study_with(summaries=3, people=3)
    open_annotating(study=study)
    person = study.assignments.first().annotator
    add_member(study=study, annotator=person, annotates=False, reviews=True)
    assert person.pk not in {annotator for _, annotator in tasks_of(study, ANNOTATE)}
    assert study.members.get(annotator=person).reviews


def test_a_judge_is_no_member_and_a_person_no_judge():
    study = create_study(name="pilot")
    with pytest.raises(StudyError, match="is a judge"):
        add_member(study=study, annotator=make_judge())
    with pytest.raises(StudyError, match="is a person"):
        add_judge(study=study, judge=make_annotator())


@pytest.mark.django_db(transaction=True)
def test_two_who_open_at_once_give_no_summary_to_more_people_than_asked():
    study = study_with(summaries=8, people=4)

    def open_it():
        try:
            open_annotating(study=study)
        except StudyError:
            return "refused"
        return "opened"

    outcomes = at_once([open_it] * 2)
    assert sorted(outcomes) == ["opened", "refused"]
    assert set(Counter(summary for summary, _ in tasks_of(study, ANNOTATE)).values()) == {1}


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_for_a_free_place_at_once_get_one_between_them():
    study = study_with(summaries=1, people=4)
    open_annotating(study=study)
    study.assignments.all().delete()
    at_once([lambda: fill_tasks(study=study, task=ANNOTATE)] * 2)
    assert study.assignments.count() == 1
