"""Which marks of a review task its reviewer is asked to guess the origin of: a pure, seeded draw."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from random import Random

#: Marks a reviewer guesses the origin of; all, where a task has fewer.
GUESSES = 10


def draw(marks: Mapping[int, str], *, seed: str, number: int = GUESSES) -> list[int]:
    """Up to `number` of the marks (place in the review's order -> form in which it was shown), in random order.

    Each form is drawn from in turn, so that none crowds out the others. The draw knows nothing of who made the marks:
    neither which are drawn nor how many of a form tells anything about that.
    """
    random = Random(seed)
    by_form: dict[str, list[int]] = {}
    for place in sorted(marks):
        by_form.setdefault(marks[place], []).append(place)
    for places in by_form.values():
        random.shuffle(places)
    turns = zip_longest(*(by_form[form] for form in sorted(by_form)))
    drawn = [place for place in chain.from_iterable(turns) if place is not None][:number]
    random.shuffle(drawn)
    return drawn
