"""Who is far from the others, by a plain rule that people can check by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

#: Far is more than this many median absolute deviations from the median of the others.
DEVIATIONS = 3
#: The least number of cases of a person, and of others with as many cases, for any statement.
CASES, OTHERS = 3, 3


@dataclass(frozen=True)
class Measured:
    """A person's value over `n` cases (summaries, or marks)."""

    value: float
    n: int


@dataclass(frozen=True)
class Comparison:
    """A person's value beside the median of the others, who are `others` people with enough cases."""

    value: float
    n: int
    median: float | None
    others: int
    #: None where there is too little to say so, or where the others do not differ at all.
    far: bool | None

    @property
    def percent(self) -> float:
        return 100 * self.value


def compare_with_others(measured: Mapping[int, Measured]) -> dict[int, Comparison]:
    """Each person beside all others.

    Far: |value - median of the others| > 3 x the median absolute deviation of the others from their median, where the
    person has at least 3 cases and at least 3 others have as well. Where that deviation is 0, nothing is said.
    """
    return {person: _compare(person, measured) for person in measured}


def _compare(person: int, measured: Mapping[int, Measured]) -> Comparison:
    own = measured[person]
    others = [each.value for key, each in measured.items() if key != person and each.n >= CASES]
    if not others:
        return Comparison(own.value, own.n, None, 0, None)
    middle = median(others)
    far = None
    if own.n >= CASES and len(others) >= OTHERS and (deviation := median(abs(each - middle) for each in others)):
        far = abs(own.value - middle) > DEVIATIONS * deviation
    return Comparison(own.value, own.n, middle, len(others), far)
