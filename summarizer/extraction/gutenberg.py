"""Project Gutenberg's frame: header, licence, and the marker lines between which the book stands."""

import re
from dataclasses import dataclass

_START = re.compile(
    r"^[ \t]*(?:\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)\b[^*]{0,400}\*{3}"
    r"|\*END ?\*? ?THE SMALL PRINT!.*\*END\*)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"^[ \t]*\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)\b", re.IGNORECASE | re.MULTILINE)
_LAST_LINE = re.compile(r"^[ \t]*End of (?:the |this )?Project Gutenberg\b.*$", re.IGNORECASE | re.MULTILINE)
_CREDITS = re.compile(
    r"\s*(?:\[?(?:Produced|Prepared|Transcribed|Scanned) by|E-?text prepared by|This e-?text was)\b(?:.+\n)+",
    re.IGNORECASE,
)
_FIELD = r"^{name}:[ \t]*(\S.*)$"


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the book itself stands in the file, and what the header says of it."""

    start: int
    end: int
    title: str = ""
    author: str = ""


def frame(text: str) -> Frame | None:
    """The stretch between the markers; None without markers, or when nothing but white space stands between them."""
    opening = _START.search(text)
    closing = _END.search(text, opening.end() if opening else 0)
    if opening is None and closing is None:
        return None
    start = opening.end() if opening else 0
    end = closing.start() if closing else len(text)
    if opening and (credits := _CREDITS.match(text, start, end)):
        start = credits.end()
    if last := _LAST_LINE.search(text, max(start, end - 500), end):
        end = last.start()
    if not text[start:end].strip():
        return None
    header = text[:start]
    return Frame(start, end, _field(header, "Title"), _field(header, "Author"))


def _field(header: str, name: str) -> str:
    match = re.search(_FIELD.format(name=name), header, re.MULTILINE)
    return match[1].strip() if match else ""
