"""The import of a small invented release: its summaries, its preferences, and what is told of the rest."""

import json

import pytest

from annotation.models import ComparisonAnswer, ComparisonTally, Study
from summarizer.models import Summary
from tests.scoring.importing import import_release

pytestmark = pytest.mark.django_db


def test_answers_name_the_system_and_totals_fill_the_gaps(folder):
    import_release(folder)
    # The compared summaries are stored with the systems in the order of their names: hier, then inc.
    assert dict(ComparisonAnswer.objects.filter(comparison__round="formal").values_list("question", "answer")) == {
        "detail": "second",
        "structure": "draw",
        "logic": "first",
        "preference": "second",
        "contradiction": "no",
        "omission-first": "yes",
        "omission-second": "no",
    }
    pilot = ComparisonTally.objects.filter(round="pilot", question="detail")
    assert set(pilot.values_list("system__name", "answer", "count")) == {
        ("alpha-inc", "", 0),
        ("alpha-hier", "", 1),
        (None, "draw", 0),
    }
    assert not ComparisonTally.objects.filter(round="pilot", question="preference").exists()


def test_intermediate_summaries_are_kept_with_what_they_were_made_from(folder):
    import_release(folder)
    merged = Summary.objects.get(system__name="beta_hier").nodes.get(level=1)
    assert list(merged.sources.values_list("text", flat=True)) == ["Rain came in May.", "Snow fell in June."]
    updated = Summary.objects.get(system__name="gamma-inc", book__source_name="a.epub").nodes.get(index=1)
    assert (updated.kind, [source.text for source in updated.sources.all()]) == ("update", ["It began."])


def test_what_can_not_be_placed_is_reported_and_kept_with_the_study(folder):
    result = import_release(folder)
    text = json.dumps(result["notes"])
    for words in (
        "It hailed.",
        "only after trimming",
        "the-ferryman.epub is a demonstration",
        "oddity",
        "extra/other.json",
        "1 copy without judgement",
        "not among the stored ones",
    ):
        assert words in text
    assert Study.objects.get(name="small").import_notes == result["notes"]


def test_a_book_without_a_summary_is_noted(folder):
    path = folder / "summaries/gamma-inc.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"d.epub": [], "e.epub": None, "f.epub": " "}))
    notes = json.dumps(import_release(folder)["notes"])
    assert "d.epub has no summary" in notes
    assert "e.epub has no summary" in notes
    assert "f.epub has no summary" in notes
