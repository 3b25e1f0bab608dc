"""Plain text: one canonical text with sections at its chapter headings."""

import re
from dataclasses import replace

from summarizer.extraction import gutenberg, headings, matter
from summarizer.extraction.book import ExtractedBook, ExtractedSection, ExtractionError, give_gaps_to_excluded
from summarizer.text import NotText, canonical_text, decode

_BY = re.compile(
    r"\s*(?P<title>\S[^\n]{0,150})\n\s*(?:(?:a|the) [^\n]{0,60}\n\s*)?by\b[\s:]*(?P<author>\S[^\n]{0,100})", re.I
)


def extract_plain_text(data: bytes, filename_title: str) -> ExtractedBook:
    """Raises ExtractionError for binary data, an unknown encoding, and a text without a letter or figure."""
    try:
        decoded = decode(data)
    except NotText as error:
        raise ExtractionError(str(error)) from error
    text, changes = canonical_text(decoded.text)
    if not any(character.isalnum() for character in text):
        raise ExtractionError("No text was found in this file.")
    frame = gutenberg.frame(text)
    start, end = (frame.start, frame.end) if frame else (0, len(text))
    title, author = (frame.title, frame.author) if frame else ("", "")
    if not title and (match := _BY.match(text, start, min(end, start + 600))):
        title, author = (" ".join(match[name].split()) for name in ("title", "author"))
    warnings = [*decoded.warnings, *changes]
    if frame:
        warnings.append("Project Gutenberg's header and licence are proposed as left out.")
    return ExtractedBook(
        title=title or filename_title,
        author=author.rstrip("."),
        text=text,
        sections=give_gaps_to_excluded(text, _framed(text, start, end, title or filename_title, author)),
        warnings=warnings,
    )


def _framed(text: str, start: int, end: int, title: str, author: str) -> list[ExtractedSection]:
    sections = []
    if start > 0:
        sections.append(ExtractedSection("Project Gutenberg header", 0, start, False, "Project Gutenberg header"))
    sections += _chapters(text, start, end, title, author)
    if end < len(text):
        sections.append(ExtractedSection("Project Gutenberg licence", end, len(text), False, "licence"))
    return sections


def _chapters(text: str, start: int, end: int, book_title: str, author: str) -> list[ExtractedSection]:
    found = headings.find(text, start, end)
    sections: list[ExtractedSection] = []
    part, part_start = "", -1
    borders = [*(heading.start for heading in found[1:]), end] if found else []
    if found and text[start : found[0].start].strip():
        reason = matter.title_page(text[start : found[0].start], book_title, author)
        sections.append(ExtractedSection("Before the first heading", start, found[0].start, not reason, reason))
    for heading, border in zip(found, borders, strict=True):
        if heading.is_part:
            part = heading.title
            if len(text[heading.start : border].split()) < 20:  # the heading alone: it opens the chapter that follows
                part_start = heading.start if part_start < 0 else part_start
                if border < end:
                    continue
        section = ExtractedSection(
            heading.title,
            part_start if part_start >= 0 else heading.start,
            border,
            not heading.matter,
            heading.matter,
            part if part != heading.title else "",
        )
        sections.append(section)
        part_start = -1
    if not sections:
        return [ExtractedSection("Whole text", start, end)]
    sections[0] = replace(sections[0], start=start)
    return sections
