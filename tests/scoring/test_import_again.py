"""A release that is imported again, into another study, or in parts."""

import json

import pytest
from django.core.management import CommandError

from annotation.models import Annotation, Study
from annotation.services.placing import place_mark
from summarizer.models import Summary
from tests.scoring.importing import counts, import_release, scores

pytestmark = pytest.mark.django_db


def test_a_second_import_changes_nothing(folder):
    first = import_release(folder)
    before, notes = counts(), Study.objects.get(name="small").import_notes
    second = import_release(folder)
    assert first["created"]["marks"] > 0
    assert set(second["created"].values()) == {0}
    assert counts() == before
    assert Study.objects.get(name="small").import_notes == notes


def test_a_mark_that_was_placed_by_hand_since_is_the_same_mark(folder):
    import_release(folder, ambiguous="queue")
    notes = Study.objects.get(name="small").import_notes
    mark = next(mark for mark in Annotation.objects.all() if "place by hand" in mark.flags)
    other = mark.annotation_set.summary.text.rindex(mark.spans.get().quote)
    place_mark(study=mark.annotation_set.study, mark=mark.pk, starts=[other], base_version=mark.version)
    assert set(import_release(folder, ambiguous="queue")["created"].values()) == {0}
    assert mark.spans.get().start == other > 0
    assert Study.objects.get(name="small").import_notes == notes


def test_what_an_earlier_import_holds_otherwise_stays_and_is_told(folder):
    first = import_release(folder)
    path = folder / "annotations/alpha_inc.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"b.epub": {"Ice holds.": {"questions": "Where?"}}}))
    path = folder / "annotations/human_annotations/summary-alpha-inc.json"
    marks = json.loads(path.read_text())
    marks["b.epub"]["singles"] = [{"span": "Mia", "questions": "Who?", "labels": []}]
    path.write_text(json.dumps(marks))
    again = import_release(folder)
    assert set(again["created"].values()) == {0}
    told = [note["where"] for note in again["notes"] if "those stay, these are left out" in note["what"]]
    assert told == [
        "annotations/human_annotations/summary-alpha-inc.json, b.epub",
        "annotations/alpha_inc.json, b.epub",
    ]
    assert not [note for note in first["notes"] if "those stay" in note["what"]]


def test_another_study_shares_summaries_but_not_what_absent_means(folder):
    import_release(folder)
    summaries = Summary.objects.count()
    import_release(folder, study="other", absent="nothing-found")
    assert Summary.objects.count() == summaries
    assert scores("small")["alpha-inc", "gpt-4", "sentence"][1] == 4
    assert scores("other")["alpha-inc", "gpt-4", "sentence"][1] == 5


def test_the_answer_to_absent_can_not_change_within_a_study(folder):
    import_release(folder)
    before = counts()
    with pytest.raises(CommandError, match="--absent published"):
        import_release(folder, absent="not-judged")
    assert counts() == before


def test_more_files_can_follow_later(folder):
    (folder / "annotations/human_annotations/summary-alpha-inc.json").rename(folder.parent / "later.json")
    import_release(folder)
    (folder.parent / "later.json").rename(folder / "annotations/human_annotations/summary-alpha-inc.json")
    assert import_release(folder)["created"]["marks"] == 5
