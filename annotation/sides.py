"""What a person reads first: the left side of a comparison, and the order of two summaries of one book.

Pure; saved by `annotation.services`. Whichever is read first answers questions about the other, so over people each
system has to be first as often as the other.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from annotation.even_sides import Arrow, evened


@dataclass(frozen=True)
class Shown:
    """A comparison as one person gets it. `first` and `second` are the systems of its summaries."""

    comparison: int
    person: int
    first: int
    second: int


def deal_sides(new: Sequence[Shown], earlier: Iterable[tuple[Shown, bool]], *, seed: str) -> list[bool]:
    """Whether the first summary stands on the left, for each of `new`; `earlier` are the sides dealt before.

    A system's lefts and rights differ by at most one over the people of each comparison, over all comparisons of a pair
    of systems, and over the round (as far as `earlier` sides, which stay, allow); within that they are as even over the
    comparisons of a person as turning two at once makes them. By lot where all are even.
    """
    earlier = list(earlier)
    random = Random(seed)
    ahead: Counter[tuple[object, ...]] = Counter()  # lefts minus rights of a system, in each of the three scopes
    for shown, first_is_left in earlier:
        _count(ahead, shown, first_is_left)
    sides = []
    for shown in new:
        lead = [ahead[scope, shown.first] - ahead[scope, shown.second] for scope in _scopes(shown)]
        decisive = next((difference for difference in lead if difference), 0)
        first_is_left = decisive < 0 if decisive else random.random() < 0.5
        _count(ahead, shown, first_is_left)
        sides.append(first_is_left)
    arrows = evened(
        [_arrow(shown, left) for shown, left in zip(new, sides, strict=True)],
        [_arrow(shown, left) for shown, left in earlier],
    )
    return [arrow[2] == shown.first for arrow, shown in zip(arrows, new, strict=True)]


def _arrow(shown: Shown, first_is_left: bool) -> Arrow:
    left, right = (shown.first, shown.second) if first_is_left else (shown.second, shown.first)
    return shown.comparison, shown.person, left, right


def _scopes(shown: Shown) -> tuple[tuple[str, int], ...]:
    return ("comparison", shown.comparison), ("person", shown.person), ("round", 0)


def _count(ahead: Counter[tuple[object, ...]], shown: Shown, first_is_left: bool) -> None:
    for scope in _scopes(shown):
        ahead[scope, shown.first] += 1 if first_is_left else -1
        ahead[scope, shown.second] += -1 if first_is_left else 1


@dataclass(frozen=True)
class Reading:
    """A summary that a person is to annotate."""

    summary: int
    person: int
    book: int
    system: int


def balanced_order(tasks: Sequence[Reading], earlier: Sequence[Reading], *, seed: str) -> list[Reading]:
    """`tasks` in an order in which, of two summaries of one book, each system comes first as often as the other.

    Only summaries of one book that one person has change places with each other. `earlier` are the tasks that people
    have already, in their stored order; new ones come after them. With two systems a system's firsts and seconds differ
    by at most one, over all people and books; with more, the one that was first least often comes first.
    """
    random = Random(seed)
    before: dict[tuple[int, int], list[Reading]] = {}
    for each in earlier:
        before.setdefault((each.person, each.book), []).append(each)
    ahead: Counter[int] = Counter()  # how much more often a system was first than second
    for group in before.values():
        _count_order(ahead, group)
    places: dict[tuple[int, int], list[int]] = {}
    for place, each in enumerate(tasks):
        places.setdefault((each.person, each.book), []).append(place)
    ordered = list(tasks)
    for group_key, at in sorted(places.items()):
        left, group = [tasks[place] for place in at], list(before.get(group_key, ()))
        begun = len(group)
        while left:
            first = min(left, key=lambda each: (ahead[each.system], random.random()))
            left.remove(first)
            group.append(first)
        if len(group) > max(begun, 1):
            _count_order(ahead, group[max(begun - 1, 0) :])
        for place, each in zip(at, group[begun:], strict=True):
            ordered[place] = each
    return ordered


def _count_order(ahead: Counter[int], group: Sequence[Reading]) -> None:
    for one, other in pairwise(group):
        ahead[one.system] += 1
        ahead[other.system] -= 1
