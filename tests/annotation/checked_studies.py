"""Studies with attention checks, for the tests of them."""

import uuid

from django.urls import reverse

from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    ErrorType,
    PlantedMark,
)
from annotation.services.known import add_known_text, plant_mark
from annotation.services.marks import annotation_set_of
from annotation.services.studies import (
    add_member,
    add_summaries,
    create_study,
)
from tests.factories import make_annotator, make_summary

#: Three sentences; "She slept" (12 to 21) is a known place, and so is the last sentence.
KNOWN = "Ada waited. [[She slept]] by night. [[He sang to nobody.]]"


def make_checked_study():
    """Two people annotate three summaries, two each, and a third person reviews."""
    study = create_study(name="pilot", title="The pilot", seed=5, annotation_overlap=2)
    add_summaries(study=study, summaries=[make_summary(title=f"Book {number}") for number in (1, 2, 3)])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator(), reviews=False)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    return study


def address(name, study, *arguments):
    return reverse(f"annotation:{name}", args=[study.name, *arguments])


def add_check(study):
    return add_known_text(study=study, title="The Ferry", text=KNOWN)


def check_task(study, annotator):
    return Assignment.all_purposes.get(study=study, annotator=annotator, purpose="check")


def annotators_of(study):
    return [member.annotator for member in study.members.filter(annotates=True).order_by("pk")]


def submit(task, *places):
    """Mark these places of the task's summary and hand it in."""
    annotation_set = annotation_set_of(task)
    AnnotationSet.all_purposes.filter(pk=annotation_set.pk).update(state="submitted", active_seconds=1800)
    for start, end in places:
        mark = Annotation.objects.create(annotation_set=annotation_set, client_key=uuid.uuid4(), questions="Who?")
        mark.error_types.add(ErrorType.objects.first())
        mark.spans.create(start=start, end=end, quote=task.summary.text[start:end])
    Assignment.all_purposes.filter(pk=task.pk).update(state="submitted", ended_at="2026-01-01T00:00Z")


def body(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def plant(study, summary, expected="disagree", place=(0, 4)):
    """Each of these marks asks something else."""
    kind = ErrorType.objects.first()
    question = f"Who is it, of {PlantedMark.objects.count() + 1}?"
    return plant_mark(study=study, summary=summary, place=place, question=question, error_type=kind, expected=expected)
