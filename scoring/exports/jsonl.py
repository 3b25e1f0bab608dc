"""JSONL: a header with the counts, a record a line, and at the end a SHA-256 over all lines before it.

Lines end with LF alone: U+2028 and the like are letters of a text, and nothing may split at them.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from annotation.models import Study
from scoring.exports.kinds import BY_NAME, FORMAT, FORMAT_VERSION
from scoring.exports.records import Record, study_records
from scoring.exports.selection import Selection


class ExportUnreadable(Exception):
    """A file that is no whole export; the message says what is wrong with it, with the line."""


def _plain(value: Any) -> str:
    if isinstance(value, date):  # also a datetime
        return value.isoformat()
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    raise TypeError(f"{value!r} can't be written to an export.")


encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain).encode


def header(selection: Selection, name: str) -> Record:
    return {
        "record": "header",
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "study": name,
        "with_source": selection.with_source,
        "counts": selection.counts,
    }


def jsonl_lines(study: Study, *, with_source: bool = False, name: str = "") -> Iterator[bytes]:
    """The lines of a study's export, each with its line end. `name`: what the study is called in the file."""
    selection = Selection(study, with_source=with_source)
    name = name or study.name
    digest = hashlib.sha256()
    lines = 0
    for record in _records(selection, name):
        line = encode(record).encode() + b"\n"
        digest.update(line)
        lines += 1
        yield line
    yield encode({"record": "end", "lines": lines, "sha256": digest.hexdigest()}).encode() + b"\n"


def _records(selection: Selection, name: str) -> Iterable[Record]:
    yield header(selection, name)
    for record in study_records(selection):
        if record["record"] == "study":
            record["name"] = name
        yield record


@dataclass(frozen=True)
class Header:
    study: str
    with_source: bool
    counts: dict[str, int]


def check_file(path: Path) -> Header:
    """Read a file once, from header to end. Raises ExportUnreadable for what is cut off, changed or of another kind."""
    try:
        with path.open("rb") as stream:
            head = read_header(stream)
            _check_end(stream)
    except OSError as error:
        raise ExportUnreadable(f"{path} can't be read: {error.strerror}.") from error
    return head


def read_header(stream: BinaryIO) -> Header:
    record = parse_line(stream.readline(), 1)
    if record.get("record") != "header" or record.get("format") != FORMAT:
        raise ExportUnreadable("Line 1 is no header of an export of Booook Web.")
    if record.get("version") != FORMAT_VERSION:
        raise ExportUnreadable(
            f"Line 1: the file has version {record.get('version')} of the format, and this is a program for version "
            f"{FORMAT_VERSION}. Use the one that the file was made with, or a newer one."
        )
    study, with_source = record.get("study"), record.get("with_source")
    counts: Any = record.get("counts")
    if not isinstance(study, str) or not isinstance(with_source, bool) or not _is_counts(counts):
        raise ExportUnreadable("Line 1: the header lacks the study's name, with_source or the counts.")
    # A file from before there were records of some kind has none of them.
    return Header(study, with_source, dict.fromkeys(BY_NAME, 0) | counts)


def _is_counts(counts: Any) -> bool:
    return (
        isinstance(counts, dict)
        and counts.keys() <= BY_NAME.keys()
        and all(type(count) is int and count >= 0 for count in counts.values())
    )


def parse_line(line: bytes, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ExportUnreadable(f"Line {number} is no JSON object. Is the file whole?")
    return record


def _check_end(stream: BinaryIO) -> None:
    stream.seek(0)
    digest = hashlib.sha256()
    lines = 0
    last = b""
    for line in stream:
        if last:
            digest.update(last)
            lines += 1
        last = line
    try:
        record = parse_line(last, lines + 1)
    except ExportUnreadable:
        record = {}
    if record.get("record") != "end" or not last.endswith(b"\n"):
        raise ExportUnreadable(f"The file is cut off after line {lines + 1}: its last line must be the record “end”.")
    if record.get("lines") != lines:
        raise ExportUnreadable(f"The file has {lines} lines before its end, and the end says {record.get('lines')}.")
    if record.get("sha256") != digest.hexdigest():
        raise ExportUnreadable("The file was changed after it was made: the SHA-256 in its last line does not match.")
