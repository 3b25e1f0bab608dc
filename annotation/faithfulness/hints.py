"""Hints: which sentences of a source are most likely to bear on a clause of its summary. Pure.

Lexical: BM25 over Snowball stems without stop words. Every score is a z-score over the source's sentences, so that
scores of different questions can be added. A sentence also gets a share of what its two neighbours have, because a
statement is often spread over some sentences, and of a smoothed score of the whole summary sentence, which tells the
part of the source that is told there. An embedding, where there is one (`annotation.faithfulness.embedding`), adds its
own z-scores.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nltk.stem.snowball import SnowballStemmer

#: Name and version of the lexical rule: stored with every hint, so that figures of different rules never mix.
LEXICAL = "bm25 1"
K1 = 0.6
B = 0.3
NEIGHBOUR = 0.2
CONTEXT = 0.6
#: Standard deviation of the smoothing, in sentences; beyond four of them nothing is left.
SIGMA = 8
REACH = 4 * SIGMA

Scores = npt.NDArray[np.float64]
#: Similarity of a text to every sentence of the source.
Similarity = Callable[[str], Scores]

_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split())


class HintIndex:
    """The sentences of one source, ready to be asked."""

    def __init__(self, sentences: Sequence[str], similarity: Similarity | None = None) -> None:
        self.size = len(sentences)
        self.similarity = similarity
        self._weights = _weights([Counter(stems(sentence)) for sentence in sentences])

    def ranked(self, unit: str, sentence: str, count: int) -> list[int]:
        """Numbers of the `count` sentences most likely to bear on `unit`, the likeliest first.

        `sentence` is the summary's whole sentence (or sentences) around the unit. Empty where nothing in the source
        has to do with either; of equal ones the earlier is first.
        """
        scores = self.scores(unit, sentence)
        if not scores.any():
            return []
        return [int(number) for number in np.argsort(-scores, kind="stable")[:count]]

    def scores(self, unit: str, sentence: str) -> Scores:
        """One score a source sentence, in order; the higher, the likelier."""
        own = self._standing(unit)
        beside = np.zeros(self.size)
        beside[1:] += own[:-1]
        beside[:-1] += own[1:]
        context: Scores = own + NEIGHBOUR * beside + CONTEXT * _smoothed(self._standing(sentence))
        return context

    def _standing(self, text: str) -> Scores:
        scores = np.zeros(self.size)
        for stem in sorted(set(stems(text))):
            if stem in self._weights:
                numbers, weights = self._weights[stem]
                scores[numbers] += weights
        standing = _z_scores(scores)
        return standing if self.similarity is None else standing + _z_scores(self.similarity(text))


def stems(text: str) -> list[str]:
    """The stems of the words of a text, stop words left out, in order."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS)
    return [_stem(word) for word in words]


def _weights(counted: Sequence[Counter[str]]) -> dict[str, tuple[npt.NDArray[np.int64], Scores]]:
    """Of each stem: the sentences that have it, and its BM25 weight there (Robertson and Zaragoza 2009, with the
    logarithm of 1 + odds, which is never negative)."""
    lengths = [sum(words.values()) for words in counted]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    places: dict[str, list[tuple[int, float]]] = {}
    for number, words in enumerate(counted):
        damping = K1 * (1 - B + B * lengths[number] / mean)
        for stem, times in words.items():
            places.setdefault(stem, []).append((number, times * (K1 + 1) / (times + damping)))
    found = {}
    for stem, rows in places.items():
        rarity = math.log(1 + (len(counted) - len(rows) + 0.5) / (len(rows) + 0.5))
        numbers, weights = zip(*rows, strict=True)
        found[stem] = (np.array(numbers), rarity * np.array(weights))
    return found


def _z_scores(scores: Scores) -> Scores:
    """Distance from the mean in population standard deviations; all 0 where all are equal."""
    deviation = scores.std() if scores.size else 0.0
    centred: Scores = scores - scores.mean() if deviation else np.zeros(scores.size)
    return centred / deviation if deviation else centred


def _smoothed(scores: Scores) -> Scores:
    """A Gaussian mean over neighbours; beyond both ends of the source the score is 0, the average."""
    distances = np.arange(-REACH, REACH + 1)
    kernel = np.exp(-0.5 * (distances / SIGMA) ** 2)
    full: Any = np.convolve(scores, kernel / kernel.sum()) if scores.size else scores
    smooth: Scores = full[REACH : REACH + scores.size]
    return smooth


@cache
def _stemmer() -> "SnowballStemmer":
    # Loaded when first needed: NLTK brings all of its parts.
    from nltk.stem.snowball import SnowballStemmer

    return SnowballStemmer("english")


@lru_cache(100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))
