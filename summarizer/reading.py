"""Show a text to a reader: only for the eye, offsets never refer to what is shown."""

import re

_BLANK_LINES = re.compile(r"(\n{2,})")
#: Lines that were broken to fit a page are nearly full; verse, lists and addresses are not.
_SHORTEST, _LONGEST = 50, 90


def without_hard_breaks(text: str) -> str:
    """The text with lines joined where a paragraph was broken to fit a page; everything else stays as it is."""
    return "".join(_joined(block) for block in _BLANK_LINES.split(text))


def _joined(block: str) -> str:
    *lines, last = block.split("\n")
    if not last or not all(lines):
        return block
    if not all(_SHORTEST <= len(line) <= _LONGEST and not line[0].isspace() for line in lines) or last[0].isspace():
        return block
    return " ".join([*(line.rstrip() for line in lines), last])
