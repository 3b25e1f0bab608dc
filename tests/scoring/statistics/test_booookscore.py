"""Scores worked out by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.booookscore import (
    NO_SENTENCES,
    NOT_ALL_PARSED,
    SentenceGrid,
    judge_score,
    mean_score,
    published_score,
    sentence_score,
    unit_score,
)

#        0         1         2
#        0123456789012345678901234
TEXT = "Emma left. Rolf stayed.  Mia."
SENTENCES = [(0, 10), (11, 23), (25, 29)]


@pytest.mark.parametrize(
    ("span", "touched"),
    [
        ((0, 10), [0]),
        ((5, 9), [0]),
        ((9, 12), [0, 1]),
        ((0, 29), [0, 1, 2]),
        ((10, 11), []),  # the space between two sentences
        ((23, 26), [2]),
        ((10, 25), [1]),
    ],
)
def test_a_span_touches_the_sentences_it_shares_a_character_with(span, touched):
    assert list(SentenceGrid(SENTENCES).touched(span)) == touched


def test_published_rule_counts_marks_and_sentence_rule_counts_sentences():
    # Ten sentences; two single marks in sentence 0 and a relation between sentences 3 and 7.
    assert published_score(3, 10).value == pytest.approx(0.7)
    assert sentence_score({0, 3, 7}, 10).value == pytest.approx(0.7)
    # A third mark in sentence 0 changes only the published score.
    assert published_score(4, 10).value == pytest.approx(0.6)


def test_published_rule_can_fall_below_zero():
    assert published_score(3, 2).value == pytest.approx(-0.5)


def test_unit_rule_merges_above_and_below_the_line():
    # Ten sentences, one mark over sentences 1 to 3, one relation between 5 and 8: 10 - 2 - 1 = 7 units, 2 confused.
    assert unit_score([[1, 2, 3], [5, 8]], 10).value == pytest.approx(1 - 2 / 7)


def test_marks_that_share_a_sentence_join_their_units():
    # 1-2 and 2-3 are one unit of three sentences: of 4 units one is confused.
    assert unit_score([[1, 2], [2, 3]], 6).value == pytest.approx(3 / 4)


def test_two_marks_in_one_sentence_are_one_confused_unit():
    assert unit_score([[0], [0]], 2).value == pytest.approx(0.5)


def test_repeated_sentences_count_by_position():
    # "A. B. A. C." with verdicts clean, confused, confused, clean; keyed by text it would be 1 - 2/3.
    assert judge_score(sentences=4, confused=2, unparsed=0).score.value == pytest.approx(0.5)


def test_unparsed_is_never_clean():
    score = judge_score(sentences=5, confused=1, unparsed=1)
    assert score.score.value is None
    assert score.score.reason == NOT_ALL_PARSED
    assert (score.low, score.high, score.coverage) == (pytest.approx(0.6), pytest.approx(0.8), pytest.approx(0.8))


def test_a_system_has_the_mean_of_its_scored_summaries_not_a_pooled_one():
    summaries = [
        judge_score(sentences=2, confused=1, unparsed=0),  # 0.5
        judge_score(sentences=8, confused=0, unparsed=0),  # 1.0
        judge_score(sentences=0, confused=0, unparsed=0),  # no sentences
        judge_score(sentences=5, confused=0, unparsed=1),  # not judged to the end
    ]
    assert summaries[2].score.reason == NO_SENTENCES
    assert mean_score(summary.score.value for summary in summaries).value == pytest.approx(0.75)  # pooled: 0.9


def test_nothing_scored_is_undefined():
    assert mean_score([]).value is None
    assert mean_score([None, None]).value is None


@pytest.mark.parametrize("score", [published_score(0, 0), sentence_score(set(), 0), unit_score([], 0)])
def test_an_empty_summary_has_no_score(score):
    assert score.value is None
    assert score.reason == NO_SENTENCES


def test_more_judgements_than_sentences_is_an_error():
    with pytest.raises(ValueError, match="More judgements"):
        judge_score(sentences=1, confused=1, unparsed=1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=8), st.data())
def test_touched_agrees_with_looking_at_every_sentence(lengths, data):
    sentences, at = [], 0
    for length, gap in lengths:
        sentences.append((at, at + length))
        at += length + gap
    start = data.draw(st.integers(0, at))
    end = data.draw(st.integers(start + 1, at + 1))
    expected = [i for i, (a, b) in enumerate(sentences) if a < end and start < b]
    assert list(SentenceGrid(sentences).touched((start, end))) == expected


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3), max_size=5))
def test_unit_rule_without_merging_is_the_sentence_rule(marks):
    single = [[mark[0]] for mark in marks]
    touched = {mark[0] for mark in marks}
    assert unit_score(single, 8).value == pytest.approx(sentence_score(touched, 8).value)
