"""To Label Studio and back, and from files as Label Studio writes them."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, AnnotationSet, Annotator, Study
from annotation.services.studies import create_study
from tests.factories import make_annotator, make_marks, make_summary
from tests.scoring.exports.whole_study import SECRETS, whole_study

pytestmark = pytest.mark.django_db


def exported(tmp_path, study="whole"):
    path = tmp_path / "tasks.json"
    call_command("export", study, "--format", "label-studio", "--output", str(path), stdout=io.StringIO())
    return json.loads(path.read_text())


def bring_in(tmp_path, tasks, study="study"):
    path = tmp_path / "in.json"
    path.write_text(json.dumps(tasks))
    output = io.StringIO()
    call_command("import_label_studio", str(path), "--study", study, stdout=output)
    return json.loads(output.getvalue())


@pytest.fixture
def study():
    study = create_study(name="study")
    study.summaries.add(make_summary("💩This is an annotation. Rolf stayed."))
    return study


def task(*annotations, text="💩This is an annotation. Rolf stayed."):
    return {"id": 7, "data": {"text": text}, "annotations": list(annotations)}


def annotation(*result, by=3, **more):
    return {"completed_by": by, "result": list(result), "lead_time": 12.6, **more}


def region(start, end, text, labels=("Salience",), name="a"):
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def question(text, name="a"):
    value = {"start": 0, "end": 1, "text": [text]}
    return {"id": name, "from_name": "question", "to_name": "text", "type": "textarea", "value": value}


def test_a_task_for_each_summary_with_offsets_in_code_points(tmp_path):
    whole_study()
    tasks = exported(tmp_path)
    assert [each["data"]["system"] for each in tasks] == ["=other", "tiny-2048-hier"]
    other, first = tasks
    assert [(each["was_cancelled"], each["result"]) for each in other["annotations"]] == [(False, []), (True, [])]
    (annotations,) = first["annotations"]
    assert annotations["annotator"] == "P-AAA222"
    labels = [each for each in annotations["result"] if each["type"] == "labels"]
    assert labels[0]["value"] == {
        "start": 5,
        "end": 6,
        "text": "😀",
        "labels": ["salience", "language"],
    }
    assert [each["type"] for each in annotations["result"]] == [
        "labels",
        "textarea",
        "labels",
        "textarea",
        "labels",
        "relation",
    ]
    (prediction,) = first["predictions"]
    assert prediction["model_version"] == "tiny judge"
    assert prediction["result"][0]["value"]["text"] == first["data"]["text"][0:12]
    words = json.dumps(tasks)
    assert not any(secret in words for secret in SECRETS)


def test_our_own_export_comes_back_and_a_second_time_changes_nothing(tmp_path):
    whole_study()
    tasks = exported(tmp_path)
    assert bring_in(tmp_path, tasks, "whole")["unchanged"] == 3
    copy = create_study(name="study")
    copy.summaries.set(Study.objects.get(name="whole").summaries.all())
    Annotator.objects.update(user=None)
    found = bring_in(tmp_path, tasks)
    assert (found["people"], found["sets"], found["marks"]) == (0, 3, 2)
    assert exported(tmp_path, "study")[1]["annotations"][0]["result"][0]["value"]["start"] == 5
    assert bring_in(tmp_path, tasks)["sets"] == 0


@pytest.mark.parametrize(("start", "end"), [(12, 22), (13, 23)], ids=["code points", "UTF-16, as before 2022"])
def test_a_file_of_label_studio_becomes_marks_by_pseudonym(tmp_path, study, start, end):
    found = bring_in(tmp_path, [task(annotation(region(start, end, "annotation"), question("Which?")))])
    assert (found["people"], found["sets"], found["marks"]) == (1, 1, 1)
    marks = AnnotationSet.objects.get()
    assert (marks.annotator.pseudonym, marks.state, marks.active_seconds) == ("Label Studio 3", "submitted", 13)
    mark = marks.annotations.get()
    assert (mark.questions, [each.key for each in mark.error_types.all()]) == ("Which?", ["salience"])
    assert [(span.start, span.end, span.quote) for span in mark.spans.all()] == [(12, 22, "annotation")]


def test_carriage_returns_of_their_text_are_counted_out(tmp_path):
    study = create_study(name="study")
    study.summaries.add(make_summary("One.\nTwo."))
    bring_in(tmp_path, [task(annotation(region(6, 10, "Two.")), text="One.\r\nTwo.")])
    assert [(s.start, s.end, s.quote) for s in Annotation.objects.get().spans.all()] == [(5, 9, "Two.")]


def test_mail_addresses_are_not_stored_and_tell_people_apart(tmp_path, study):
    bring_in(tmp_path, [task(annotation(by={"email": "ann@example.org"}), annotation(by="bob@example.org"))])
    names = set(Annotator.objects.values_list("pseudonym", flat=True))
    assert len(names) == 2
    assert not any("example" in name or "ann" in name for name in names)


def test_cancelled_is_skipped_and_nothing_marked_is_submitted(tmp_path, study):
    bring_in(tmp_path, [task(annotation(by=1), annotation(by=2, was_cancelled=True))])
    states = AnnotationSet.objects.order_by("annotator__pseudonym").values_list("state", flat=True)
    assert list(states) == ["submitted", "skipped"]


def test_two_regions_in_a_relation_are_one_mark(tmp_path, study):
    result = (
        region(0, 1, "💩", ["Unknown kind"], "a"),
        region(24, 28, "Rolf", ["language"], "b"),
        {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
    )
    bring_in(tmp_path, [task(annotation(*result))])
    mark = Annotation.objects.get()
    assert [span.quote for span in mark.spans.all()] == ["💩", "Rolf"]
    assert mark.flags == ["unknown error type: Unknown kind"]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (task(text="Another text"), "Task 7: no summary of the study study has this text"),
        (task(annotation(region(12, 22, "annotatiom"))), "Task 7, region a: its text “annotatiom” does not stand"),
        (task(annotation(region(12, 99, "annotation"))), "does not stand at 12 to 99"),
        (task(annotation(region(5, 5, ""))), "start and end must be whole numbers in order"),
        (task(annotation(by=None)), "does not say who made it"),
        (task(annotation({"type": "relation", "from_id": "a", "to_id": "b"})), "names a region that is not there"),
        ({"id": 7, "text": "flat"}, "Task 7: it has no data.text."),
    ],
)
def test_what_does_not_fit_is_refused_whole(tmp_path, study, broken, message):
    good = task(annotation(region(12, 22, "annotation"), by=8))
    with pytest.raises(CommandError) as error:
        bring_in(tmp_path, [good, broken])
    assert message in str(error.value)
    assert AnnotationSet.objects.count() == 0
    assert Annotator.objects.count() == 0


def test_other_marks_of_the_same_person_or_of_somebody_with_a_login(tmp_path, study):
    bring_in(tmp_path, [task(annotation(region(12, 22, "annotation")))])
    with pytest.raises(CommandError, match="Label Studio 3 has other marks on this summary here already"):
        bring_in(tmp_path, [task(annotation())])
    person = make_annotator()
    with pytest.raises(CommandError, match="is the name of somebody else here"):
        bring_in(tmp_path, [task(annotation(annotator=person.pseudonym))])
    make_marks(study.summaries.get(), person, study=study, spans=[])
    assert bring_in(tmp_path, [task(annotation(annotator=person.pseudonym))])["unchanged"] == 1


def test_a_study_under_review_takes_no_more_marks(tmp_path, study):
    Study.objects.update(phase="reviewing")
    with pytest.raises(CommandError, match="is being reviewed"):
        bring_in(tmp_path, [task()])
