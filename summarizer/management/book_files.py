"""What the commands that take a book file share: reading it, and printing one JSON document."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from summarizer.extraction import ExtractedBook, ExtractionError, extract


def read_file(name: str) -> bytes:
    """Raises CommandError, with one line, for a file that is not there, can't be read or is too large."""
    path = Path(name)
    if path.is_dir():
        raise CommandError(f"{name} is a directory; name one book file.")
    try:
        size = path.stat().st_size
        if size > settings.UPLOAD_LIMIT_BYTES:
            raise CommandError(f"{name} is larger than {settings.UPLOAD_LIMIT_BYTES / 1024**2:.3g} MB.")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{name} can't be read: {error.strerror}.") from error


def extract_file(name: str) -> ExtractedBook:
    """Raises CommandError for a file that can't be read as a book."""
    try:
        return extract(read_file(name), Path(name).name, limit_bytes=settings.UPLOAD_LIMIT_BYTES)
    except ExtractionError as error:
        raise CommandError(str(error)) from error


def as_json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)
