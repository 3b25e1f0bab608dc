"""How far the marks of several people lie on each other: places, characters, exact pairs, sentences.

A mark is a list of spans `[start, end)` in code points (two for a relation). Pure.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.statistics.agreement import NOTHING_MARKED, Agreement, cohen_agreement, gwet_ac1
from scoring.statistics.booookscore import Range, SentenceGrid
from scoring.statistics.statistic import Statistic

Mark = Sequence[Range]


@dataclass(frozen=True)
class Stretch:
    """Characters `[start, end)` that the same sources touch, given by their numbers."""

    start: int
    end: int
    sources: frozenset[int]


def stretches(marks: Iterable[tuple[int, Mark]]) -> list[Stretch]:
    """Everything that is touched, cut wherever the set of sources that touch it changes; `marks`: (source, spans)."""
    edges: dict[int, list[tuple[int, int]]] = {}
    for source, spans in marks:
        for start, end in spans:
            edges.setdefault(start, []).append((source, 1))
            edges.setdefault(end, []).append((source, -1))
    depth: Counter[int] = Counter()
    found: list[Stretch] = []
    begun, touching = 0, frozenset[int]()
    for place in sorted(edges):
        for source, step in edges[place]:
            depth[source] += step
        now = frozenset(source for source, count in depth.items() if count)
        if now != touching:
            if touching:
                found.append(Stretch(begun, place, touching))
            begun, touching = place, now
    return found


def grouped_by_place(marks: Sequence[Mark]) -> list[list[int]]:
    """Positions of marks, together where their spans share a character, directly or through others.

    Groups come in the order of their first character, and the marks of a group by start, the longer one first.
    """
    root = list(range(len(marks)))

    def find(position: int) -> int:
        while root[position] != position:
            position = root[position]
        return position

    spans = sorted((start, end, at) for at, mark in enumerate(marks) for start, end in mark)
    reach, last = -1, -1
    for start, end, at in spans:
        if start < reach:
            root[find(at)] = find(last)
        reach, last = (end, at) if end > reach else (reach, last)
    groups: dict[int, list[int]] = {}
    for at in sorted(range(len(marks)), key=lambda each: (min(marks[each])[0], -min(marks[each])[1], each)):
        groups.setdefault(find(at), []).append(at)
    return list(groups.values())


def characters(marks: Iterable[Mark]) -> int:
    """How many distinct characters the marks touch."""
    return sum(each.end - each.start for each in stretches((0, mark) for mark in marks))


def covered(spans: Iterable[Range]) -> int:
    """How many distinct characters the spans cover; as `characters`, and fast."""
    total, reach = 0, 0
    for start, end in sorted(spans):
        if end > reach:
            total += end - max(start, reach)
            reach = end
    return total


#: Columns of `overlap_counts`: twice the marks with a partner, all marks, twice the shared characters, all characters.
PAIRED, MARKS, SHARED, CHARACTERS = range(4)


def overlap_counts(first: Sequence[Mark], second: Sequence[Mark]) -> tuple[int, int, int, int]:
    """What exact F1 (`PAIRED` / `MARKS`) and character F1 (`SHARED` / `CHARACTERS`) of two sources are made of.

    A partner has exactly the same span or spans; a mark has one partner at most. Characters are distinct ones.
    """
    spans = [Counter(tuple(sorted(mark)) for mark in marks) for marks in (first, second)]
    own, other = ([span for mark in marks for span in mark] for marks in (first, second))
    together = covered(own) + covered(other)
    return (
        2 * (spans[0] & spans[1]).total(),
        len(first) + len(second),
        2 * (together - covered([*own, *other])),
        together,
    )


@dataclass(frozen=True)
class PairAgreement:
    """Two sources on one summary."""

    #: Marks of one that have a partner of the other with exactly the same span or spans; a mark has one partner.
    exact: int
    first_marks: int
    second_marks: int
    #: 2 shared characters / (characters of the first + characters of the second), by distinct characters.
    character_f1: Statistic
    #: Sentences touched or not.
    sentences: Agreement
    ac1: Statistic


def pair_agreement(first: Sequence[Mark], second: Sequence[Mark], grid: SentenceGrid) -> PairAgreement:
    spans = [Counter(tuple(sorted(mark)) for mark in marks) for marks in (first, second)]
    ours, theirs, either = characters(first), characters(second), characters([*first, *second])
    f1 = (
        Statistic.of(2 * (ours + theirs - either) / (ours + theirs))
        if ours + theirs
        else Statistic.undefined(NOTHING_MARKED)
    )
    one, other = (touched_sentences(marks, grid) for marks in (first, second))
    return PairAgreement(
        exact=(spans[0] & spans[1]).total(),
        first_marks=len(first),
        second_marks=len(second),
        character_f1=f1,
        sentences=cohen_agreement(one, other),
        ac1=gwet_ac1(one, other),
    )


def touched_sentences(marks: Iterable[Mark], grid: SentenceGrid) -> list[bool]:
    """For each sentence whether any of the marks touches it."""
    touched = {position for mark in marks for span in mark for position in grid.touched(span)}
    return [position in touched for position in range(len(grid))]
