"""Marks of people: spans as text without offsets, single or two with shared questions; and decisions about them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, TypeVar

from annotation.release.files import expecting, read_mapping, text_of
from annotation.release.judgements import type_names

_AGREEMENTS = {"agree": "agree", "partially agree": "partial", "don't agree": "disagree", "disagree": "disagree"}
_BY_JUDGE = {"human": False, "model": True}
_REASONS = {"A": "not-relevant", "B": "answered", "C": "does-not-matter", "D": "other"}

Book = TypeVar("Book")

#: Flags of a mark: what an import had to guess, and what became of it.
PLACE_BY_HAND = "place by hand"
PLACED_BY_HAND = "placed by hand"
SAME_SPAN_TWICE = "both spans are the same"


@dataclass(frozen=True)
class ReleasedMark:
    #: One quote, or two for a relation.
    quotes: tuple[str, ...]
    questions: str
    types: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[tuple[str, ...], str]:
        """What tells a mark in one file from others, and finds it in another file."""
        return self.quotes, self.questions


@dataclass(frozen=True)
class ReleasedDecision:
    by_judge: bool
    mark: ReleasedMark
    #: "agree", "partial" or "disagree".
    agreement: str
    reasons: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class MarkedSummary:
    summary: str
    marks: tuple[ReleasedMark, ...]


@dataclass(frozen=True)
class ReviewedSummary:
    summary: str
    decisions: tuple[ReleasedDecision, ...]


@dataclass(frozen=True)
class Place:
    """Where a quote stands: its first occurrence, and how many there are."""

    start: int
    end: int
    occurrences: int
    #: Found only after runs of white space were taken as equal.
    loosely: bool = False
    #: The quote is not in this text, but in the version of it that was marked.
    carried_over: bool = False


def read_marks(path: Path) -> dict[str, MarkedSummary]:
    """{book: summary with the marks of people}: singles first, then relations, each in the order of the file."""
    return _each_book(path, "a summary with marks", _marked)


def read_reviews(path: Path) -> dict[str, ReviewedSummary]:
    """{book: summary with what a reviewer decided about marks of people and of the judge}."""
    return _each_book(path, "a summary with decisions about marks", _reviewed)


def locate(text: str, quote: str) -> Place | None:
    """The first occurrence of the quote in the text, or None."""
    found = occurrences(text, quote)
    return Place(*found[0], len(found), loosely=quote not in text) if found else None


def occurrences(text: str, quote: str) -> list[tuple[int, int]]:
    """`[start, end)` of each occurrence of the quote, in order; where it is nowhere exactly, with other white space."""
    if not quote.strip():
        return []
    pattern = re.escape(quote) if quote in text else r"\s+".join(re.escape(word) for word in quote.split())
    return [found.span() for found in re.finditer(pattern, text)]


def carry_over(marked: str, stored: str, place: Place) -> Place | None:
    """The place in `stored` of what stands at `place` in `marked`, another version of the same text.

    Words are aligned; where none of the quoted ones is left, the nearest word before (or after) them stands for them.
    None where the versions have no word in common.
    """
    words, others = list(re.finditer(r"\S+", marked)), list(re.finditer(r"\S+", stored))
    matcher = SequenceMatcher(None, [word.group() for word in words], [word.group() for word in others], autojunk=False)
    partner = {
        block.a + step: others[block.b + step] for block in matcher.get_matching_blocks() for step in range(block.size)
    }
    if not partner:
        return None
    quoted = [index for index, word in enumerate(words) if word.start() < place.end and place.start < word.end()]
    kept = [index for index in quoted if index in partner] or [
        min(partner, key=lambda index: (abs(index - quoted[0]), index > quoted[0]))
    ]
    return Place(partner[kept[0]].start(), partner[kept[-1]].end(), place.occurrences, carried_over=True)


def _each_book(path: Path, what: str, read: Callable[[Any], Book]) -> dict[str, Book]:
    books = {}
    for book, entry in read_mapping(path).items():
        with expecting(what, f"{path}, {book}"):
            books[book] = read(entry)
    return books


def _marked(entry: Any) -> MarkedSummary:
    if not {"singles", "relations"} & entry.keys():
        raise KeyError("singles")
    singles = [_single(mark) for mark in entry.get("singles") or ()]
    relations = [_relation(mark) for mark in entry.get("relations") or ()]
    return MarkedSummary(text_of(entry["summary"]), (*singles, *relations))


def _single(mark: Mapping[str, Any]) -> ReleasedMark:
    return _mark((mark["span"],), mark.get("questions"), mark.get("labels"))


def _relation(mark: Mapping[str, Any]) -> ReleasedMark:
    return _mark((mark["span_a"], mark["span_b"]), mark.get("shared_questions"), mark.get("shared_labels"))


def _mark(quotes: tuple[Any, ...], questions: Any, labels: Any) -> ReleasedMark:
    return ReleasedMark(tuple(text_of(quote) for quote in quotes), text_of(questions or ""), type_names(labels))


def _reviewed(entry: Any) -> ReviewedSummary:
    return ReviewedSummary(text_of(entry["summary"]), tuple(_decision(decision) for decision in entry["annotations"]))


def _decision(entry: Mapping[str, Any]) -> ReleasedDecision:
    agreement = _AGREEMENTS.get(text_of(entry["agreement"]).strip().lower().replace("’", "'"))
    if agreement is None:
        raise ValueError(f"{entry['agreement']!r} is no agreement, partial agreement or disagreement")
    mark, explanation = entry["anno"], entry.get("explanation") or []
    return ReleasedDecision(
        by_judge=_BY_JUDGE[entry["source"]],
        mark=_single(mark) if "span" in mark else _relation(mark),
        agreement=agreement,
        reasons=tuple(
            _REASONS.get(text_of(reason).strip()[:1].upper(), "other") for reason in entry.get("reasons") or ()
        ),
        # One text, or one a reason.
        comment=explanation if isinstance(explanation, str) else "\n".join(explanation),
    )
