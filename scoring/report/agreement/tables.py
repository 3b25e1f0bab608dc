"""Sentences of a study as tables of two labels, one a summary, and rows of figures from them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy

from scoring.report.agreement.structure import AgreementRow
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.marks import MarkedSummary
from scoring.statistics.estimate import Array, Estimate, estimates
from scoring.statistics.two_labels import FIGURES

Table = tuple[int, int, int, int]


@dataclass(frozen=True)
class Compared:
    """One summary: its table of two labels (see `two_labels`), or other counts that add up over summaries."""

    summary: MarkedSummary
    counts: tuple[float, ...]


def table(first: Collection[int], second: Collection[int], sentences: int) -> Table:
    """`first` and `second`: positions that either side marked, of so many sentences that both looked at."""
    both = len(frozenset(first) & frozenset(second))
    return both, len(first) - both, len(second) - both, sentences - len(first) - len(second) + both


def added(tables: Iterable[Sequence[float]], columns: int = 4) -> tuple[float, ...]:
    sums = [0.0] * columns
    for each in tables:
        for column, count in enumerate(each):
            sums[column] += count
    return tuple(sums)


def by_book(compared: Iterable[Compared], columns: int = 4) -> Array:
    """Sums over the summaries of each book: shape (books, columns), in the order of the books."""
    rows = list(compared)
    if not rows:
        return numpy.zeros((0, columns))
    books, places = numpy.unique([each.summary.book_place for each in rows], return_inverse=True)
    sums = numpy.zeros((len(books), columns))
    numpy.add.at(sums, places, numpy.array([each.counts for each in rows], dtype=float))
    return sums


def is_mixed(compared: Iterable[Compared]) -> bool:
    """Whether the summaries were split into sentences in different ways; such sentences are never counted together."""
    return len({each.summary.splitter for each in compared}) > 1


def row(
    name: str, compared: Sequence[Compared], seed: int, change: Callable[[Array], Array] | None = None, why: str = ""
) -> AgreementRow:
    """Figures of the summed tables. `change` makes a control of them; `why`: the reason where there is no summary."""
    counts = by_book(compared)
    if change is not None:
        counts = change(counts)
    if is_mixed(compared):
        figures = dict.fromkeys(FIGURES, Estimate.undefined(MIXED_SPLITTERS))
    elif not compared:
        figures = dict.fromkeys(FIGURES, Estimate.undefined(why or FIGURES["percent"][1]))
    else:
        figures = estimates(counts, FIGURES, seed=seed)
    return AgreementRow(
        name=name,
        summaries=len(compared),
        books=len(counts),
        sentences=round(counts.sum()),
        figures=figures,
    )


def by_system(compared: Sequence[Compared]) -> dict[int, list[Compared]]:
    found: dict[int, list[Compared]] = defaultdict(list)
    for each in compared:
        found[each.summary.system_id].append(each)
    return dict(found)
