"""Repetition and extraction, seen in word trigrams: lower-cased `\\w+` tokens, three in a row."""

import re

from scoring.statistics.statistic import Statistic

Trigram = tuple[str, str, str]

TOO_SHORT = "The summary has fewer than three words."
NO_BOOK = "The text of the book is not stored."

_WORD = re.compile(r"\w+")


def trigrams(text: str) -> list[Trigram]:
    """All trigrams in order, with repeats."""
    words = _WORD.findall(text.lower())
    return list(zip(words, words[1:], words[2:], strict=False))


def repeated_share(summary: str) -> Statistic:
    """1 - distinct trigrams / all trigrams: 0 where none occurs twice."""
    found = trigrams(summary)
    if not found:
        return Statistic.undefined(TOO_SHORT)
    return Statistic.of(1 - len(set(found)) / len(found))


def novel_share(summary: str, book: set[Trigram]) -> Statistic:
    """Share of the summary's distinct trigrams that the book's included text lacks.

    `book`: the distinct trigrams of that text (`set(trigrams(text))`); empty where no text is stored.
    """
    if not book:
        return Statistic.undefined(NO_BOOK)
    found = set(trigrams(summary))
    if not found:
        return Statistic.undefined(TOO_SHORT)
    return Statistic.of(len(found - book) / len(found))
