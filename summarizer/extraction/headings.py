"""Chapter headings in plain text: lines that stand alone and read like one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from summarizer.extraction import matter

#: No line of a heading is longer.
_LONGEST = 120
#: What stands under a heading of front or back matter is at most this share of the text, or this many characters.
_MOST_MATTER, _SHORT_MATTER = 0.2, 400

_NUMBER = (
    r"(?:\d{1,3}|[ivxlcdm]{1,8}|(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)"
    r"|(?:twenty|thirty|forty|fifty)?[- ]?(?:one|two|three|four|five|six|seven|eight|nine)"
    r"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)"
)
_NUMBERED = re.compile(
    rf"(?:chapter|book|part|volume|vol\.|letter|stave|canto|act|scene|section)\s+{_NUMBER}\b"
    r"(?:\s*[.:;,—–-].{0,80}|\s+(?-i:[^a-z\s]).{0,80})?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?:book|part|volume|vol\.|act)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:prologue|epilogue|preface|introduction|interlude|conclusion|afterword|appendix)\b.{0,60}", re.I
)
_ROMAN = re.compile(r"[IVXLC]{1,8}(?:\.?|\. [^a-z]{2,80})")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that starts at offset `start`. A part heads chapters; matter is front or back matter."""

    title: str
    start: int
    is_part: bool = False
    matter: str = ""


def find(text: str, start: int, end: int) -> list[Heading]:
    """Headings in `text[start:end)` in order, with those of a contents list folded into the list."""
    found = []
    for lines, first in _blocks(text, start, end):
        if len(lines) <= 2 and all(len(line) <= _LONGEST for line in lines):
            shown = [" ".join(line.split()) for line in lines]
            if heading := _heading(shown[0], shown[1] if len(shown) > 1 else "", first):
                found.append(heading)
    found = _without_contents(text, _without_lone_romans(found), end)
    return _without_stray_matter(found, start, end)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[list[str], int]]:
    """Lines without a blank one between them, and the offset of the first character of the first."""
    lines: list[str] = []
    first = offset = start
    for line in text[start:end].split("\n"):
        if not line.strip():
            if lines:
                yield lines, first
            lines = []
        else:
            if not lines:
                first = offset + len(line) - len(line.lstrip())
            lines.append(line)
        offset += len(line) + 1
    if lines:
        yield lines, first


def _heading(line: str, title: str, start: int) -> Heading | None:
    """A block of one line, or of two of which the second is the chapter's title."""
    if _NUMBERED.fullmatch(line) or _NAMED.fullmatch(line):
        if line.endswith((",", ";")):
            return None
        return Heading(f"{line.rstrip('.')}. {title}" if title else line, start, is_part=bool(_PARTS.match(line)))
    if title:
        return None
    if _ROMAN.fullmatch(line):
        return Heading(line, start)
    reason = matter.by_title(line)
    return Heading(line, start, matter=reason) if reason else None


def _without_lone_romans(headings: list[Heading]) -> list[Heading]:
    """Numerals, bare or before a title in capitals, count only when there are several and no line says "chapter"."""
    romans = [heading for heading in headings if _ROMAN.fullmatch(heading.title)]
    chapters = [heading for heading in headings if _NUMBERED.fullmatch(heading.title) and not heading.is_part]
    if len(romans) >= 3 and not chapters:
        return headings
    return [heading for heading in headings if heading not in romans]


def _without_stray_matter(headings: list[Heading], start: int, end: int) -> list[Heading]:
    """A line "Notes" amid the story is part of it: front matter stands before the chapters, back matter after them.

    What follows such a line up to the next heading would be left out, so at the edges too it may not be long.
    """
    chapters = [heading.start for heading in headings if not heading.matter]
    first, last = (chapters[0], chapters[-1]) if chapters else (end, start)
    kept = []
    for heading, following in zip_longest(headings, headings[1:]):
        length = (following.start if following else end) - heading.start
        outside = heading.start < first or heading.start > last
        if not heading.matter or (outside and length <= max(_SHORT_MATTER, _MOST_MATTER * (end - start))):
            kept.append(heading)
    return kept


def _without_contents(text: str, headings: list[Heading], end: int) -> list[Heading]:
    """After a heading "Contents", headings with no text of their own are lines of the list, up to the last such one."""
    kept: list[Heading] = []
    in_contents = False
    for heading, following in zip_longest(headings, headings[1:]):
        body = text[heading.start : following.start if following else end].split("\n", 1)
        bare = following is not None and len(body[-1].split()) < 5
        if in_contents and bare:
            continue
        in_contents = heading.matter == "contents list"
        kept.append(heading)
    return kept
