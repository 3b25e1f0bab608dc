"""Passages of a book around the sentences that were found for a unit."""

from functools import partial

import pytest

from annotation.unit_judge.passages import passages_around, passages_that_fit

#: Ten sentences of nine characters; between the fifth and the sixth a section is left out (50 to 100).
FIRST = [(start, start + 9) for start in range(0, 50, 10)]
SECOND = [(start, start + 9) for start in range(100, 150, 10)]
SENTENCES = [*FIRST, *SECOND]
STRETCHES = [(0, 50), (100, 150)]

around = partial(passages_around, sentences=SENTENCES, stretches=STRETCHES)


@pytest.mark.parametrize(
    ("ranked", "neighbours", "passages"),
    [
        ([], 2, []),
        ([2], 0, [(20, 29)]),
        ([2], 1, [(10, 39)]),
        ([0], 2, [(0, 29)]),
        ([9], 2, [(120, 149)]),
        # In the order of the book, whatever their rank.
        ([8, 0], 0, [(0, 9), (130, 139)]),
        # Those that overlap or follow one another are one.
        ([1, 3], 1, [(0, 49)]),
        ([1, 4], 1, [(0, 49)]),
        ([0, 4], 1, [(0, 19), (30, 49)]),
        ([3, 3], 0, [(30, 39)]),
        # Never across what is left out of the book.
        ([4], 2, [(20, 49)]),
        ([4, 5], 1, [(30, 49), (100, 119)]),
    ],
)
def test_passages(ranked, neighbours, passages):
    assert around(ranked, neighbours=neighbours) == passages


def characters(places):
    return 100 + sum(end - start for start, end in places)


@pytest.mark.parametrize(
    ("ranked", "room", "passages"),
    [
        ([0, 9], 1000, [(0, 29), (120, 149)]),
        ([0, 9], 158, [(0, 29), (120, 149)]),
        # The likeliest one stays.
        ([0, 9], 157, [(0, 29)]),
        ([9, 0], 157, [(120, 149)]),
        ([9, 0], 129, [(120, 149)]),
        ([9, 0], 128, None),
        ([], 100, []),
        ([], 99, None),
    ],
)
def test_as_many_as_fit(ranked, room, passages):
    assert passages_that_fit(ranked, around, characters, room) == passages
