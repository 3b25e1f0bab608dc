"""Snapping marks to their sentences, and what form a mark has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.places import Form, form_of, snapped

#: "Emma left. Rolf stayed.\n\nThe lamp." and a sentence straight after it, without white space.
SENTENCES = [(0, 10), (11, 23), (25, 34), (34, 40)]


@pytest.mark.parametrize(
    ("spans", "shown", "form"),
    [
        ([(0, 4)], [(0, 10)], Form.PART),
        ([(0, 10)], [(0, 10)], Form.SENTENCE),
        ([(0, 11)], [(0, 10)], Form.SENTENCE),  # with the space after it
        ([(5, 12)], [(0, 23)], Form.SEVERAL),
        ([(0, 23)], [(0, 23)], Form.SEVERAL),
        ([(33, 35)], [(25, 40)], Form.SEVERAL),
        ([(34, 40)], [(34, 40)], Form.SENTENCE),
        ([(10, 11)], [(0, 10)], Form.PART),  # between two sentences
        ([(26, 28), (0, 4)], [(0, 10), (25, 34)], Form.RELATION),
        ([(0, 4), (5, 9)], [(0, 10)], Form.RELATION),  # both in one sentence: one place
        ([(0, 12), (12, 26)], [(0, 23), (11, 34)], Form.RELATION),
    ],
)
def test_spans_are_widened_to_the_sentences_they_touch(spans, shown, form):
    assert snapped(spans, SENTENCES) == shown
    assert form_of(spans, SENTENCES) == form


def test_a_span_before_the_first_sentence_goes_to_it_and_without_sentences_there_is_no_place():
    assert snapped([(0, 1)], [(2, 5), (6, 9)]) == [(2, 5)]
    assert snapped([(0, 1)], []) == []


@st.composite
def texts_with_spans(draw):
    """Sentences with gaps of 0 to 2, and one or two spans that touch them."""
    sentences, end = [], 0
    for gap, length in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 6)), min_size=1, max_size=8)):
        sentences.append((end + gap, end + gap + length))
        end = sentences[-1][1]
    inside = [place for start, stop in sentences for place in range(start, stop)]
    spans = []
    for _ in range(draw(st.integers(1, 2))):
        first, last = sorted((draw(st.sampled_from(inside)), draw(st.sampled_from(inside))))
        spans.append((first, last + 1))
    return sentences, spans


@given(texts_with_spans())
def test_what_is_shown_depends_only_on_which_sentences_are_touched(case):
    sentences, spans = case
    shown = snapped(spans, sentences)
    whole = []
    for start, end in spans:
        touched = [each for each in sentences if each[0] < end and start < each[1]]
        whole.append((touched[0][0], touched[-1][1]))
    assert shown == sorted(set(whole))
    assert snapped(whole, sentences) == shown
