"""EPUB: the documents of the reading order, one after another, named by the contents list."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from summarizer.extraction import gutenberg, matter
from summarizer.extraction.archive import Archive, Unreadable
from summarizer.extraction.book import ExtractedBook, ExtractedSection, ExtractionError, give_gaps_to_excluded
from summarizer.extraction.contents import Entry, read_contents
from summarizer.extraction.markup import Chapter, read_chapter
from summarizer.extraction.package import Package, SpineItem, read_package
from summarizer.extraction.protection import refuse_protected
from summarizer.extraction.xml import NotMarkup, is_guessed, parse_xhtml
from summarizer.text import canonical_text

_GAP = "\n\n"
_NOTES = "notes"


@dataclass(frozen=True, slots=True)
class _Document:
    item: SpineItem
    chapter: Chapter


def extract_epub(data: bytes, filename_title: str, limit_bytes: int) -> ExtractedBook:
    """Raises ExtractionError for what is no EPUB, is protected, unpacks to too much, or has no text."""
    archive = Archive(data, limit_bytes)
    package = read_package(archive)
    refuse_protected(archive, {item.path for item in package.spine})
    entries = read_contents(archive, package)
    warnings = list(package.warnings)
    documents = _read_documents(archive, package, warnings)
    if not any(character.isalnum() for document in documents for character in document.chapter.text):
        raise ExtractionError("No text was found in this EPUB: it holds only pictures or empty pages.")
    title = package.title or filename_title
    text, sections = _assemble(documents, entries, package, title)
    text, changes = canonical_text(text)
    sections = give_gaps_to_excluded(text, _without_frame(text, sections))
    if not any(section.included for section in sections):
        warnings.append("Every section looks like front or back matter. Choose what is to be summarized.")
    return ExtractedBook(
        title=title,
        author=package.author,
        text=text,
        sections=sections,
        warnings=[*warnings, *changes, *_left_out(documents)],
        source_format="epub",
    )


def _read_documents(archive: Archive, package: Package, warnings: list[str]) -> list[_Document]:
    documents = []
    for item in package.spine:
        try:
            data = archive.read(item.path)
            chapter = read_chapter(parse_xhtml(data))
        except (Unreadable, NotMarkup) as error:
            warnings.append(f"A document of the reading order was left out: {item.path} can't be read ({error}).")
            continue
        if chapter.text.strip() or chapter.notes.strip():
            documents.append(_Document(item, chapter))
            if is_guessed(data):
                warnings.append(
                    f"{item.path} is not in the encoding that it declares; it was read as Windows-1252 (Western "
                    "European). Check accents and quotes."
                )
            if unreadable := (chapter.text + chapter.notes).count("\N{REPLACEMENT CHARACTER}"):
                warnings.append(f"Unreadable characters in {item.path}, which stand as \ufffd: {unreadable:,}.")
        else:
            warnings.append(f"{item.path} has no text and was left out.")
    return documents


def _left_out(documents: list[_Document]) -> list[str]:
    counts: Counter[str] = Counter()
    for document in documents:
        counts += document.chapter.left_out
    endings = {"note mark": "; notes are kept in sections of their own"}
    return [
        f"{number:,} {what}{' was' if number == 1 else 's were'} left out{endings.get(what, '')}."
        for what, number in sorted(counts.items())
    ]


def _assemble(
    documents: list[_Document], entries: list[Entry], package: Package, book_title: str
) -> tuple[str, list[ExtractedSection]]:
    text = ""
    pieces: list[str] = []
    length = 0
    sections: list[ExtractedSection] = []
    for document in documents:
        own = [entry for entry in entries if entry.path == document.item.path]
        for body, found in (
            (document.chapter.text, _sections(document, own, package, book_title, split_at_headings=not entries)),
            (document.chapter.notes, _notes(document, own)),
        ):
            if not body.strip():
                continue
            if length:
                pieces.append(_GAP)
                length += len(_GAP)
                sections[-1] = replace(sections[-1], end=length)
            sections += [replace(section, start=section.start + length, end=section.end + length) for section in found]
            pieces.append(body)
            length += len(body)
    text = "".join(pieces)
    return text, sections


def _notes(document: _Document, entries: list[Entry]) -> list[ExtractedSection]:
    of = f" to {entries[0].title}" if entries and document.chapter.text.strip() else ""
    return [ExtractedSection(f"Notes{of}", 0, len(document.chapter.notes), False, _NOTES)]


def _sections(
    document: _Document, entries: list[Entry], package: Package, book_title: str, *, split_at_headings: bool
) -> list[ExtractedSection]:
    chapter = document.chapter
    borders = _borders(chapter, entries, split_at_headings)
    sections = []
    for (start, (title, part)), (end, _) in pairwise([*sorted(borders.items()), (len(chapter.text), ("", ""))]):
        section = ExtractedSection(title, start, end, part=part)
        reason = _reason(section, document, package, book_title, whole=len(borders) == 1)
        named = title or (reason.capitalize() if document.item.linear else "")
        sections.append(replace(section, title=named, included=not reason, reason=reason))
    return sections


def _borders(chapter: Chapter, entries: list[Entry], split_at_headings: bool) -> dict[int, tuple[str, str]]:
    """Offset -> title and part of the section that begins there."""
    borders: dict[int, tuple[str, str]] = {}
    for entry in entries:
        offset = chapter.line_start(chapter.anchors.get(entry.fragment, 0)) if entry.fragment else 0
        part = entry.parents[-1] if entry.parents else ""
        # Of several entries that lead to one place, the innermost names it: its parents are in its part.
        if offset not in borders or borders[offset][0] in entry.parents:
            borders[offset] = (entry.title, part)
    if split_at_headings:
        borders |= {start: (_line(chapter, start), "") for start in _top_headings(chapter)}
    for start, end, _ in chapter.matter:
        borders.setdefault(start, ("", ""))
        if following := chapter.next_line(end):
            borders.setdefault(following, ("", ""))
    borders.setdefault(0, ("", ""))
    _name_by_heading(chapter, borders)
    return _without_bare_parts(chapter, borders)


def _name_by_heading(chapter: Chapter, borders: dict[int, tuple[str, str]]) -> None:
    levels = dict(chapter.lines)
    for start, (title, part) in borders.items():
        if not title and levels.get(start):
            borders[start] = (_line(chapter, start), part)


def _without_bare_parts(chapter: Chapter, borders: dict[int, tuple[str, str]]) -> dict[int, tuple[str, str]]:
    """A section that is only a heading opens the one that follows, whose name stays."""
    kept: dict[int, tuple[str, str]] = {}
    opening: int | None = None
    for start, end in pairwise([*sorted(borders), len(chapter.text)]):
        lines = chapter.lines[bisect_left(chapter.lines, (start,)) : bisect_left(chapter.lines, (end,))]
        bare = all(level for _, level in lines)
        if bare and end < len(chapter.text):
            opening = start if opening is None else opening
            continue
        kept[start if opening is None else opening] = borders[start]
        opening = None
    return kept


def _top_headings(chapter: Chapter) -> list[int]:
    levels = [level for _, level in chapter.lines if level]
    top = [start for start, level in chapter.lines if levels and level == min(levels)]
    return top if len(top) > 1 else []


def _line(chapter: Chapter, start: int) -> str:
    return " ".join(chapter.text[start : start + 300].split("\n\n", 1)[0].split())


def _reason(section: ExtractedSection, document: _Document, package: Package, book_title: str, *, whole: bool) -> str:
    item, chapter = document.item, document.chapter
    text = chapter.text[section.start : section.end]
    if not item.linear:
        return "outside of the reading order (linear=no)"
    if item.path == package.nav_path:
        return "contents list"
    index = bisect_left(chapter.matter, (section.end,)) - 1
    if index >= 0:
        start, end, reason = chapter.matter[index]
        if min(end, section.end) - max(start, section.start) >= 0.9 * len(text.strip()):
            return reason
    if reason := matter.by_title(section.title):
        return reason
    if whole and (reason := matter.by_type(package.guide.get(item.path, ""))):
        return reason
    if whole and chapter.linked > 0.6 * len(chapter.text) and chapter.text.count("\n") >= 3:
        return "contents list"
    return matter.by_text(text, book_title)


def _without_frame(text: str, sections: list[ExtractedSection]) -> list[ExtractedSection]:
    """Cut Project Gutenberg's header and licence off the sections they stand in."""
    frame = gutenberg.frame(text)
    if frame is None:
        return sections
    cut: list[ExtractedSection] = []
    for section in sections:
        for start, end, reason in (
            (0, frame.start, "Project Gutenberg header"),
            (frame.start, frame.end, ""),
            (frame.end, len(text), "licence"),
        ):
            piece = replace(section, start=max(start, section.start), end=min(end, section.end))
            if piece.start >= piece.end:
                continue
            if reason:
                piece = replace(piece, included=False, reason=reason, title=piece.title or reason.capitalize())
            cut.append(piece)
    return cut
