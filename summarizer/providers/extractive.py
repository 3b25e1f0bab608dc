"""A baseline without an LLM: the most central sentences of a text, in their order, as its summary.

Sentences are ranked with LexRank as in sumy (Erkan and Radev 2004: idf-modified cosine, links above a threshold,
power method), over our own sentences. sumy's matrix is filled pair by pair in Python; here it is one product of a
matrix, with the same result. Long texts are ranked in blocks, so that the time grows with their length.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sumy.nlp.stemmers import Stemmer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.utils import get_stop_words

from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure, Reply, Usage
from summarizer.sentences import split_sentences
from summarizer.strategies.records import CleaningMaterial, SummaryMaterial, UpdateMaterial
from summarizer.tokens import count_tokens

#: Sentences ranked against each other at once.
BLOCK = 400
#: A shorter sentence is taken only where there is no longer one.
FEWEST_WORDS = 4
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
#: Words that an update may add in any case: about one long sentence.
FEWEST_NEW_WORDS = 40
_ARTIFACT = re.compile(
    r"\bin (?:this|the (?:current|next|last|first|updated|following)) (?:part|segment|section|excerpt|summary)\b"
    r"|\b(?:table of contents|all rights reserved|copyright|project gutenberg|acknowledge?ments|author['’]s note)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_stem = Stemmer("english")


class ExtractiveProvider:
    """Answers a step from its material; the prompt is not read."""

    async def complete(self, request: CompletionRequest) -> Reply:
        # Ranking a chunk takes tens of milliseconds: not on the loop that all calls of the process share.
        text = await asyncio.to_thread(_answer, request.material, request.max_tokens)
        if not text:
            raise ProviderFailure(FailureKind.EMPTY, "There is no sentence to take from this text.")
        # No LLM read or wrote anything, so there are no tokens to pay.
        return Reply(text=text, usage=Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0))

    async def close(self) -> None:
        return None


def _answer(material: object, max_tokens: int) -> str:
    match material:
        case SummaryMaterial():
            return extract_summary(material.texts, max_words=material.words, max_tokens=max_tokens)
        case UpdateMaterial():
            return extend_summary(material.summary, material.chunk, max_words=material.words, max_tokens=max_tokens)
        case CleaningMaterial():
            return drop_artifacts(material.summary)
        case _:
            raise ProviderFailure(FailureKind.PERMANENT, "The extractive baseline can only make summaries.")


def extend_summary(summary: str, chunk: str, *, max_words: int, max_tokens: int) -> str:
    """`summary` with the most central sentences of `chunk` as a further paragraph.

    They fill what `max_words` leaves, but at least one of usual length is added, as LLMs do: a summary that grows too
    long is compressed later.
    """
    words = max(max_words - len(summary.split()), FEWEST_NEW_WORDS)
    # Two more for the break between the paragraphs.
    tokens = max_tokens - count_tokens(summary) - 2
    added = extract_summary([chunk], max_words=words, max_tokens=tokens) if tokens > 0 else ""
    return f"{summary}\n\n{added}" if added else summary


def drop_artifacts(summary: str) -> str:
    """`summary` without the sentences that speak of its making or come from around the story, by a list of phrases.

    Left as it is where nothing else would remain.
    """
    paragraphs = [
        " ".join(
            paragraph[start:end]
            for start, end in split_sentences(paragraph)
            if not _ARTIFACT.search(paragraph[start:end])
        )
        for paragraph in _PARAGRAPH_BREAK.split(summary)
    ]
    return "\n\n".join(filter(None, paragraphs)) or summary


def extract_summary(texts: Sequence[str], *, max_words: int, max_tokens: int) -> str:
    """The most central sentences of `texts` that fit both limits, in their order, as one paragraph a text.

    Where not even one sentence fits, the start of the most central one. Deterministic: ties go to the earlier one.
    """
    sentences = _candidates(texts)
    if not sentences:
        return ""
    order = _by_rank([sentence for _, sentence in sentences])
    chosen: set[int] = set()
    words = tokens = 0
    for position in order:
        sentence = sentences[position][1]
        # One token more a sentence than counted alone, for what stands between it and the next.
        sentence_words, sentence_tokens = len(sentence.split()), count_tokens(sentence) + 1
        if words + sentence_words <= max_words and tokens + sentence_tokens <= max_tokens:
            chosen.add(position)
            words += sentence_words
            tokens += sentence_tokens
    if not chosen:
        return _start_of(sentences[order[0]][1], max_words, max_tokens)
    paragraphs: dict[int, list[str]] = {}
    for position in sorted(chosen):
        paragraphs.setdefault(sentences[position][0], []).append(sentences[position][1])
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs.values())


def _candidates(texts: Sequence[str]) -> list[tuple[int, str]]:
    """Sentences with the index of their text. Where enough can stand alone (a third), the others are left out."""
    sentences = [
        (index, " ".join(paragraph[start:end].split()))
        for index, text in enumerate(texts)
        # By paragraph, so that no heading or line of stars sticks to the sentence after it.
        for paragraph in _PARAGRAPH_BREAK.split(text)
        for start, end in split_sentences(paragraph)
    ]
    sentences = [(index, sentence) for index, sentence in sentences if sentence]
    alone = [(index, sentence) for index, sentence in sentences if _can_stand_alone(sentence)]
    return alone if 3 * len(alone) >= len(sentences) else sentences


def _can_stand_alone(sentence: str) -> bool:
    """Not a shout ("Today."), a scrap of talk or a false split: words, a capital first, quotation marks in pairs."""
    in_pairs = sentence.count('"') % 2 == 0 and sentence.count("“") == sentence.count("”")
    return len(sentence.split()) >= FEWEST_WORDS and sentence[0].isupper() and in_pairs


def _by_rank(sentences: Sequence[str]) -> list[int]:
    """Positions of `sentences`, most central first; ranks of different blocks are compared by their place in them."""
    ranked: list[tuple[float, int]] = []
    for start in range(0, len(sentences), BLOCK):
        block = sentences[start : start + BLOCK]
        scores = lexrank([_stems(sentence) for sentence in block])
        places = sorted(range(len(block)), key=lambda position: (-round(float(scores[position]), 9), position))
        ranked.extend((place / len(block), start + position) for place, position in enumerate(places))
    return [position for _, position in sorted(ranked)]


def lexrank(sentences: Sequence[Sequence[str]], threshold: float = 0.1) -> NDArray[np.float64]:
    """Centrality of each sentence (a list of stems), shape (n,); the same figures as sumy's LexRank."""
    vectors = _tf_idf(sentences)
    norms = np.linalg.norm(vectors, axis=1)
    norms[norms == 0] = 1.0
    vectors = vectors / norms[:, None]
    linked = (vectors @ vectors.T > threshold).astype(float)
    degrees = linked.sum(axis=1)
    degrees[degrees == 0] = 1.0
    matrix = linked / degrees[:, None]
    if not matrix.any():
        return np.full(len(sentences), 1.0 / len(sentences))
    scores: NDArray[np.float64] = LexRankSummarizer.power_method(matrix, LexRankSummarizer.epsilon)
    return scores


def _tf_idf(sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Rows of term frequency (over the sentence's largest) times log(n / (1 + sentences with the term))."""
    containing = Counter(term for sentence in sentences for term in set(sentence))
    columns = {term: column for column, term in enumerate(sorted(containing))}
    vectors = np.zeros((len(sentences), max(1, len(columns))))
    for row, sentence in enumerate(sentences):
        counts = Counter(sentence)
        largest = max(counts.values(), default=1)
        for term, count in counts.items():
            idf = math.log(len(sentences) / (1 + containing[term]))
            vectors[row, columns[term]] = count / largest * idf
    return vectors


def _stems(sentence: str) -> list[str]:
    stop_words = _stop_words()
    return [_stem_word(word) for word in _WORD.findall(sentence.lower()) if word not in stop_words]


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return frozenset(get_stop_words("english"))


@lru_cache(maxsize=50_000)
def _stem_word(word: str) -> str:
    return str(_stem(word))


def _start_of(sentence: str, max_words: int, max_tokens: int) -> str:
    """The longest start of `sentence` within both limits: whole words, or characters where there are no words."""
    words = sentence.split()[:max_words]
    while len(words) > 1 and count_tokens(" ".join(words)) > max_tokens:
        words = words[: len(words) * 9 // 10]
    start = " ".join(words)
    while len(start) > 1 and count_tokens(start) > max_tokens:
        start = start[: len(start) * 9 // 10]
    return start
