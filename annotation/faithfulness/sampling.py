"""Which units a person is asked about, and whether they are shown hints. Stored once drawn; pure, and seeded."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from random import Random


@dataclass(frozen=True)
class Amount:
    """How much of a summary each person is asked about: a share (0 < share <= 1), or a number of units."""

    share: float | None = None
    number: int | None = None

    def of(self, units: int) -> int:
        """Of so many units. A share is rounded, half upwards, and at least one unit; a number is at most all."""
        if self.number is not None:
            return min(self.number, units)
        wanted = Decimal(str(self.share)) * units
        return min(units, max(1, int(wanted.quantize(Decimal(1), ROUND_HALF_UP))))


def sample_seed(study_seed: int, pseudonym: str, summary: int) -> str:
    """What a sample is drawn with: another for each person and each summary."""
    return f"{study_seed} {pseudonym} {summary}"


def sample(units: Sequence[int], amount: Amount, *, seed: str) -> list[int]:
    """A random sample without replacement, in the order of `units`: the different ones of one summary in its order."""
    chosen = set(Random(seed).sample(range(len(units)), amount.of(len(units))))
    return [unit for at, unit in enumerate(units) if at in chosen]


@dataclass(frozen=True)
class Shown:
    """One person's task on one summary, with or without hints."""

    summary: int
    person: int


def deal_hints(tasks: Sequence[Shown], earlier: Iterable[tuple[Shown, bool]], *, seed: str) -> list[bool]:
    """Hints or none for each task, as even as can be over the people of each summary, then over each person's tasks.

    What is even is decided by lot. `earlier` are tasks that were given out before, with what they got.
    """
    random = Random(seed)
    of_summary: Counter[int] = Counter()
    of_person: Counter[int] = Counter()

    def count(task: Shown, shown: bool) -> None:
        of_summary[task.summary] += 1 if shown else -1
        of_person[task.person] += 1 if shown else -1

    for task, shown in earlier:
        count(task, shown)
    dealt = []
    for task in tasks:
        surplus = of_summary[task.summary] or of_person[task.person]
        shown = surplus < 0 if surplus else random.random() < 0.5
        count(task, shown)
        dealt.append(shown)
    return dealt


def draw_test(units: Sequence[tuple[int, bool]], number: int | None, *, seed: str, in_text_order: bool) -> list[int]:
    """What an attempt at a qualification test asks, in the order in which it does.

    `units`: those of the test in the order of its text, each with whether it is supported. `number` of them are drawn,
    None for all: half of them supported, as far as there are so many of both kinds (of an odd number one more is not).
    """
    random = Random(seed)
    supported = [unit for unit, expected in units if expected]
    unsupported = [unit for unit, expected in units if not expected]
    wanted = len(units) if number is None else min(number, len(units))
    false = min(len(unsupported), max((wanted + 1) // 2, wanted - len(supported)))
    chosen = {*random.sample(unsupported, false), *random.sample(supported, wanted - false)}
    drawn = [unit for unit, _ in units if unit in chosen]
    if not in_text_order:
        random.shuffle(drawn)
    return drawn
