"""The seeded 95 % intervals of `recompute.py`, with Python's standard library alone.

The report draws with NumPy, `numpy.random.default_rng(seed).integers`; here the same numbers are drawn without it.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

RESAMPLES = 1000
WORD = 2**32 - 1
#: A row of columns that add up over books.
Sums = Sequence[float]


def seed_words(seed: int) -> list[int]:
    """Eight words of 32 bits from a seed below 2**32, as SeedSequence of NumPy makes them."""
    constant = 0x43B0D7E5

    def scrambled(value: int, factor: int) -> int:
        nonlocal constant
        value ^= constant
        constant = constant * factor & WORD
        value = value * constant & WORD
        return value ^ value >> 16

    pool = [scrambled(value, 0x931E8875) for value in (seed, 0, 0, 0)]
    for source in range(4):
        for target in range(4):
            if source != target:
                mixed = 0xCA01F9DD * pool[target] - 0x4973F715 * scrambled(pool[source], 0x931E8875) & WORD
                pool[target] = mixed ^ mixed >> 16
    constant = 0x8B51F9DD
    return [scrambled(pool[place % 4], 0x58F38DED) for place in range(8)]


class Drawing:
    """Whole numbers by lot, those of `numpy.random.default_rng(seed).integers`: PCG64 (O'Neill 2014)."""

    def __init__(self, seed: int) -> None:
        words = seed_words(seed)
        first, second, third, fourth = (words[at] | words[at + 1] << 32 for at in range(0, 8, 2))
        self.increment = (third << 65 | fourth << 1 | 1) % 2**128
        self.state = self.increment + (first << 64 | second)
        self.advance()
        self.half: int | None = None

    def advance(self) -> None:
        self.state = (self.state * 0x2360ED051FC65DA44385DF649FCCF645 + self.increment) % 2**128

    def word(self) -> int:
        """32 bits: the lower half of 64, then the upper one."""
        if self.half is not None:
            found, self.half = self.half, None
            return found
        self.advance()
        bits, turn = (self.state >> 64 ^ self.state) % 2**64, self.state >> 122
        bits = (bits >> turn | bits << (64 - turn)) % 2**64
        self.half = bits >> 32
        return bits & WORD

    def below(self, limit: int, count: int) -> list[int]:
        """So many numbers from 0 to `limit` - 1, all as likely as each other (Lemire 2019)."""
        if limit == 1:
            return [0] * count
        refused, found = (WORD + 1 - limit) % limit, []
        while len(found) < count:
            product = self.word() * limit
            if product & WORD >= refused:
                found.append(product >> 32)
        return found


@functools.cache
def resamples(things: int, seed: int) -> list[list[int]]:
    """In each resample, which of so many things were drawn."""
    drawing = Drawing(seed)
    return [drawing.below(things, things) for _ in range(RESAMPLES)]


def percentiles(figures: Iterable[float]) -> list[float] | None:
    """The 2.5th and the 97.5th, on a straight line between neighbours."""
    ordered = sorted(figures)
    if not ordered:
        return None
    places = [part * (len(ordered) - 1) for part in (0.025, 0.975)]
    pairs = [(ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)], place % 1) for place in places]
    return [low + (high - low) * between for low, high, between in pairs]


def over_books(rows: Sequence[Sums], figure: Callable[[Sums], float | None], seed: int) -> list[float] | None:
    """95 % interval of a figure of the columns' sums, books resampled; `rows`: one a book, in their order."""
    if len(rows) < 2:
        return None
    drawn = ([rows[book] for book in books] for books in resamples(len(rows), seed))
    figures = (figure([sum(column) for column in zip(*each, strict=True)]) for each in drawn)
    return percentiles(each for each in figures if each is not None)


def share(above: int, below: int) -> Callable[[Sums], float | None]:
    """One column by another."""
    return lambda sums: sums[above] / sums[below] if sums[below] else None


def of_mean(values: Iterable[float], seed: int) -> list[float] | None:
    """Of a mean over books of one value each."""
    return over_books([(value, 1) for value in values], share(0, 1), seed)


def summed(rows: Iterable[tuple[int, Sums]]) -> list[list[float]]:
    """(book, columns) -> sums of each book, in the order of the books."""
    books: dict[int, list[Sums]] = defaultdict(list)
    for book, columns in rows:
        books[book].append(columns)
    return [[sum(column) for column in zip(*books[book], strict=True)] for book in sorted(books)]
