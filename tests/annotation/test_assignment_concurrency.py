"""People come, leave, give back and take up again at the same moment: no summary has more people than it should."""

from collections import Counter
from contextlib import suppress

import pytest

from annotation.models import AnnotationSet, Assignment, Study, StudyMember
from annotation.services.mark_errors import MarkError
from annotation.services.marks import annotation_set_of, reopen_annotation_set, skip_annotation_set
from annotation.services.studies import (
    add_member,
    add_summaries,
    create_study,
    fill_free_tasks,
    open_annotating,
    remove_member,
)
from tests.at_once import at_once
from tests.factories import make_annotator, make_summary

pytestmark = pytest.mark.django_db(transaction=True)


def back_and_forth(task: Assignment) -> None:
    with suppress(MarkError):  # refused in words: somebody else has it now
        annotation_set = annotation_set_of(task)
        skip_annotation_set(annotation_set=annotation_set)
        reopen_annotation_set(annotation_set=annotation_set)


def test_nobody_gets_in_beyond_the_overlap() -> None:
    study = create_study(name="pilot", annotation_overlap=2, review_overlap=0)
    add_summaries(study=study, summaries=[make_summary() for _ in range(3)])
    people = [make_annotator() for _ in range(3)]
    for person in people:
        add_member(study=study, annotator=person)
    open_annotating(study=study)
    newcomers = [make_annotator() for _ in range(3)]
    leaver = StudyMember.objects.get(annotator=people[0])
    stays = Assignment.objects.filter(annotator__in=people[1:])
    at_once(
        [
            *(lambda person=person: add_member(study=study, annotator=person) for person in newcomers),
            *(lambda task=task: back_and_forth(task) for task in stays),
            lambda: remove_member(study=study, member=leaver),
            *[lambda: fill_free_tasks(study=Study.objects.get(pk=study.pk))] * 2,
        ]
    )
    held = Assignment.objects.exclude(state=Assignment.State.SKIPPED)
    assert set(Counter(held.values_list("summary", flat=True)).values()) <= {1, 2}
    assert not held.filter(annotator=people[0]).exists()
    drafts = AnnotationSet.objects.filter(state=AnnotationSet.State.DRAFT).values_list("annotator", "summary")
    assert set(drafts) <= set(held.values_list("annotator", "summary"))
