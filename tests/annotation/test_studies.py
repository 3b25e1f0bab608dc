"""A study through its phases: what each needs, what it refuses, who gets which task."""

import itertools
import threading
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import AnnotationSet, Assignment, ReviewItem, Study
from annotation.selectors.free_tasks import free_tasks_explained
from annotation.selectors.progress import progress_of
from annotation.selectors.studies import annotating_problems, review_gaps, studies_with_counts
from annotation.services.assignment import Filled, fill_tasks
from annotation.services.mark_errors import NotEditable
from annotation.services.marks import annotation_set_of, reopen_annotation_set, skip_annotation_set
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    close_study,
    create_study,
    fill_free_tasks,
    open_annotating,
    open_review,
    remove_judge,
    remove_member,
    remove_summaries,
    update_study,
)
from tests.factories import make_annotator, make_judge, make_marks, make_summary

pytestmark = pytest.mark.django_db

ANNOTATE, REVIEW = Assignment.Task.ANNOTATE, Assignment.Task.REVIEW


def study_with(*, summaries=3, people=3, **settings):
    study = create_study(name="pilot", seed=5, **settings)
    add_summaries(study=study, summaries=[make_summary(title=f"Book {number}") for number in range(summaries)])
    for _ in range(people):
        add_member(study=study, annotator=make_annotator())
    return study


def annotate_everything(study):
    for task in study.assignments.filter(task=ANNOTATE, state="open"):
        make_marks(task.summary, task.annotator, study=study)
        finish(task)


def finish(task):
    task.state, task.ended_at = "submitted", task.created_at
    task.save()


def tasks_of(study, task):
    return list(study.assignments.filter(task=task, state="open").values_list("summary", "annotator"))


# --- making one -----------------------------------------------------------------------------------------------------


def test_the_command_makes_a_study_with_error_types_and_guidelines(capsys):
    call_command("create_study", "pilot", title="The pilot")
    assert capsys.readouterr().out.strip() == '{"study": "pilot"}'
    study = Study.objects.get(name="pilot")
    assert (study.title, study.phase) == ("The pilot", "setup")
    assert "What to mark" in study.guidelines


@pytest.mark.parametrize("name", ["a b", "", "new", "ä/ö"])
def test_a_name_that_is_no_slug_is_refused_with_one_line(name):
    with pytest.raises(CommandError) as refused:
        call_command("create_study", name)
    assert "\n" not in str(refused.value)
    assert not Study.objects.exists()


def test_a_taken_name_is_refused():
    create_study(name="pilot")
    with pytest.raises(StudyError, match="already a study named"):
        create_study(name="pilot")


# --- setting up -----------------------------------------------------------------------------------------------------


def test_an_empty_study_says_what_is_missing_first():
    study = create_study(name="pilot")
    assert annotating_problems(study) == ["The study has no summaries yet. Choose some."]
    add_summaries(study=study, summaries=[make_summary()])
    assert annotating_problems(study) == ["Nobody annotates yet. Add people who do."]


def test_a_study_whose_people_must_all_annotate_says_that_nobody_can_review():
    study = study_with(summaries=2, people=2, annotation_overlap=2)
    (problem,) = annotating_problems(study)
    assert problem.startswith("2 summaries have no eligible reviewer: Book 0 (system")
    with pytest.raises(StudyError, match="2 summaries have no eligible reviewer"):
        open_annotating(study=study)
    assert not study.assignments.exists()
    study.refresh_from_db()
    assert study.phase == "setup"


def test_a_reviewer_who_annotated_the_book_in_another_study_is_not_eligible():
    study = study_with(summaries=1, people=1)
    reader = make_annotator()
    add_member(study=study, annotator=reader, annotates=False)
    assert annotating_problems(study) == []
    other = create_study(name="other")
    make_marks(make_summary_of_same_book(study), reader, study=other, state=AnnotationSet.State.DRAFT)
    (problem,) = annotating_problems(study)
    assert problem.startswith("1 summary has no eligible reviewer")


def make_summary_of_same_book(study):
    summary = make_summary()
    summary.book = study.summaries.first().book
    summary.save()
    return summary


def test_a_study_without_review_needs_no_reviewers():
    study = study_with(summaries=2, people=1, review_overlap=0)
    open_annotating(study=study)
    assert len(tasks_of(study, ANNOTATE)) == 2
    with pytest.raises(StudyError, match="without a review"):
        open_review(study=study)


def test_many_short_summaries_are_counted_after_the_first_five():
    study = study_with(summaries=7, people=1)
    assert "and 2 more. Nobody reviews" in annotating_problems(study)[0]


# --- annotating -----------------------------------------------------------------------------------------------------


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
    start, outcomes = threading.Barrier(2), []

    def open_it():
        start.wait()
        try:
            open_annotating(study=study)
            outcomes.append("opened")
        except StudyError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=open_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["opened", "refused"]
    assert set(Counter(summary for summary, _ in tasks_of(study, ANNOTATE)).values()) == {1}


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_for_a_free_place_at_once_get_one_between_them():
    study = study_with(summaries=1, people=4)
    open_annotating(study=study)
    study.assignments.all().delete()
    start = threading.Barrier(2)

    def ask():
        start.wait()
        fill_tasks(study=study, task=ANNOTATE)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.assignments.count() == 1


# --- reviewing ------------------------------------------------------------------------------------------------------


def test_the_review_holds_all_submitted_marks_of_people_and_of_the_studys_judges():
    study = study_with(summaries=3, people=3)
    judge, stranger = make_judge(), make_judge()
    add_judge(study=study, judge=judge)
    for summary in study.summaries.all():
        make_marks(summary, judge, spans=[[(0, 10)], [(12, 23)]])
        make_marks(summary, stranger)
    open_annotating(study=study)
    annotate_everything(study)
    make_marks(study.summaries.first(), make_annotator(), study=study, state=AnnotationSet.State.DRAFT)
    open_review(study=study)
    sources = Counter(study.review_items.values_list("annotation__annotation_set__annotator__kind", flat=True))
    assert sources == {"judge": 6, "person": 3}
    assert not study.review_items.filter(annotation__annotation_set__annotator=stranger).exists()


def test_the_order_is_stored_random_and_mixes_the_sources():
    study = study_with(summaries=30, people=3)
    judge = make_judge()
    add_judge(study=study, judge=judge)
    for summary in study.summaries.all():
        make_marks(summary, judge)
    open_annotating(study=study)
    annotate_everything(study)
    open_review(study=study)
    order = list(study.review_items.order_by("order").values_list("order", "annotation", "key"))
    assert [position for position, _, _ in order] == list(range(60))
    marks = [mark for _, mark, _ in order]
    assert marks != sorted(marks)
    kinds = list(
        study.review_items.order_by("order").values_list("annotation__annotation_set__annotator__kind", flat=True)
    )
    changes = sum(one != other for one, other in itertools.pairwise(kinds))
    assert changes > 15  # 29.5 expected of a fair shuffle; 1 if one source came first
    assert len({key for _, _, key in order}) == 60
    assert {key.version for _, _, key in order} == {4}


def test_nobody_reviews_a_book_that_they_annotated_and_every_mark_gets_its_reviewers():
    study = study_with(summaries=12, people=4, review_overlap=2)
    open_annotating(study=study)
    annotate_everything(study)
    open_review(study=study)
    annotated = {
        (summary, person)
        for summary, person in study.assignments.filter(task=ANNOTATE).values_list("summary", "annotator")
    }
    reviews = tasks_of(study, REVIEW)
    assert not annotated & set(reviews)
    assert set(Counter(summary for summary, _ in reviews).values()) == {2}
    assert set(Counter(person for _, person in reviews).values()) == {6}


def test_summaries_without_marks_make_no_review_task():
    study = study_with(summaries=2, people=2)
    open_annotating(study=study)
    first, second = study.assignments.all()
    make_marks(first.summary, first.annotator, study=study)
    make_marks(second.summary, second.annotator, study=study, spans=[])
    finish(first)
    finish(second)
    open_review(study=study)
    assert [summary for summary, _ in tasks_of(study, REVIEW)] == [first.summary_id]


def test_a_review_without_marks_is_refused():
    study = study_with(summaries=1, people=2)
    open_annotating(study=study)
    with pytest.raises(StudyError, match="no marks to review"):
        open_review(study=study)


def test_unfinished_work_holds_the_review_until_somebody_accepts_the_gap():
    study = study_with(summaries=2, people=2)
    judge = make_judge("the judge")
    add_judge(study=study, judge=judge)
    open_annotating(study=study)
    first, second = study.assignments.all()
    make_marks(first.summary, first.annotator, study=study)
    finish(first)
    study.refresh_from_db()
    assert review_gaps(study) == [
        "1 annotation task is not submitted; opening the review ends it, and its marks are left out.",
        "the judge has no finished result for 2 summaries.",
    ]
    with pytest.raises(StudyError, match="1 annotation task is not submitted"):
        open_review(study=study)
    open_review(study=study, accept_incomplete=True)
    second.refresh_from_db()
    assert second.state == "skipped"
    assert ReviewItem.objects.count() == 1


def test_a_review_that_lost_its_only_reviewer_is_refused_when_opened():
    study = study_with(summaries=1, people=2)
    open_annotating(study=study)
    annotate_everything(study)
    free = study.members.exclude(annotator=study.assignments.get().annotator).get()
    remove_member(study=study, member=free)
    with pytest.raises(StudyError, match="1 summary has no eligible reviewer: Book 0"):
        open_review(study=study)
    study.refresh_from_db()
    assert study.phase == "annotating"
    assert not ReviewItem.objects.exists()


def test_a_judge_whose_marks_are_in_the_review_stays():
    study = study_with(summaries=1, people=2)
    judge, other = make_judge(), make_judge()
    for each in (judge, other):
        add_judge(study=study, judge=each)
    make_marks(study.summaries.get(), judge)
    make_marks(study.summaries.get(), other, spans=[])
    open_annotating(study=study)
    annotate_everything(study)
    open_review(study=study)
    with pytest.raises(StudyError, match="can no longer be taken out"):
        remove_judge(study=study, judge=judge)
    remove_judge(study=study, judge=other)
    assert list(study.judges.all()) == [judge]


# --- closing and progress -------------------------------------------------------------------------------------------


def test_closing_ends_open_tasks_and_keeps_what_was_submitted():
    study = study_with(summaries=2, people=2)
    open_annotating(study=study)
    finish(study.assignments.first())
    close_study(study=study)
    assert Counter(study.assignments.values_list("state", flat=True)) == {"submitted": 1, "skipped": 1}
    assert close_study(study=study).phase == "closed"
    with pytest.raises(StudyError, match="nobody can join"):
        add_member(study=study, annotator=make_annotator())


def test_a_study_that_never_began_can_not_be_closed():
    with pytest.raises(StudyError, match="nothing to close"):
        close_study(study=create_study(name="pilot"))


def test_what_a_study_asks_for_does_not_shrink_when_tasks_are_given_back():
    study = study_with(summaries=4, people=2)
    open_annotating(study=study)
    one, two, *_ = study.assignments.order_by("pk")
    finish(one)
    skip_annotation_set(annotation_set=annotation_set_of(two))
    annotate = progress_of(study).annotate
    assert (annotate.submitted, annotate.open, annotate.free, annotate.total) == (1, 2, 1, 4)
    assert progress_of(study).review.total == 0
    assert sum(each["annotate"].total for each in progress_of(study).people.values()) == 3
    (listed,) = studies_with_counts()
    assert (listed.progress.submitted, listed.progress.total) == (1, 4)


def test_a_review_is_counted_by_marked_summaries_and_reviewers_also_when_somebody_left():
    study = study_with(summaries=2, people=4, review_overlap=2)
    open_annotating(study=study)
    annotate_everything(study)
    open_review(study=study)
    assert progress_of(study).review.total == 4
    reviewer = study.assignments.filter(task=REVIEW).first().annotator
    other = study.members.exclude(annotator=reviewer)
    for member in [study.members.get(annotator=reviewer), *other]:
        remove_member(study=study, member=member)
    review = progress_of(study).review
    assert (review.open, review.free, review.total) == (0, 4, 4)
    close_study(study=study)
    assert progress_of(study).review.total == 4


def test_an_imported_study_has_no_tasks_to_count():
    study = create_study(name="paper")
    summary = make_summary()
    add_summaries(study=study, summaries=[summary])
    make_marks(summary, make_annotator(), study=study)
    Study.objects.update(phase="closed")
    study.refresh_from_db()
    assert progress_of(study).total == 0


@pytest.mark.parametrize("overlap", [1, 2])
def test_a_summary_that_somebody_left_out_is_a_gap_of_the_review(overlap):
    study = study_with(summaries=3, people=4, annotation_overlap=overlap)
    open_annotating(study=study)
    left_out = study.assignments.first()
    skip_annotation_set(annotation_set=annotation_set_of(left_out))
    annotate_everything(study)
    (gap,) = review_gaps(study)
    people = {1: "nobody", 2: "fewer than 2 people"}[overlap]
    assert gap.startswith(f"1 summary has {people} to annotate it: {left_out.summary.book.title} (")
    with pytest.raises(StudyError, match=f"1 summary has {people}"):
        open_review(study=study)
    open_review(study=study, accept_incomplete=True)
    assert study.review_items.count() == 3 * overlap - 1


def test_a_place_that_was_given_to_somebody_else_is_no_gap():
    study = study_with(summaries=3, people=4)
    study = open_annotating(study=study)
    skip_annotation_set(annotation_set=annotation_set_of(study.assignments.first()))
    assert fill_free_tasks(study=study) == Filled(given=1, free=0)
    assert free_tasks_explained(study) == ""
    annotate_everything(study)
    assert review_gaps(study) == []


def test_tasks_that_nobody_may_take_say_why_and_what_to_do():
    study = study_with(summaries=1, people=2)
    study = open_annotating(study=study)
    skip_annotation_set(annotation_set=annotation_set_of(study.assignments.get()))
    assert fill_free_tasks(study=study) == Filled(given=0, free=1)
    name = f"Book 0 ({study.summaries.get().system})"
    assert free_tasks_explained(study) == (
        f"1 task has nobody: {name}. No member may take it (1 person gave it back; 1 person must stay free "
        "to review the marks on the book). Add people who annotate."
    )


def test_review_tasks_that_nobody_may_take_say_why_and_what_to_do():
    study = study_with(summaries=1, people=2)
    open_annotating(study=study)
    annotate_everything(study)
    open_review(study=study)
    reviewer = study.assignments.get(task=REVIEW).annotator
    remove_member(study=study, member=study.members.get(annotator=reviewer))
    study.refresh_from_db()
    name = f"Book 0 ({study.summaries.get().system})"
    assert free_tasks_explained(study) == (
        f"1 task has nobody: {name}. No member may take it (1 person annotated a summary of the book or saw "
        "its marks). "
        "Add people who review."
    )
