"""A study that is reviewed: which marks are in it, in which order, and who gets them."""

import itertools
from collections import Counter

import pytest

from annotation.models import AnnotationSet, ReviewItem
from annotation.selectors.studies import review_gaps
from annotation.services.studies import (
    StudyError,
    add_judge,
    open_annotating,
    open_review,
    remove_judge,
    remove_member,
)
from tests.annotation.staged_studies import (
    ANNOTATE,
    REVIEW,
    annotate_everything,
    finish,
    study_with,
    tasks_of,
)
from tests.factories import make_annotator, make_judge, make_marks

pytestmark = pytest.mark.django_db


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
