"""Which passages of a book a judge is shown for a unit: the sentences that hints name, with their neighbours. Pure.

What is told is often spread over some sentences, so a sentence alone rarely settles it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

Place = tuple[int, int]

#: Sentences before and after each found one that are shown with it.
NEIGHBOURS = 2
#: Passages: usual, and at most. Fewer are shown where they meet or where the context window ends.
PASSAGES, MOST_PASSAGES = 10, 50


def passages_around(
    ranked: Sequence[int], sentences: Sequence[Place], stretches: Sequence[Place], neighbours: int = NEIGHBOURS
) -> list[Place]:
    """The `ranked` sentences (their numbers) with their neighbours, as places in the order of the book.

    `sentences`: all `[start, end)` of the source, in order, each inside one of the `stretches` that count as source.
    Neighbours are of the same stretch, so no passage holds what is left out of the book. Passages that meet are one.
    """
    begins = [start for start, _ in stretches]

    def stretch(number: int) -> int:
        return bisect_right(begins, sentences[number][0])

    chosen = sorted(
        {
            near
            for number in ranked
            for near in range(max(0, number - neighbours), min(len(sentences), number + neighbours + 1))
            if stretch(near) == stretch(number)
        }
    )
    passages: list[Place] = []
    for place, number in enumerate(chosen):
        goes_on = place > 0 and chosen[place - 1] == number - 1 and stretch(number - 1) == stretch(number)
        start = passages.pop()[0] if goes_on else sentences[number][0]
        passages.append((start, sentences[number][1]))
    return passages


def passages_that_fit(
    ranked: Sequence[int],
    around: Callable[[Sequence[int]], list[Place]],
    tokens: Callable[[list[Place]], int],
    room: int,
) -> list[Place] | None:
    """The passages `around` as many of the first `ranked` sentences as can be shown in `room` tokens.

    None where not even those of the first one can, or, with nothing ranked, the prompt without any.
    """
    for count in range(len(ranked), 0 if ranked else -1, -1):
        if tokens(passages := around(ranked[:count])) <= room:
            return passages
    return None
