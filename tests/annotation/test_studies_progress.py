"""A study's progress: what it asks for, what is done, what nobody may take; and how it is closed."""

from collections import Counter

import pytest

from annotation.models import Study
from annotation.selectors.free_tasks import free_tasks_explained
from annotation.selectors.progress import progress_of
from annotation.selectors.studies import review_gaps, studies_with_counts
from annotation.services.assignment import Filled
from annotation.services.marks import annotation_set_of, skip_annotation_set
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    close_study,
    create_study,
    fill_free_tasks,
    open_annotating,
    open_review,
    remove_member,
)
from tests.annotation.staged_studies import REVIEW, annotate_everything, finish, study_with
from tests.factories import make_annotator, make_marks, make_summary

pytestmark = pytest.mark.django_db


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
