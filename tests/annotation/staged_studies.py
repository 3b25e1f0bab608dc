"""Studies brought to a stage, for tests of what comes then."""

from annotation.models import Assignment
from annotation.services.studies import (
    add_member,
    add_summaries,
    create_study,
)
from tests.factories import make_annotator, make_marks, make_summary

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


def make_summary_of_same_book(study):
    summary = make_summary()
    summary.book = study.summaries.first().book
    summary.save()
    return summary
