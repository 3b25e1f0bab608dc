"""The chunks of a book, as strategies take them."""

import hashlib
import json

from django.core.cache import cache

from summarizer.chunking import CHUNKER, chunk_sections
from summarizer.models import Book
from summarizer.selectors.books import included_ranges
from summarizer.strategies.records import SourceChunk

#: Seconds for which the places of chunks are kept: from the plan of a launch to the end of its job.
KEPT_SECONDS = 7 * 24 * 3600


def source_chunks(book: Book, chunk_size: int) -> list[SourceChunk]:
    """Chunks of at most `chunk_size` tokens of the book's included sections, in order, offsets into its text.

    Where they lie is worked out once for a plan and kept: ten novels take a worker seconds, in which its calls wait.
    """
    included = included_ranges(book)
    stated = json.dumps([CHUNKER, book.text_sha256, included, chunk_size])
    key = "chunks:" + hashlib.sha256(stated.encode()).hexdigest()
    if (places := cache.get(key)) is None:
        chunks = chunk_sections(book.text, included, chunk_size)
        places = [(chunk.start, chunk.end, chunk.tokens) for chunk in chunks]
        cache.set(key, places, timeout=KEPT_SECONDS)
    return [SourceChunk(book.text[start:end], start, end, tokens) for start, end, tokens in places]
