"""Plain files of others, row by row: JSON, JSONL or CSV, each row with the place that messages name."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.imports.context import ImportRefused
from summarizer.text import NotText, decode, storable

FORMATS = ("json", "jsonl", "csv")
#: Python's own limit of a CSV cell is shorter than a summary may be.
LONGEST_CELL = 10_000_000


@dataclass(frozen=True)
class FileRow:
    where: str
    values: dict[str, Any]

    def refuse(self, message: str) -> NoReturn:
        raise ImportRefused(f"{self.where}: {message}")

    def text(self, name: str) -> str:
        """A text that is there and not empty."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"{name} is missing.")
        return value

    def name(self, name: str) -> str:
        """A text by which something is found again: one that can't be stored as it is, is refused and not mended."""
        value = self.text(name)
        if storable(value) != value:
            self.refuse(f"{name} holds a character that no text here can: NUL, or half of a pair.")
        return value


def file_format(filename: str) -> str:
    """By the ending of the file's name. Raises ImportRefused."""
    ending = filename.rsplit(".", 1)[-1].lower()
    if ending not in FORMATS:
        raise ImportRefused(f"{filename} must end in .json, .jsonl or .csv, so that it is clear how to read it.")
    return ending


def read_text(data: bytes) -> str:
    try:
        return decode(data).text
    except NotText as error:
        raise ImportRefused(str(error)) from error


def json_value(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise ImportRefused(f"{where} is no JSON: {error}.") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a name that stands twice: the first value would be lost without a word."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:100]!a} stands twice in one object")
        found[name] = value
    return found


def jsonl_rows(text: str) -> Iterator[FileRow]:
    """An object a line. Lines end with LF; U+2028 and the like are letters of a text."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            values = json_value(line, f"Line {number}")
            if not isinstance(values, dict):
                raise ImportRefused(f"Line {number} is no JSON object.")
            yield FileRow(f"Line {number}", values)


def csv_rows(text: str, columns: tuple[str, ...]) -> Iterator[FileRow]:
    """Rows under a heading that has at least these columns; commas, semicolons or tabs between cells."""
    csv.field_size_limit(LONGEST_CELL)
    heading = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or []]
        reader.fieldnames = names
        if missing := [name for name in columns if name not in names]:
            raise ImportRefused(f"The heading lacks {' and '.join(missing)}.")
        for values in reader:
            yield FileRow(f"Line {reader.line_num}", dict(values))
    except csv.Error as error:
        raise ImportRefused(f"Line {reader.line_num}: {error}.") from error
