"""Marks of people in an imported release, and what reviewers said of them."""

import json

import pytest

from annotation.models import Annotation, AnnotationSet, ReviewDecision, Span
from tests.scoring.importing import import_release, scores

pytestmark = pytest.mark.django_db


def test_marks_of_people_are_placed_at_the_first_occurrence_and_flagged(folder):
    import_release(folder)
    marks = Annotation.objects.filter(
        annotation_set__annotator__pseudonym="release annotators", annotation_set__summary__book__source_name="a.epub"
    )
    placed = [(list(mark.spans.values_list("start", "end", "quote")), mark.flags) for mark in marks]
    assert placed == [
        ([(13, 17, "Rolf")], []),
        ([(0, 12, "Emma leaves.")], ["span occurs 2 times"]),
        ([(0, 4, "Emma")], ["span occurs 2 times"]),
        ([(38, 48, "Snow falls"), (13, 23, "Rolf stays")], []),
    ]


def test_a_relation_of_a_span_with_itself_is_kept_and_flagged(folder):
    import_release(folder)
    mark = Annotation.objects.get(
        annotation_set__annotator__pseudonym="release annotators", annotation_set__summary__book__source_name="c.epub"
    )
    assert mark.spans.count() == 2
    assert mark.flags == ["both spans are the same"]


def test_queued_marks_wait_for_a_place_by_hand_and_count_meanwhile(folder):
    import_release(folder, ambiguous="queue")
    waiting = [mark for mark in Annotation.objects.all() if "place by hand" in mark.flags]
    assert [mark.questions for mark in waiting] == ["Why?", "Who is she?"]


def test_marks_on_another_version_of_the_text_stand_at_the_same_words(folder):
    path = folder / "annotations/human_annotations/summary-alpha-inc.json"
    content = json.loads(path.read_text())
    # The stored summary: "Mia sings. Ice holds."
    content["b.epub"] = {
        "summary": "Mia sings loudly, says the excerpt. Ice holds.",
        "singles": [
            {"id": "1", "span": "Mia sings loudly", "questions": "Why loudly?", "labels": []},
            {"id": "2", "span": "says the excerpt", "questions": "What excerpt?", "labels": ["language"]},
        ],
        "relations": [],
    }
    path.write_text(json.dumps(content))
    result = import_release(folder)
    marks = Annotation.objects.filter(
        annotation_set__annotator__pseudonym="release annotators", annotation_set__summary__book__source_name="b.epub"
    )
    # "sings." is not "sings": of the first quote only "Mia" is left; of the second nothing, so the word before it.
    assert [(mark.spans.get().quote, mark.flags) for mark in marks] == [
        ("Mia", ["another version of the summary was marked"]),
        ("Mia", ["another version of the summary was marked"]),
    ]
    assert "The marked text differs" in json.dumps(result["notes"])


def test_every_quote_is_the_slice_of_its_summary(folder):
    import_release(folder)
    for span in Span.objects.select_related("annotation__annotation_set__summary"):
        assert span.annotation.annotation_set.summary.text[span.start : span.end] == span.quote


def test_looked_and_found_nothing_is_a_submitted_empty_set(folder):
    import_release(folder)
    empty = AnnotationSet.objects.get(annotator__pseudonym="release annotators", summary__book__source_name="b.epub")
    assert empty.state == "submitted"
    assert not empty.annotations.exists()


def test_an_unmatched_reviewed_mark_has_its_decision_and_changes_no_score(folder):
    import_release(folder)
    decisions = ReviewDecision.objects.order_by("item__order")
    assert list(decisions.values_list("agreement", "reasons")) == [
        ("agree", []),
        ("partial", ["answered"]),
        ("disagree", []),
        ("agree", []),
    ]
    sets = [decision.item.annotation.annotation_set.state for decision in decisions]
    assert sets == ["submitted", "skipped", "submitted", "skipped"]
    assert scores()["alpha-inc", "gpt-4", "sentence"][1] == 4
