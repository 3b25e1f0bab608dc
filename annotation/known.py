"""What is known about a text beforehand: places in a pasted one, and how a person's marks stand to them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.places import Place

BRACKETS = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)


class PlacesError(Exception):
    """The brackets of a pasted text don't fit together."""


def read_places(text: str) -> tuple[str, list[Place]]:
    """A text without its double brackets, and what stood between them: "Emma [[went away]]." has [5, 14).

    White space at the edges of a place is left out of it. Raises PlacesError where brackets are left over, or where
    there is nothing between them.
    """
    places: list[Place] = []
    parts: list[str] = []
    length = last = 0
    for match in BRACKETS.finditer(text):
        parts.append(text[last : match.start()])
        length += len(parts[-1])
        inside = match.group(1)
        start = length + len(inside) - len(inside.lstrip())
        end = length + len(inside.rstrip())
        if start >= end:
            raise PlacesError("There is a pair of double brackets with nothing between them.")
        places.append((start, end))
        parts.append(inside)
        length += len(inside)
        last = match.end()
    parts.append(text[last:])
    plain = "".join(parts)
    if "[[" in plain or "]]" in plain:
        raise PlacesError("A double bracket has no partner. Put [[ before and ]] after each confusing place.")
    return plain, places


@dataclass(frozen=True)
class Found:
    """A person's marks on a text with known places."""

    #: For each known place, whether some mark touches it.
    touched: tuple[bool, ...]
    #: Marks that touch no known place, and sentences that hold nothing of one.
    marks_elsewhere: int
    sentences_elsewhere: int


def compare_with_known(places: Sequence[Place], marks: Sequence[Sequence[Place]], sentences: Sequence[Place]) -> Found:
    """`marks` are the spans of each mark; two places touch where they share at least one character."""
    touched = tuple(any(_overlap(place, span) for mark in marks for span in mark) for place in places)
    elsewhere = sum(not any(_overlap(place, span) for place in places for span in mark) for mark in marks)
    clean = sum(not any(_overlap(place, sentence) for place in places) for sentence in sentences)
    return Found(touched, elsewhere, clean)


def _overlap(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]
