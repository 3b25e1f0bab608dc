"""Judgements of an imported release, and the scores that they give. What each file says stands in `release_folder`."""

import pytest

from annotation.models import Annotation, Annotator, Verdict
from tests.scoring.importing import import_release, scores

pytestmark = pytest.mark.django_db


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


def test_judges_are_named_by_model_and_rule(folder):
    import_release(folder)
    judges = Annotator.objects.filter(kind="judge", judged_studies__name="small")
    assert set(judges.values_list("model", "mode", "absent_rule")) == {
        ("gpt-4", "sentence", "published"),
        ("gpt-4", "batch", ""),
    }
