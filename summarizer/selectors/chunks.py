"""The chunks of a book, as strategies take them."""

from summarizer.chunking import chunk_sections
from summarizer.models import Book
from summarizer.selectors.books import included_ranges
from summarizer.strategies.records import SourceChunk


def source_chunks(book: Book, chunk_size: int) -> list[SourceChunk]:
    """Chunks of at most `chunk_size` tokens of the book's included sections, in order, offsets into its text."""
    return [
        SourceChunk(book.text[chunk.start : chunk.end], chunk.start, chunk.end, chunk.tokens)
        for chunk in chunk_sections(book.text, included_ranges(book), chunk_size)
    ]
