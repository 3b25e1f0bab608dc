"""Cut a text into chunks of at most so many tokens, each ending at the best place there is.

Best is the end of a paragraph, else of a sentence, else of a clause, else of a word, else between two code points.
The better place wins as long as it leaves the chunk at least half full; only a chunk that has no place at all in its
second half ends in its first. Chunks follow each other without a gap: together they are the text.

The text is encoded once. A chunk's own token count differs from its share of that only at its edges, so counting it
exactly takes the encoding of one word at either end (see `_EncodedText.count`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from summarizer.sentences import abbreviations
from summarizer.tokens import count_tokens, encode_to_array, encoding

#: Name and version; a new version wherever a text would be cut in other places.
CHUNKER = "cl100k_base chunks 1"

_CLOSERS = "\"'”’»›)\\]}」』）】》〉"
_OPENERS = "“‘«‹「『（《〈"
# Every repetition is bounded and possessive: a run of a million spaces or full stops costs no more than other text.
#: A blank line; the cut comes after it and leaves the indent to the paragraph that follows.
_PARAGRAPH_END = re.compile(r"\n[^\S\n]{0,99}+\n(?=[^\S\n]{0,99}+\S)")
_SENTENCE_END = re.compile(
    rf"[.!?…]{{1,9}}+[{_CLOSERS}]{{0,9}}+(?:\s{{1,99}}+(?=\S)|(?=[{_OPENERS}]))"
    rf"|[。！？…]{{1,9}}+[{_CLOSERS}]{{0,9}}+\s{{0,99}}+(?=[^\s{_CLOSERS}。！？…])"
)
_CLAUSE_END = re.compile(
    rf"[.!?…,;:]{{1,9}}+[{_CLOSERS}]{{0,9}}+\s{{1,99}}+(?=\S)|[—–，、；：]{{1,9}}+[{_CLOSERS}]{{0,9}}+\s{{0,99}}+(?=\S)"
)
_WORD_END = re.compile(r"\s{1,99}+(?=\S)")
_LAST_WORD = re.compile(r"([^\W\d_][\w.’']*)\Z")
#: A border at which the encoding always ends one piece and begins another, whatever stands around it: a letter or
#: figure, then one of these. The pattern of cl100k_base looks ahead only over white space and never back.
_BORDER = re.compile(r"[^\W_](?=[ \n.,;:!?\"“”—。，！？、])")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch `[start, end)` of a text, in code points, and the cl100k tokens of exactly this stretch."""

    start: int
    end: int
    tokens: int


def chunk(text: str, size: int) -> list[Chunk]:
    """Chunks of at most `size` tokens whose concatenation is the text (of an empty text: none).

    Raises ValueError when a single code point has more than `size` tokens (only possible below 4).
    """
    if size < 1:
        raise ValueError("The chunk size must be at least 1 token.")
    encoded = _EncodedText(text)
    chunks: list[Chunk] = []
    start = 0
    while start < len(text):
        chunks.append(_next_chunk(encoded, start, size))
        start = chunks[-1].end
    return chunks


def chunk_sections(text: str, included: Sequence[tuple[int, int]], size: int) -> list[Chunk]:
    """Chunks of the included stretches `[start, end)` of a book's text, with offsets into that text.

    Stretches that touch are chunked as one; no chunk reaches over what lies between two that don't. A stretch of
    white space gives none.
    """
    return [
        Chunk(start + piece.start, start + piece.end, piece.tokens)
        for start, end in join_touching(included)
        if text[start:end].strip()
        for piece in chunk(text[start:end], size)
    ]


def join_touching(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same stretches, in order, with those that touch made one and empty ones left out."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if joined and joined[-1][1] >= start:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


class _EncodedText:
    """A text with the place of each of its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        tokens = encode_to_array(text)
        #: Byte at which each token starts; one more for the end.
        self._token_starts = np.concatenate(([0], np.cumsum(_token_lengths()[tokens])))
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        #: Byte at which each code point starts (a byte 10xxxxxx continues one); one more for the end.
        self._byte_starts = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))

    def limit(self, start: int, tokens: int) -> int:
        """The code point that is about `tokens` tokens after `start`, at least one code point on."""
        first = self._token_starts.searchsorted(self._byte_starts[start])
        byte = self._token_starts[min(first + tokens, len(self._token_starts) - 1)]
        return max(start + 1, int(self._byte_starts.searchsorted(byte, side="right")) - 1)

    def count(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]` taken by itself."""
        head = _BORDER.search(self.text, start, end)
        if head is None:
            return count_tokens(self.text[start:end])
        first = head.end()
        last = self._last_border(first, end)
        return (
            count_tokens(self.text[start:first])
            + self._token_index(last)
            - self._token_index(first)
            + count_tokens(self.text[last:end])
        )

    def _last_border(self, first: int, end: int) -> int:
        width = 64
        while end - width > first:
            borders = [match.end() for match in _BORDER.finditer(self.text, end - width, end)]
            if borders:
                return borders[-1]
            width *= 4
        return max((match.end() for match in _BORDER.finditer(self.text, first, end)), default=first)

    def _token_index(self, border: int) -> int:
        return int(self._token_starts.searchsorted(self._byte_starts[border]))


@cache
def _token_lengths() -> np.ndarray:
    """Bytes of each ordinary token, by token."""
    tokens = encoding()
    ordinary = len(tokens.token_byte_values())
    return np.array([len(tokens.decode_single_token_bytes(token)) for token in range(ordinary)], dtype=np.int64)


def _next_chunk(encoded: _EncodedText, start: int, size: int) -> Chunk:
    wanted = size
    while True:
        limit = encoded.limit(start, wanted)
        end = limit if limit == len(encoded.text) else _best_end(encoded.text, start, limit)
        tokens = encoded.count(start, end)
        if tokens <= size:
            return Chunk(start, end, tokens)
        if end == start + 1:
            raise ValueError(f"A chunk of {size} tokens is too small: a single character here has {tokens}.")
        # At its edges a chunk may have more tokens than the same stretch has inside the text.
        wanted = max(1, wanted - max(tokens - size, wanted // 50)) if wanted > 1 else 1
        if wanted == 1 and encoded.limit(start, 1) >= end:
            return _by_code_point(encoded, start, end, size)


def _by_code_point(encoded: _EncodedText, start: int, end: int, size: int) -> Chunk:
    """The last resort of tiny sizes: one code point less at a time."""
    while end > start + 1:
        end -= 1
        tokens = encoded.count(start, end)
        if tokens <= size:
            return Chunk(start, end, tokens)
    raise ValueError(f"A chunk of {size} tokens is too small: a single character here has more.")


def _best_end(text: str, start: int, limit: int) -> int:
    middle = start + (limit - start) // 2
    for low, high in ((middle, limit), (start, middle)):
        for pattern, accepts in _PLACES:
            if end := _last_place(pattern, accepts, text, low, high):
                return end
    return _code_point_end(text, start, limit)


def _last_place(
    pattern: re.Pattern[str], accepts: Callable[[str, int, int], bool], text: str, low: int, high: int
) -> int | None:
    """End of the last place that the pattern finds and the rule accepts, in `(low, high]`: looked for from the end."""
    width = 192
    upper = high
    while upper > low:
        lower = max(low, upper - width)
        # A place may begin before the window and end in it; and what it looks ahead to may stand after it.
        for match in reversed(list(pattern.finditer(text, max(0, lower - 64), min(len(text), upper + 64)))):
            if lower < match.end() <= upper and accepts(text, match.start(), match.end()):
                return match.end()
        upper, width = lower, width * 4
    return None


def _any_place(text: str, start: int, end: int) -> bool:
    return True


def _ends_sentence(text: str, start: int, end: int) -> bool:
    """Not after an abbreviation or an initial, and not before a small letter ("No!" said he)."""
    return not text[end].islower() and not _after_abbreviation(text, start)


def _ends_clause(text: str, start: int, end: int) -> bool:
    return not _after_abbreviation(text, start)


def _after_abbreviation(text: str, start: int) -> bool:
    if text[start] != ".":
        return False
    word = _LAST_WORD.search(text, max(0, start - 20), start)
    if word is None:
        return False
    return (len(word[1]) == 1 and word[1] != "I") or word[1].lower() in abbreviations()


def _code_point_end(text: str, start: int, limit: int) -> int:
    """The limit, or a little before it where it would part a closing quote from what it closes."""
    for end in range(limit, max(start, limit - 16), -1):
        if text[end] not in _CLOSERS:
            return end
    return limit


_PLACES: tuple[tuple[re.Pattern[str], Callable[[str, int, int], bool]], ...] = (
    (_PARAGRAPH_END, _any_place),
    (_SENTENCE_END, _ends_sentence),
    (_CLAUSE_END, _ends_clause),
    (_WORD_END, _any_place),
)
