"""Chapter headings in plain text: lines that stand alone and read like one."""

import re
from dataclasses import dataclass
from itertools import zip_longest

from summarizer.extraction import matter

_NUMBER = (
    r"(?:\d{1,3}|[ivxlcdm]{1,8}|(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)"
    r"|(?:twenty|thirty|forty|fifty)?[- ]?(?:one|two|three|four|five|six|seven|eight|nine)"
    r"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)"
)
_NUMBERED = re.compile(
    rf"(?:chapter|book|part|volume|vol\.|letter|stave|canto|act|scene|section)\s+{_NUMBER}\b(?:\W.{{0,80}})?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?:book|part|volume|vol\.|act)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:prologue|epilogue|preface|introduction|interlude|conclusion|afterword|appendix)\b.{0,60}", re.I
)
_ROMAN = re.compile(r"[IVXLC]{1,8}\.?")
#: Lines without a blank one between them.
_BLOCK = re.compile(r"(?:[^\S\n]*\S[^\n]*(?:\n|\Z))+")
_LONGEST = 200


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
    for block in _BLOCK.finditer(text, start, end):
        lines = [" ".join(line.split()) for line in block[0][:_LONGEST].splitlines()]
        if block.end() - block.start() < _LONGEST and len(lines) <= 2:
            first = block.start() + len(block[0]) - len(block[0].lstrip())
            if heading := _heading(lines[0], lines[1] if len(lines) > 1 else "", first):
                found.append(heading)
    return _without_contents(text, _without_lone_romans(found), end)


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
    """Bare numerals count as headings only when there are several and no line says "chapter"."""
    romans = [heading for heading in headings if _ROMAN.fullmatch(heading.title)]
    chapters = [heading for heading in headings if _NUMBERED.fullmatch(heading.title) and not heading.is_part]
    if len(romans) >= 3 and not chapters:
        return headings
    return [heading for heading in headings if heading not in romans]


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
