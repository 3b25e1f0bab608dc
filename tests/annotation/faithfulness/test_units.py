"""The rule that cuts summaries into units. Expected units were written down by reading the sentences."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.faithfulness.scales import SCALES
from annotation.faithfulness.units import (
    cut_into_units,
    cuts_of,
    first_with_same_text,
    possible_cuts,
    units_between,
)
from summarizer.sentences import split_sentences


def units_of(sentence):
    return [sentence[start:end] for start, end in cut_into_units(sentence, [(0, len(sentence))])]


@pytest.mark.parametrize(
    "marked",
    [
        # Before a conjunction, whether or not there is a comma, which stays with what it ends.
        "Emma left the mill early, | and Rolf stayed behind with the horses.",
        "Emma left the mill early | but Rolf stayed behind with the horses.",
        "Emma left the old mill early | because Rolf had sold all the horses.",
        # Several in a row are one, with the word that belongs to them.
        "The king went on with the war, | and even when his brother died he never stopped.",
        # After a comma, semicolon, colon and dash.
        "Although the mill had burned down, | Emma stayed in the village.",
        "Emma leaves the mill at dawn; | Rolf stays behind with the horses: | he has nobody else to visit.",
        "Emma left the mill at dawn — | Rolf had told her nothing of it.",
        "Emma left the mill at dawn -- | Rolf had told her nothing of it.",
        "Emma left the mill at dawn – | Rolf had told her nothing of it.",
        # Brackets belong to what is in them, if that can stand alone.
        "She sold the old horse yesterday | (which her father had bought in Spain).",
        "Emma ( the miller ) was born in a small village.",
        # Too short, or without a verb: joined to the piece before, the first one to the piece after.
        "When he came, Emma left the village for good.",
        "Emma left the mill early, and so did Rolf.",
        "Emma bought apples, pears, plums and a huge bag of flour, | and Rolf carried it all home.",
        "The miller's dogs and cats of the old village lived in peace.",
        # Not cut: numbers, times, abbreviations, hyphenated words, also in tokenised texts, years, names with a dash.
        "He paid 1,000 men of the village at 10:30 for 3,500.75 hours of work.",
        "Mr. Smith of the U.S. Army met a well-known general, i.e. his own father.",
        "a 52-year - old man was treated in the n - methyl - d - aspartate group .",
        "it involves the storage of all mediators, hormones or neurotransmitters in pre - formed granules .",
        "The war of 1914–1918 destroyed the Paris–Dakar line for good.",
        # Not cut: quotations, of any kind.
        "He told them “I will go home, and you will stay here” in the end.",
        'He told them "I will go home, and you will stay here" in the end.',
        "He told them ‘I’ll go home, and you will stay here’ in the end.",
        # A quotation without its end is none.
        "“I will go home to the mill, | and you will stay here.",
        # What stands before "that" says nothing alone.
        "Everyone in the village believed that the mill had burned down.",
        # A single word, and marks alone.
        "Emma.",
        "- - -",
    ],
)
def test_a_sentence_is_cut_where_it_says(marked):
    pieces = marked.split(" | ")
    assert units_of(" ".join(pieces)) == pieces


def test_a_dash_without_spaces_cuts_too():
    sentence = "Emma left the mill at dawn—Rolf had told her nothing of it."
    assert units_of(sentence) == ["Emma left the mill at dawn—", "Rolf had told her nothing of it."]


def test_units_stay_within_their_sentences_and_count_code_points():
    text = "Emma 🐎 left the mill early.\n\n  And Rolf stayed behind, but he never sold the horses.  "
    first, second = (0, 27), (31, 84)
    assert [text[slice(*place)] for place in (first, second)] == [
        "Emma 🐎 left the mill early.",
        "And Rolf stayed behind, but he never sold the horses.",
    ]
    # "And Rolf stayed behind," has four words, so it goes with what follows.
    assert cut_into_units(text, [first, second]) == [first, second]
    assert units_between(text, [first, second], [55]) == [first, (31, 54), (55, 84)]


PIECES = "Emma left stays and but , ; ( ) “ ” 1,000 because even when the mill was – — -- he . 10:30"
texts = st.text(st.sampled_from("ab,;:.—–-()[]“”\"'’‘ \né🐎\u0301\x1c1") | st.characters(), max_size=60) | st.lists(
    st.sampled_from(PIECES.split(" ")), max_size=30
).map(" ".join)


@given(texts)
@example("“a” and “b, c")
@example("Emma left the mill early,and Rolf stayed behind with it")
@settings(max_examples=150, deadline=None)
def test_units_cover_all_but_white_space_in_order_and_inside_sentences(text):
    sentences = split_sentences(text)
    units = cut_into_units(text, sentences)
    assert units == cut_into_units(text, sentences)
    at = 0
    for start, end in units:
        assert at <= start < end
        assert text[at:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        assert any(first <= start and end <= last for first, last in sentences)
        at = end
    assert text[at:].strip() == ""
    assert units_between(text, sentences, cuts_of(units, sentences)) == units


def test_cut_by_hand_at_words_and_marks_alone():
    text = "Emma left, Rolf stayed. He died."
    sentences = [(0, 23), (24, 32)]
    assert possible_cuts(text, sentences) == [5, 9, 11, 16, 22, 27, 31]
    assert [text[slice(*each)] for each in units_between(text, sentences, {11, 27})] == [
        "Emma left,",
        "Rolf stayed.",
        "He",
        "died.",
    ]
    for nowhere in (0, 6, 10, 24, 32, -1):
        with pytest.raises(ValueError, match="begins with a word"):
            units_between(text, sentences, [nowhere])


def test_units_that_say_the_same_are_told_by_their_words():
    quotes = ["Emma left.", "Rolf stayed,", "emma  left", "and Emma left.", "Rolf\nstayed", "...", "..."]
    assert first_with_same_text(quotes) == [None, None, 0, None, 1, None, 5]


def test_articles_are_cut_at_the_same_places_wherever_they_are(shared_data):
    lines = (shared_data / "longeval" / "pubmed_beam_3.jsonl").read_text(encoding="utf-8").splitlines()
    text = json.loads(lines[1])["human"]
    units = [text[start:end] for start, end in cut_into_units(text, split_sentences(text))]
    assert units == [
        "a pulmonary embolus clogs the artery that provides blood supply to a part of the lung .",
        "the embolus not only prevents the exchange of oxygen and carbon dioxide "
        "but also decreases blood supply to the lung tissue itself ,",
        "potentially causing the tissue to die ( infarct ) .",
        "a 52-year - old man presented with syncope and anxiety \n .",
        "he had sinus tachycardia and dilated right ventricle with trabeculations .",
        "a differential diagnosis of arrhythmogenic right ventricular dysplasia and pulmonary embolism prompted ct "
        "angiography ,",
        "which revealed a bilateral massive pulmonary embolism .",
        "the patient was treated successfully with thrombolytic drugs .",
    ]


@pytest.mark.parametrize(("scale", "value", "score"), [("0-5", 3, 60), ("0-5", 0, 0), ("1-5", 1, 0), ("1-5", 4, 75)])
def test_ratings_become_scores_of_a_hundred(scale, value, score):
    assert SCALES[scale].on_hundred(value) == score
    assert SCALES["0-100"].on_hundred(value) == value
    assert not SCALES[scale].holds(6)
