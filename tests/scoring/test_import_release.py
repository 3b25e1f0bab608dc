"""The import of a small invented release. What each file says stands in `release_folder`."""

import copy
import json
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    ComparisonAnswer,
    ComparisonTally,
    ReviewDecision,
    Span,
    Study,
    Verdict,
)
from summarizer.models import Book, Summary
from summarizer.services.endpoints import endpoint_named
from tests.factories import make_annotate_task, make_annotator, make_judge
from tests.scoring.release_folder import ALPHA, release_contents, write_release

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    return write_release(tmp_path / "release")


def import_release(folder, study="small", absent="published", **options):
    output = StringIO()
    call_command("import_release", str(folder), study=study, absent=absent, stdout=output, **options)
    return json.loads(output.getvalue())


def scores(study="small"):
    """{(system, judge, mode): (score, n)} of the report."""
    output = StringIO()
    call_command("report", study, stdout=output)
    return {
        (system["system"], judge["judge"], judge["mode"]): (judge["score"], judge["n"])
        for system in json.loads(output.getvalue())["systems"]
        for judge in system["judges"]
    }


@pytest.mark.parametrize(
    ("absent", "score", "n"),
    [
        ("published", (0.25 + 1 + 0.5 + 1) / 4, 4),
        ("nothing-found", (0.25 + 1 + 0.5 + 1 + 0.5) / 5, 5),
        ("not-judged", (0.25 + 1 + 0.5 + 0.5) / 4, 4),
    ],
)
def test_what_an_absent_book_means_decides_the_score(folder, absent, score, n):
    import_release(folder, absent=absent)
    assert scores()["alpha-inc", "gpt-4", "sentence"] == (pytest.approx(score), n)


def test_a_list_and_a_file_of_all_sentences_are_scored_by_position(folder):
    import_release(folder)
    found = scores()
    assert found["beta_hier", "gpt-4", "sentence"] == (pytest.approx(1 / 3), 1)
    # Books a and b; c has an unparsed sentence, so it has bounds but no score.
    assert found["gamma-inc", "gpt-4", "batch"] == (pytest.approx(0.5), 2)


def test_both_copies_of_a_repeated_sentence_carry_the_mark_of_a_file_keyed_by_text(folder):
    import_release(folder)
    confused = Verdict.objects.filter(
        sentence__summary__system__name="alpha-inc", sentence__summary__book__source_name="a.epub", state="confused"
    )
    assert list(confused.values_list("sentence__index", flat=True)) == [0, 1, 2]


def test_entries_of_a_list_go_to_the_copies_in_order(folder):
    import_release(folder)
    marks = Annotation.objects.filter(annotation_set__summary__system__name="beta_hier")
    assert list(marks.values_list("verdict__sentence__index", "questions")) == [(0, "Where?"), (2, "Again?")]


def test_a_copy_that_the_file_does_not_list_has_no_verdict(folder):
    import_release(folder)
    verdicts = Verdict.objects.filter(
        sentence__summary__system__name="gamma-inc", sentence__summary__book__source_name="b.epub"
    )
    assert list(verdicts.values_list("sentence__index", "state")) == [(1, "clean"), (2, "confused")]


def test_a_sentence_that_a_file_of_all_lacks_is_unparsed(folder):
    import_release(folder)
    verdict = Verdict.objects.get(state="unparsed")
    assert (verdict.sentence.summary.book.source_name, verdict.sentence.index) == ("c.epub", 1)
    assert "not this one" in verdict.problem


def test_types_without_a_question_count_and_are_flagged(folder):
    import_release(folder)
    mark = Annotation.objects.get(
        annotation_set__summary__system__name="gamma-inc", annotation_set__summary__book__source_name="a.epub"
    )
    assert mark.flags == ["types without a question"]
    assert set(mark.error_types.values_list("key", flat=True)) == {"language", "salience"}


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


def counts():
    models = [model for app in ("summarizer", "annotation") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: model.objects.count() for model in models}


def test_a_second_import_changes_nothing(folder):
    first = import_release(folder)
    before, notes = counts(), Study.objects.get(name="small").import_notes
    second = import_release(folder)
    assert first["created"]["marks"] > 0
    assert set(second["created"].values()) == {0}
    assert counts() == before
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


def test_a_book_without_a_summary_is_noted(folder):
    path = folder / "summaries/gamma-inc.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"d.epub": [], "e.epub": None, "f.epub": " "}))
    notes = json.dumps(import_release(folder)["notes"])
    assert "d.epub has no summary" in notes
    assert "e.epub has no summary" in notes
    assert "f.epub has no summary" in notes


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


def test_judges_are_named_by_model_and_rule(folder):
    import_release(folder)
    judges = Annotator.objects.filter(kind="judge", judged_studies__name="small")
    assert set(judges.values_list("model", "mode", "absent_rule")) == {
        ("gpt-4", "sentence", "published"),
        ("gpt-4", "batch", ""),
    }
