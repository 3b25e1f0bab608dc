"""A long source in blocks, so that a browser lays out only what is in view. Pure."""

from collections.abc import Iterator

#: Characters of a block before it may end, and after which it ends in any case.
SHORTEST = 2_000
LONGEST = 20_000


def blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches that tile `[start, end)` of the text, in order.

    A block ends after a line; only a line without an end in sight is cut, at a space if it has one.
    """
    while end - start > LONGEST or text.find("\n", start + SHORTEST, end) >= 0:
        cut = _cut(text, start, min(end, start + LONGEST))
        if cut >= end:
            break
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _cut(text: str, start: int, end: int) -> int:
    """Where the block that starts here ends: its line ends go with it."""
    line_end = text.find("\n", start + SHORTEST, end)
    if line_end < 0:
        return text.rfind(" ", start + SHORTEST, end) + 1 or end
    while line_end < len(text) and text[line_end] == "\n":
        line_end += 1
    return line_end
