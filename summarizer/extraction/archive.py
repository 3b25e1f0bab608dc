"""The files inside an EPUB, read with a budget on what they unpack to. Nothing is ever written to disk."""

import io
import posixpath
import zipfile
import zlib
from typing import IO
from urllib.parse import unquote, urlsplit

from summarizer.extraction.book import ExtractionError

_PIECE = 64 * 1024
_MOST_ENTRIES = 20_000


class Unreadable(Exception):
    """One file of the archive is missing, damaged or outside of it. `str()` says which in words."""


class Archive:
    """Reads files by their path in the archive. What all reads give together counts against the budget."""

    def __init__(self, data: bytes, limit_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, NotImplementedError) as error:
            raise ExtractionError("This file is not a readable EPUB: it is damaged or another format.") from error
        if len(self._zip.infolist()) > _MOST_ENTRIES:
            raise ExtractionError(f"This EPUB has more than {_MOST_ENTRIES:,} files inside; no book has.")
        self._names = {name.replace("\\", "/"): name for name in self._zip.namelist()}
        self._folded = {name.casefold(): name for name in self._names}
        self._left = limit_bytes
        self._limit = limit_bytes

    def find(self, path: str) -> str | None:
        """The path under which the file is there: as written, else with another case of letters."""
        if path in self._names:
            return path
        return self._folded.get(path.casefold())

    def read(self, path: str) -> bytes:
        """Raises Unreadable for this file alone, ExtractionError for the book (budget spent, password)."""
        found = self.find(path)
        if found is None:
            raise Unreadable(f"{path} is not in the archive")
        try:
            with self._zip.open(self._names[found]) as stream:
                return self._read_within_budget(stream)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, KeyError) as error:
            raise Unreadable(f"{path} is damaged") from error
        except RuntimeError as error:  # zipfile's word for an encrypted entry
            raise ExtractionError("This EPUB is protected by a password. Upload an unprotected copy.") from error

    def _read_within_budget(self, stream: IO[bytes]) -> bytes:
        read = bytearray()
        while piece := stream.read(_PIECE):
            self._left -= len(piece)
            if self._left < 0:
                raise ExtractionError(f"This EPUB unpacks to more than {self._limit / 1024**2:.3g} MB.")
            read += piece
        return bytes(read)


def resolve(base: str, reference: str) -> tuple[str, str]:
    """Path in the archive and fragment of a reference (a URI) that stands in the file `base`.

    Raises Unreadable for one that leads out of the archive.
    """
    try:
        parts = urlsplit(reference.strip())
    except ValueError as error:
        raise Unreadable(f"“{reference[:100]}” is no address") from error
    path = unquote(parts.path).replace("\\", "/")
    if parts.scheme or parts.netloc or path.startswith("/"):
        raise Unreadable(f"“{reference[:100]}” lies outside of the book")
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(base), path)) if path else base
    if joined == ".." or joined.startswith("../"):
        raise Unreadable(f"“{reference[:100]}” lies outside of the book")
    return joined, unquote(parts.fragment)
