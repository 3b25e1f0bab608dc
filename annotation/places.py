"""The places of a mark among the sentences of its text: what form it has, and what is left of it when it is snapped.

A judge marks whole sentences; people mark phrases, several sentences and relations. The form of a mark gives its source
away, so a review can show every mark as the sentences that it touches.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import StrEnum

#: `[start, end)` in code points of the text.
Place = tuple[int, int]


class Form(StrEnum):
    PART = "part"
    SENTENCE = "sentence"
    SEVERAL = "several"
    RELATION = "relation"


def snapped(spans: Sequence[Place], sentences: Sequence[Place]) -> list[Place]:
    """Each span widened to the whole sentences that it touches, in the order of the text.

    Consecutive sentences under one span stay one span; two spans of a relation that touch the same sentences are one
    place. A span between sentences goes to the one before. `sentences` are in order and do not overlap; without any,
    there is no place to show.
    """
    if not sentences:
        return []
    touched = {_touched(span, sentences) for span in spans}
    return [(sentences[first][0], sentences[last][1]) for first, last in sorted(touched)]


def form_of(spans: Sequence[Place], sentences: Sequence[Place]) -> Form:
    """A relation has two spans; else: part of a sentence, exactly one whole sentence, or several (whole or in part)."""
    if len(spans) > 1:
        return Form.RELATION
    if not spans or not sentences:
        return Form.PART
    first, last = _touched(spans[0], sentences)
    if first != last:
        return Form.SEVERAL
    start, end = sentences[first]
    return Form.SENTENCE if spans[0][0] <= start and end <= spans[0][1] else Form.PART


def _touched(span: Place, sentences: Sequence[Place]) -> tuple[int, int]:
    """Indices of the first and the last sentence that a span touches."""
    first = bisect_right(sentences, span[0], key=lambda sentence: sentence[1])
    last = bisect_left(sentences, span[1], key=lambda sentence: sentence[0]) - 1
    if first > last:
        first = last = max(last, 0)
    return first, last
