"""ROUGE-L of a summary against reference summaries of its book (Lin, ROUGE: A Package for Automatic Evaluation, 2004).

Words are lower-cased `\\w+` tokens, without stemming, over the whole text (not sentence by sentence, which is
ROUGE-Lsum). Recall is LCS / words of the reference, precision LCS / words of the summary, and the score their F1, which
is 2 LCS / all words of both. With several references the best score counts (Lin, section 2.1).
"""

import re
from collections.abc import Sequence

from scoring.statistics.statistic import Statistic

NO_REFERENCE = "No book of these summaries has a reference summary."
NO_WORDS = "The summary or its reference has no words."

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of a longest common subsequence, all words of `first` at once in the bits of one number.

    Hyyrö, Bit-parallel LCS-length computation revisited (2004): a bit that is 0 stands for a match; after each word of
    `second`, those bits say how far each beginning of `first` is matched. Two texts of 1,000 words take about 1 ms.
    """
    places: dict[str, int] = {}
    for position, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << position
    everything = (1 << len(first)) - 1
    unmatched = everything
    for word in second:
        matching = unmatched & places.get(word, 0)
        unmatched = (unmatched + matching | unmatched - matching) & everything
    return len(first) - unmatched.bit_count()


def rouge_l(summary: str, reference: str) -> Statistic:
    """F1 of the longest common subsequence of words, from 0 to 1."""
    own, other = words(summary), words(reference)
    if not own or not other:
        return Statistic.undefined(NO_WORDS)
    return Statistic.of(2 * longest_common(own, other) / (len(own) + len(other)))
