"""Ids of rows as a browser sends them."""

from collections.abc import Iterable

#: The largest id that both databases take.
LARGEST_ID = 2**63 - 1
_MOST_DIGITS = len(str(LARGEST_ID))


def row_id(text: str) -> int | None:
    """The id that `text` spells in ASCII digits; None for anything else, also for a number that no row can have."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if number <= LARGEST_ID else None


def row_ids(texts: Iterable[str]) -> set[int]:
    """The ids among `texts`."""
    return {number for text in texts if (number := row_id(text)) is not None}
