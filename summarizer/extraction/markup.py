"""From a chapter's markup to its text.

Rules: white space is as a browser shows it (no-break spaces stay); blocks are set apart by a blank line, lines of
verse, list items and table rows by a line break; a rule or an ornament between two paragraphs becomes "* * *".
Page numbers, scripts and pictures are left out. A note mark (a number or sign that links to its note and is raised,
bracketed or glued to the word before) is left out; a raised number without a link becomes superscript figures, so it
is never glued to a year. The notes themselves are collected apart from the text.
"""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

from summarizer.extraction import matter
from summarizer.extraction.xml import attribute, local_name, short_text

_SPACE, _LINE, _BLANK_LINE = 1, 2, 3
_GAPS = {_SPACE: " ", _LINE: "\n", _BLANK_LINE: "\n\n"}
_WHITE = re.compile(r"[ \t\n\r\f]+")

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(_HEADINGS) | {
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "details", "div", "dl", "fieldset"),
    *("figcaption", "figure", "footer", "form", "header", "hgroup", "main", "nav", "ol", "p", "pre", "section"),
    *("summary", "table", "ul"),
}
_LINES = {"li", "tr", "dt", "dd"}
_CELLS = {"td", "th"}
_SKIPPED = {
    *("head", "script", "style", "template", "noscript", "svg", "audio", "video", "iframe", "object", "canvas", "map"),
    *("rp", "rt", "button", "select", "textarea"),
}
#: What a reader would have seen of them.
_TOLD = {
    **dict.fromkeys(("audio", "video", "iframe", "object", "canvas"), "embedded object"),
    "rt": "ruby reading",
}
_LINE_CLASSES = {"line", "verse", "verseline", "verse-line", "poem-line", "poetry-line", "l", "v"}
_PAGE_CLASS = re.compile(r"(?:^|\s)(?:page-?num(?:ber)?|pageno|pagebreak|page_no)(?:$|\s)", re.IGNORECASE)
_ORNAMENT_CLASS = re.compile(r"(?:scene|section|space|thought|context)[-_]?break|asterism|ornament|separator", re.I)
_NOTE_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[*∗†‡§¶#]{1,4}|[a-z]|[ivx]{1,6})[\])]?\.?", re.IGNORECASE)
_NOTE_TYPES = {"footnote", "endnote", "rearnote", "note", "annotation", "footnotes", "endnotes", "rearnotes"}
_MARK_TYPES = {"noteref", "annoref", "biblioref"}
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(slots=True)
class Chapter:
    """A document's text, and what its structure says about places in it (code-point offsets)."""

    text: str = ""
    notes: str = ""
    #: Where the element with an id begins.
    anchors: dict[str, int] = field(default_factory=dict)
    #: Start of each line that begins a block or row, with the level of the heading that it is (0: none).
    lines: list[tuple[int, int]] = field(default_factory=list)
    #: Stretches marked as front or back matter, in order, none inside another: start, end, reason.
    matter: list[tuple[int, int, str]] = field(default_factory=list)
    #: Characters that are links, to tell a list of contents.
    linked: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def line_start(self, offset: int) -> int:
        """Start of the line in which the offset lies, or of the heading directly before it."""
        index = bisect_left(self.lines, (offset + 1,)) - 1
        if index < 0:
            return 0
        start, level = self.lines[index]
        if level == 0 and index > 0 and self.lines[index - 1][1] > 0:
            return self.lines[index - 1][0]
        return start

    def next_line(self, offset: int) -> int | None:
        """Start of the first line at or after the offset."""
        index = bisect_left(self.lines, (offset,))
        return self.lines[index][0] if index < len(self.lines) else None


def read_chapter(root: etree._Element) -> Chapter:
    return _Reader().read(root)


class _Stream:
    """Text under construction: gaps are written only when text follows."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.gap = _BLANK_LINE
        self.ornament = False
        self.heading = 0

    def separate(self, gap: int) -> None:
        self.gap = max(self.gap, gap)

    def write(self, text: str, heading: int) -> int | None:
        """Append text without white space at its edges. Returns its offset when it begins a line, else None."""
        begins_line = self.gap >= _LINE
        if self.length:
            self._append(_GAPS.get(self.gap, ""))
            if self.ornament and begins_line and not heading and not self.heading:
                self._append("* * *\n\n")
        self.ornament = False
        self.gap = 0
        self.heading = heading
        start = self.length
        self._append(text)
        return start if begins_line else None

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def _append(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)


class _Reader:
    def __init__(self) -> None:
        self.chapter = Chapter()
        self.main, self.notes = _Stream(), _Stream()
        self.stream = self.main
        self.skipped: etree._Element | None = None
        self.note: etree._Element | None = None
        self.heading = 0
        self.preformatted = 0
        self.links = 0
        self.raised = 0
        self.waiting: list[str] = []
        #: The outermost open element that is marked as matter, with the length of the text at its start.
        self.matter: tuple[etree._Element, int, str] | None = None
        #: The length of the text at the start of each open block.
        self.open_blocks: list[int] = []

    def read(self, root: etree._Element) -> Chapter:
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._start(element)
            elif event == "end":
                self._end(element)
            elif self.skipped is None:
                self._text(element.tail)
        for name in self.waiting:
            self.chapter.anchors.setdefault(name, self.main.length)
        self.chapter.text, self.chapter.notes = self.main.text, self.notes.text
        return self.chapter

    def _start(self, element: etree._Element) -> None:
        if self.skipped is not None:
            return
        name = local_name(element)
        types = f"{attribute(element, 'type')} {attribute(element, 'role')}" if element.attrib else ""
        kinds = {value.removeprefix("doc-") for value in types.lower().split()}
        if anchor := attribute(element, "id") or (attribute(element, "name") if name == "a" else ""):
            self.waiting.append(anchor)
        if self._leaves_out(element, name, kinds):
            self.skipped = element
            return
        if kinds & _NOTE_TYPES and name in _BLOCKS | _LINES and self.note is None:
            self.note, self.stream = element, self.notes
            self.stream.separate(_BLANK_LINE)
        elif name in _BLOCKS and self.matter is None and (reason := matter.by_type(types)):
            self.matter = (element, self.main.length, reason)
        self._open(element, name)
        self._text(element.text)

    def _end(self, element: etree._Element) -> None:
        if self.skipped is not None:
            if self.skipped is not element:
                return
            self.skipped = None
        else:
            self._close(element, local_name(element))
            if self.matter is not None and self.matter[0] is element:
                self._mark_matter(*self.matter[1:])
                self.matter = None
            if self.note is element:
                self.note, self.stream = None, self.main
        self._text(element.tail)

    def _mark_matter(self, start: int, reason: str) -> None:
        first = self.chapter.next_line(start)
        if first is not None and first < self.main.length:
            self.chapter.matter.append((first, self.main.length, reason))

    def _open(self, element: etree._Element, name: str) -> None:
        classes = set(attribute(element, "class").lower().split()) if element.attrib else set()
        if name == "br":
            self.stream.gap = _BLANK_LINE if self.stream.gap == _LINE else max(self.stream.gap, _LINE)
        elif name == "hr":
            self.stream.separate(_BLANK_LINE)
            self.stream.ornament = True
        elif name in _LINES or classes & _LINE_CLASSES:
            self.stream.separate(_LINE)
        elif name in _BLOCKS:
            self.stream.separate(_BLANK_LINE)
            self.open_blocks.append(self.stream.length)
        elif name in _CELLS:
            self.stream.separate(_SPACE)
        self.heading = _HEADINGS.get(name, self.heading)
        self.preformatted += name == "pre"
        self.links += name == "a" and bool(attribute(element, "href"))
        self.raised += name == "sup"

    def _close(self, element: etree._Element, name: str) -> None:
        classes = attribute(element, "class").lower() if element.attrib else ""
        if name in _LINES or set(classes.split()) & _LINE_CLASSES:
            self.stream.separate(_LINE)
        elif name in _BLOCKS:
            empty = bool(self.open_blocks) and self.open_blocks.pop() == self.stream.length
            self.stream.separate(_BLANK_LINE)
            if empty and _ORNAMENT_CLASS.search(classes):
                self.stream.ornament = True
        if name in _HEADINGS:
            self.heading = 0
        self.preformatted -= name == "pre"
        self.links -= name == "a" and bool(attribute(element, "href"))
        self.raised -= name == "sup"

    def _text(self, text: str | None) -> None:
        if not text:
            return
        if "\xad" in text:
            self.chapter.left_out["soft hyphen"] += text.count("\xad")
        text = text.replace("\xad", "").replace("\ufeff", "")
        if self.preformatted:
            self._lines(text)
            return
        shown = _WHITE.sub(" ", text)
        if shown.startswith(" "):
            self.stream.separate(_SPACE)
        if shown.strip(" "):
            self._write(shown.strip(" "))
            if shown.endswith(" "):
                self.stream.separate(_SPACE)

    def _lines(self, text: str) -> None:
        for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
            if number:
                self.stream.gap = _BLANK_LINE if self.stream.gap >= _LINE else _LINE
            if line.strip():
                self._write(line.rstrip())
            if line != line.rstrip():
                self.stream.separate(_SPACE)

    def _write(self, text: str) -> None:
        if self.raised and text.isdecimal() and text.isascii():
            text = text.translate(_SUPERSCRIPT)
        begins = self.stream.write(text, self.heading)
        if self.stream is not self.main:
            return
        start = self.main.length - len(text)
        for name in self.waiting:
            self.chapter.anchors.setdefault(name, start)
        self.waiting.clear()
        if begins is not None:
            self.chapter.lines.append((begins, self.heading))
        if self.links:
            self.chapter.linked += len(text)

    def _leaves_out(self, element: etree._Element, name: str, kinds: set[str]) -> bool:
        if name in ("img", "svg"):
            return self._picture(element)
        if name in _SKIPPED or "page-list" in kinds:
            if what := _TOLD.get(name):
                self.chapter.left_out[what] += 1
            return True
        if element.get("hidden") is not None:
            self.chapter.left_out["hidden passage"] += name != "nav"
            return True
        if kinds & {"pagebreak"} or (element.attrib and _PAGE_CLASS.search(attribute(element, "class"))):
            self.chapter.left_out["page number"] += 1
            return True
        if name in ("a", "sup") and self._is_note_mark(element, name, kinds):
            self.chapter.left_out["note mark"] += 1
            return True
        return False

    def _picture(self, element: etree._Element) -> bool:
        """A picture of one letter is an initial and stands for it; any other is left out."""
        letter = attribute(element, "alt").strip()
        if len(letter) == 1 and letter.isalpha():
            self._write(letter)
        else:
            self.chapter.left_out["picture"] += 1
        return True

    def _is_note_mark(self, element: etree._Element, name: str, kinds: set[str]) -> bool:
        mark = short_text(element, 12)
        if mark is None or not _NOTE_MARK.fullmatch(mark):  # also a link marked as one may be on the words themselves
            return False
        if kinds & _MARK_TYPES:
            return True
        links = [element] if name == "a" else list(element.iter("{*}a"))
        if not any("#" in attribute(link, "href") for link in links) or self.stream.gap >= _LINE:
            return False
        raised = name == "sup" or self.raised > 0 or next(iter(element.iter("{*}sup")), None) is not None
        glued = self.stream.gap == 0 and self.stream.length > 0 and not mark[0].isalpha()
        return raised or glued or mark[0] in "[("
