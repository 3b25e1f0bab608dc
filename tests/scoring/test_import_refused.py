"""Releases that can't be imported: said in one line, and nothing is stored."""

import copy
import json

import pytest
from django.core.management import CommandError
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import AnnotationSet, Annotator, Study
from summarizer.models import Book, Summary
from summarizer.services.endpoints import endpoint_named
from tests.factories import make_annotate_task, make_annotator, make_judge
from tests.scoring.importing import import_release
from tests.scoring.release_folder import ALPHA, release_contents, write_release

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("annotations/alpha_inc.json", "{", "can't be read as JSON"),
        ("annotations/alpha_inc.json", '{"a.epub": 3}', "not a list of judgements"),
        ("summaries/delta.json", '{"a.epub": {"summaries_dict": {}}}', "not a summary"),
        (
            "annotations/human_annotations/summary-alpha-inc.json",
            '{"a.epub": {"singles": []}}',
            "not a summary with marks",
        ),
        ("annotations/human_annotations/annotations-alpha-inc.json", '{"a.epub": {}}', "not a summary with decisions"),
        ("annotations/alpha_inc.json", '{"a.epub": {"Rolf stays.": {"questions": [1]}}}', "a text is expected"),
        ("annotations/alpha_inc.json", '{"a.epub": {"Rolf stays.": {"question": "Who?"}}}', "questions"),
        ("annotations/alpha_inc.json", '{"a.epub": {"Rolf stays.": {"types": 3}}}', "not a list of judgements"),
        ("annotations/alpha_inc.json", '{"a.epub": {"\\u0000": null}}', "NUL"),
        ("annotations/alpha_inc.json", '{"a.epub": {"\\ud800": null}}', "surrogates"),
        ("annotations/alpha_inc.json", "[" * 100_000, "can't be read as JSON"),
        ("summaries/delta.json", '{"a.epub": {"final_summary": "A.", "summaries_dict": {"x": []}}}', "not a summary"),
        ("summaries/delta.json", '{"a.epub": {"final_summary": "A.", "summaries_dict": {"0": [3]}}}', "not a summary"),
        (
            "annotations/human_annotations/summary-alpha-inc.json",
            '{"a.epub": {"summary": "", "singles": [{"span": null}]}}',
            "a text is expected",
        ),
        ("annotations/human_annotations/qualitative_comparison/pilot/annotator1.json", "[{}]", "not an export"),
        (
            "annotations/human_annotations/qualitative_comparison/pilot/annotator1-counts.json",
            '{"Preference": {"inc": null}}',
            "whole numbers",
        ),
        (
            "annotations/human_annotations/qualitative_comparison/pilot/annotator1-counts.json",
            '{"Contradiction": 3}',
            "fits 0 pairs",
        ),
    ],
)
def test_a_bad_file_is_named_and_nothing_is_stored(folder, name, content, message):
    (folder / name).write_text(content)
    with pytest.raises(CommandError, match=message) as raised:
        import_release(folder)
    assert name.rsplit("/", 1)[-1] in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not Study.objects.exists()
    assert not Summary.objects.exists()


@given(data=st.data())
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_whatever_stands_in_a_file_is_taken_or_refused_in_one_line(tmp_path, data):
    """One value anywhere in the release is another one, or is gone."""
    files = copy.deepcopy(release_contents())
    name = data.draw(st.sampled_from(sorted(name for name, content in files.items() if content)))
    where = data.draw(st.sampled_from(list(places(files[name]))))
    value = data.draw(st.sampled_from([None, 5, -1, True, "", [], {}, "x", ["x"], {"a": {"b": []}}, "\0", "\ud800"]))
    *way, last = where
    target = files[name]
    for step in way:
        target = target[step]
    if data.draw(st.booleans()):
        target[last] = value
    else:
        del target[last]
    message = ""
    with transaction.atomic():
        try:
            import_release(write_release(tmp_path, files))
            transaction.set_rollback(True)
        except CommandError as error:
            message = str(error)
    assert "\n" not in message
    assert len(message) < 700
    assert (Study.objects.count(), Book.objects.count()) == (0, 0)


def places(value):
    """The ways to all values inside of a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield (key,)
        yield from ((key, *way) for way in places(inner))


def test_a_folder_without_a_release_is_refused(tmp_path):
    with pytest.raises(CommandError, match="holds no summaries"):
        import_release(tmp_path)
    with pytest.raises(CommandError, match="There is no folder"):
        import_release(tmp_path / "nowhere")


def test_another_text_for_a_stored_summary_is_refused(folder):
    import_release(folder)
    path = folder / "summaries/alpha-inc-cleaned.json"
    path.write_text(json.dumps(ALPHA | {"b.epub": "Mia hums."}))
    with pytest.raises(CommandError, match=r"already another summary of b\.epub by alpha-inc"):
        import_release(folder, study="other")
    assert not Study.objects.filter(name="other").exists()


def test_a_study_with_work_of_its_own_is_left_alone(folder):
    task = make_annotate_task()
    with pytest.raises(CommandError, match="work of its own"):
        import_release(folder, study=task.study.name)


@pytest.mark.parametrize(
    "name", ["release annotators", "release reviewers", "gpt-4 (release, sentence by sentence, absent: published)"]
)
@pytest.mark.parametrize("kind", ["person", "judge"])
def test_a_name_that_somebody_here_has_is_not_taken_over(folder, name, kind):
    theirs = make_annotator() if kind == "person" else make_judge()
    Annotator.objects.filter(pk=theirs.pk).update(
        pseudonym=name, endpoint=None if kind == "person" else endpoint_named("rules")
    )
    with pytest.raises(CommandError, match="is the name of somebody else here"):
        import_release(folder)
    assert not AnnotationSet.objects.exists()
