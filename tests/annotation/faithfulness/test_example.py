"""The example of a task about faithfulness has the study's settings, and is there before the study's test."""

import pytest

from annotation.faithfulness.example import SOURCE, STATEMENTS, SUMMARY, example_hints
from tests.annotation.faithfulness.tested_studies import body, make_tested_study, own_task, page, people_of
from tests.factories import make_coarse_task, make_fine_task, make_summary
from tests.sources import another_summary, checked_summary
from tests.world import make_study, make_task

TEXT = "Emma left the mill."


def shown(client, name, task):
    client.force_login(task.annotator.user)
    return body(client.get(page(name, task)))


def test_hints_are_places_of_the_story():
    quotes = {at: [SOURCE[start:end] for start, end in places] for at, places in example_hints().items()}
    assert quotes["0"][0] == "Nora Vane had kept the lamp at Quill Point for eleven years when the letter came."
    assert list(quotes) == ["0", "1", "2"]
    assert all(each in SUMMARY for each in STATEMENTS)


@pytest.mark.django_db
def test_statements_are_asked_as_in_the_task(client):
    without = shown(client, "example-fine", make_fine_task(checked_summary(TEXT), hints_shown=False))
    assert "hint-label" not in without
    assert "up to “eleven years”" in without
    other = checked_summary(TEXT, "Another story.")
    free = shown(client, "example-fine", make_fine_task(other, evidence_required=False))
    assert "hint-label" in free
    assert "or show where too" in free
    assert TEXT not in without + free


@pytest.mark.django_db
def test_ratings_have_the_scale_of_the_study(client):
    summary = checked_summary(TEXT)
    task = make_coarse_task(summary, another_summary("Nobody left.", summary), scale="0-100")
    for name in ("example-coarse", "example-coarse-together"):
        assert 'type="number"' in shown(client, name, task)
    assert page("example-coarse", task) in shown(client, "coarse", task)


@pytest.mark.django_db
def test_it_is_there_before_the_test_and_for_no_other_kind_of_task(client):
    study = make_tested_study(people=1)
    task = own_task(study, people_of(study)[0])
    assert page("example-fine", task) in shown(client, "begin", task)
    assert STATEMENTS[0] in shown(client, "example-fine", task)
    other = make_task(task.annotator.user, "annotate", make_study(make_summary()))
    assert client.get(page("example-fine", other)).status_code == 404
