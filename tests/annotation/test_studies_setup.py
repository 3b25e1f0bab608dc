"""A study that is being set up: what it needs, and what it refuses."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AnnotationSet, Study
from annotation.selectors.studies import annotating_problems
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
)
from tests.annotation.staged_studies import ANNOTATE, make_summary_of_same_book, study_with, tasks_of
from tests.factories import make_annotator, make_marks, make_summary

pytestmark = pytest.mark.django_db


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


def test_a_study_without_review_needs_no_reviewers():
    study = study_with(summaries=2, people=1, review_overlap=0)
    open_annotating(study=study)
    assert len(tasks_of(study, ANNOTATE)) == 2
    with pytest.raises(StudyError, match="without a review"):
        open_review(study=study)


def test_many_short_summaries_are_counted_after_the_first_five():
    study = study_with(summaries=7, people=1)
    assert "and 2 more. Nobody reviews" in annotating_problems(study)[0]
