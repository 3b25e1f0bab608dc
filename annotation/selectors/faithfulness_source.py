"""The source that a summary is checked against: the included sections of its book."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from threading import Lock

from django.core.cache import cache

from annotation.faithfulness.blocks import blocks
from annotation.faithfulness.embedding import name_of_rule, similarity_to
from annotation.faithfulness.hints import HintIndex
from summarizer.models import Book
from summarizer.selectors.books import included_ranges
from summarizer.sentences import SPLITTER, split_sentences

Place = tuple[int, int]

_MAKING = Lock()


@dataclass(frozen=True)
class Piece:
    """A block `[start, end)` of the source, and the titles of the sections that are left out before it."""

    start: int
    end: int
    text: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    pieces: list[Piece]
    #: The titles of the sections left out after the last piece.
    left_out_at_end: tuple[str, ...]

    @property
    def left_out(self) -> int:
        """How many sections are left out."""
        return len(self.left_out_at_end) + sum(len(piece.left_out) for piece in self.pieces)


@dataclass(frozen=True)
class SearchableSource:
    """The sentences of a source, as places in the book's text and ready to be asked for hints."""

    places: list[Place]
    index: HintIndex
    #: Name and version of the rule that ranks them.
    rule: str


def source_ranges(book: Book) -> list[Place]:
    """The stretches of the book's text that count as source; all of it where it has no sections."""
    if not book.sections.exists():
        return [(0, len(book.text))] if book.text else []
    return included_ranges(book)


def source_of(book: Book) -> Source:
    left_out = [(each.start, str(each)) for each in book.sections.filter(included=False).order_by("index")]
    pieces = []
    for start, end in source_ranges(book):
        before = tuple(title for at, title in left_out if at < start)
        left_out = [(at, title) for at, title in left_out if at >= start]
        for number, (first, last) in enumerate(blocks(book.text, start, end)):
            pieces.append(Piece(first, last, book.text[first:last], before if number == 0 else ()))
    return Source(pieces, tuple(title for _, title in left_out))


def searchable_source(book: Book) -> SearchableSource:
    """Made once a process, by one at a time; the sentences once for all."""
    ranges = tuple(source_ranges(book))
    with _MAKING:
        return _searchable(book.pk, book.text_sha256, ranges)


@lru_cache(maxsize=4)
def _searchable(book_id: int, text_sha256: str, ranges: tuple[Place, ...]) -> SearchableSource:
    text = Book.objects.values_list("text", flat=True).get(pk=book_id)
    places = _sentences(text, text_sha256, ranges)
    sentences = [text[start:end] for start, end in places]
    similarity = similarity_to(sentences)
    return SearchableSource(places, HintIndex(sentences, similarity), name_of_rule(similarity))


def sentences_for(
    place: Place, summary: str, sentences: Sequence[Place], source: SearchableSource, count: int
) -> list[int]:
    """Numbers of the source's sentences that most likely bear on the unit at `place` of a summary, the likeliest first.

    `sentences`: those of the summary, as `[start, end)` in order.
    """
    around = [each for each in sentences if each[0] < place[1] and place[0] < each[1]] or [place]
    sentence = summary[around[0][0] : around[-1][1]]
    return source.index.ranked(summary[place[0] : place[1]], sentence, count)


def _sentences(text: str, text_sha256: str, ranges: tuple[Place, ...]) -> list[Place]:
    name = sha256(f"{text_sha256} {ranges} {SPLITTER}".encode()).hexdigest()
    key = f"source-sentences-{name}"
    places: list[Place] | None = cache.get(key)
    if places is None:
        split = [(start, split_sentences(text[start:end])) for start, end in ranges]
        places = [(offset + start, offset + end) for offset, found in split for start, end in found]
        cache.set(key, places, timeout=None)
    return places
