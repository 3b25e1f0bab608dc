"""Making the sides of comparisons as even as they can be, once each has been dealt.

Pure. Think of a task as an arrow from the system on its left to the one on its right. Turning all arrows along a path
from a system that is too often on the left to one that is too often on the right evens both and changes nothing between
them. Only arrows that are in the majority are turned, so that what is even stays even (an Eulerian orientation).
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence

#: (comparison, person, system on the left, system on the right)
Arrow = tuple[int, int, int, int]
Allowed = Callable[[int], bool]


def evened(new: Sequence[Arrow], earlier: Iterable[Arrow]) -> list[Arrow]:
    """`new` with some arrows turned; `earlier` ones count and stay.

    Without earlier ones, a system's lefts and rights then differ by at most one over the people of each comparison,
    over each pair of systems, and over all. Within that, they are evened out for each person as far as turning two
    arrows at once can do it.
    """
    sides = _Sides(new, earlier)
    sides.even_pairs()
    sides.even_systems()
    sides.even_people()
    return sides.arrows


class _Sides:
    def __init__(self, new: Sequence[Arrow], earlier: Iterable[Arrow]) -> None:
        self.arrows = list(new)
        #: Lefts minus rights: of the smaller system in a comparison and in a pair; of a system, in all and by person.
        self.lead: Counter[tuple[object, ...]] = Counter()
        for arrow in [*new, *earlier]:
            self._count(arrow, 1)
        self.of_pair: dict[tuple[int, int], list[int]] = defaultdict(list)
        for at, (_, _, left, right) in enumerate(new):
            self.of_pair[min(left, right), max(left, right)].append(at)

    def even_pairs(self) -> None:
        for pair, members in self.of_pair.items():
            while abs(self.lead["pair", *pair]) > 1:
                turned = self._best(members, lambda at: self._in_majority(at, "comparison", "pair"))
                if turned is None:
                    break
                self._turn(turned)

    def even_systems(self) -> None:
        systems = sorted({system for pair in self.of_pair for system in pair})
        while path := next(filter(None, map(self._path_from, systems)), None):
            for at in path:
                self._turn(at)

    def even_people(self) -> None:
        """Turn two opposite arrows of a pair together where that evens them for their people."""
        improved = True
        while improved:
            improved = False
            for members in self.of_pair.values():
                for at in members:
                    if self._cost(at) < 0 and (other := self._partner(at, members)) is not None:
                        self._turn(at)
                        self._turn(other)
                        improved = True

    def _partner(self, at: int, members: Iterable[int]) -> int | None:
        comparison, person, left, _ = self.arrows[at]
        free = self._in_majority(at, "comparison")

        def fits(other: int) -> bool:
            if self.arrows[other][2] == left or self.arrows[other][1] == person:
                return False
            return self.arrows[other][0] == comparison or (free and self._in_majority(other, "comparison"))

        other = self._best(members, fits)
        return other if other is not None and self._cost(at) + self._cost(other) < 0 else None

    def _path_from(self, start: int) -> list[int]:
        """The shortest path of arrows whose turning evens `start` and the system at its end; none if it is even."""
        came_by: dict[int, int | None] = {start: None}
        waiting = deque([start])
        while waiting:
            system = waiting.popleft()
            if self.lead["system", start] - self.lead["system", system] > 2:
                return self._back(system, came_by)
            for pair, members in self.of_pair.items():
                following = pair[0] + pair[1] - system
                if system not in pair or following in came_by:
                    continue
                best = self._best(
                    members,
                    lambda at, left=system: (  # type: ignore[misc]
                        self.arrows[at][2] == left and self._in_majority(at, "comparison", "pair")
                    ),
                )
                if best is not None:
                    came_by[following] = best
                    waiting.append(following)
        return []

    def _back(self, system: int, came_by: dict[int, int | None]) -> list[int]:
        path = []
        while (at := came_by[system]) is not None:
            path.append(at)
            system = self.arrows[at][2]
        return path

    def _best(self, members: Iterable[int], allowed: Allowed) -> int | None:
        """Of those allowed the one whose turning is best for its person."""
        return min((at for at in members if allowed(at)), key=self._cost, default=None)

    def _cost(self, at: int) -> int:
        """How much less even (below 0: more even) the person's own sides get when the arrow is turned."""
        _, person, left, right = self.arrows[at]
        return 2 + self.lead["person", person, right] - self.lead["person", person, left]

    def _in_majority(self, at: int, *scopes: str) -> bool:
        comparison, _, left, right = self.arrows[at]
        keys = {"comparison": ("comparison", comparison), "pair": ("pair", min(left, right), max(left, right))}
        sign = 1 if left < right else -1
        return all(sign * self.lead[keys[scope]] > 0 for scope in scopes)

    def _turn(self, at: int) -> None:
        comparison, person, left, right = self.arrows[at]
        self._count(self.arrows[at], -1)
        self.arrows[at] = (comparison, person, right, left)
        self._count(self.arrows[at], 1)

    def _count(self, arrow: Arrow, step: int) -> None:
        comparison, person, left, right = arrow
        sign = step if left < right else -step
        self.lead["comparison", comparison] += sign
        self.lead["pair", min(left, right), max(left, right)] += sign
        for system, one in ((left, step), (right, -step)):
            self.lead["system", system] += one
            self.lead["person", person, system] += one
