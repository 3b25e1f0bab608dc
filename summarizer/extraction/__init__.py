"""From a file to a book: its text, sections, and what a person should know about how it was read."""

from pathlib import PurePath

from summarizer.extraction.book import ExtractedBook, ExtractedSection, ExtractionError
from summarizer.extraction.epub import extract_epub
from summarizer.extraction.plain_text import extract_plain_text

__all__ = ["ExtractedBook", "ExtractedSection", "ExtractionError", "extract"]

#: What an archive may unpack to, and how long a text may be, unless the caller says otherwise.
LIMIT_BYTES = 30 * 1024 * 1024
MAX_CHARACTERS = 10_000_000

#: First bytes of files that people take for books.
_OTHER_FORMATS = (
    (b"%PDF", "a PDF"),
    (b"{\\rtf", "an RTF document"),
    (b"\xd0\xcf\x11\xe0", "an old Word document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
)


def extract(data: bytes, filename: str, *, limit_bytes: int = LIMIT_BYTES) -> ExtractedBook:
    """Read a plain text or an EPUB; which one it is, its content decides (the name only for a broken EPUB).

    Raises ExtractionError, with a sentence for the uploader, for anything that is no readable book: empty, too large,
    protected, another format, no text in it.
    """
    if len(data) > limit_bytes:
        raise ExtractionError(f"This file is larger than {limit_bytes / 1024**2:.3g} MB, the most a book may have.")
    for magic, kind in _OTHER_FORMATS:
        if data.startswith(magic):
            raise ExtractionError(f"This file is {kind}. Upload plain text or an EPUB.")
    if data[60:68] == b"BOOKMOBI":
        raise ExtractionError("This file is a Kindle book. Upload plain text or an EPUB.")
    name = PurePath(filename)
    title = " ".join(name.stem.replace("_", " ").split()) or "Untitled"
    if data.startswith(b"PK") or name.suffix.lower() == ".epub":
        book = extract_epub(data, title, limit_bytes)
    else:
        book = extract_plain_text(data, title)
    if len(book.text) > MAX_CHARACTERS:
        raise ExtractionError(f"This text has more than {MAX_CHARACTERS:,} characters, the most a book may have.")
    return book
