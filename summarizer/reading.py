"""Show a text to a reader: only for the eye, offsets never refer to what is shown."""

import re

_BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)+")
#: Lines that were broken to fit a page are nearly full; verse, lists and addresses are not.
_SHORTEST, _LONGEST = 50, 90


def without_hard_breaks(text: str) -> str:
    """The text with lines joined where a paragraph was broken to fit a page; everything else stays as it is."""
    return _BLOCK.sub(_joined, text)


def _joined(block: re.Match[str]) -> str:
    *lines, last = block[0].split("\n")
    broken = all(_SHORTEST <= len(line) <= _LONGEST and not line[0].isspace() for line in lines)
    return " ".join([*(line.rstrip() for line in lines), last]) if broken and not last[0].isspace() else block[0]
