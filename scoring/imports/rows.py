"""Plain files of others, row by row: JSON, JSONL or CSV, each row with the place that messages name."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.imports.context import ImportRefused
from summarizer.text import NotText, decode

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
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ImportRefused(f"{where} is no JSON: {error}.") from error


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
