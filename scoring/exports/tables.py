"""CSV: a zip with a table for each kind of record, in the words of the JSONL and safe to open in a spreadsheet.

RFC 4180 (commas, quotes doubled, CRLF), UTF-8 with a byte order mark, which spreadsheets need to read all letters.
"""

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import groupby
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from annotation.models import Study
from scoring.exports.kind import Kind
from scoring.exports.kinds import BY_NAME, KINDS
from scoring.exports.records import Record, study_records
from scoring.exports.selection import Selection

#: A spreadsheet takes a cell that begins with one of these for a formula (the wide ones in East Asian versions).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
SPAN_COLUMNS = ("start", "end", "quote", "second_start", "second_end", "second_quote")
MARK_COLUMNS = ("annotator", "book", "system")
SENTENCES = ("summary", "index", "start", "end", "text")
BETWEEN = "; "

READ_ME = """Study {name}, exported from Booook Web.

A table for each kind of record. "id" counts the rows of a table from 1; a column that is named like another table
({examples}, ...) holds the id of a row there. Offsets (start, end) count Unicode code points into the summary's text.
Files are UTF-8 with a byte order mark, RFC 4180. A text that begins with {formula} has an apostrophe before it,
so that no spreadsheet runs it as a formula; the JSONL export has it as it is, and can be imported again.
Drafts and skipped sets are in the tables: only those with the state "submitted" count in figures.
"""


def write_tables(study: Study, target: BinaryIO, *, with_source: bool, progress: Callable[[int], None]) -> None:
    selection = Selection(study, with_source=with_source)
    names = _Names()
    done = 0
    with ZipFile(target, "w", ZIP_DEFLATED) as archive, tempfile.TemporaryFile() as sentences:
        archive.writestr(zip_entry("README.txt"), _read_me(study))
        sentence_writer = _Writer(sentences, SENTENCES)
        for name, records in _by_kind(selection):
            kind = BY_NAME[name]
            with archive.open(zip_entry(f"{name}.csv"), "w") as stream:
                writer = _Writer(stream, _columns(kind, with_source=with_source))
                for record in records:
                    writer.row(_flat(record, names))
                    if name == "summary":
                        sentence_writer.rows(_sentences(record))
                    done += 1
                    if done % 500 == 0:
                        progress(done)
        sentences.seek(0)
        with archive.open(zip_entry("sentence.csv"), "w") as stream:
            shutil.copyfileobj(sentences, stream)


def safe_cell(value: Any) -> Any:
    """A text that a spreadsheet would run gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def zip_entry(name: str) -> ZipInfo:
    """A compressed file of a zip, with a date that is always the same, so that equal exports are equal files."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _read_me(study: Study) -> str:
    formula = ", ".join(
        {"\t": "a tab", "\r": "a line break", "\n": "a line break"}.get(each, each) for each in FORMULA[:6]
    )
    return READ_ME.format(name=study.name, formula=formula, examples='"summary", "set", "mark"')


def _by_kind(selection: Selection) -> Iterator[tuple[str, Iterable[Record]]]:
    """Every kind of record, also one of which there is none."""
    present = groupby(study_records(selection), key=lambda record: str(record["record"]))
    for kind in KINDS:
        if not kind.is_source or selection.with_source:
            yield next(present) if selection.ids[kind.name] else (kind.name, ())


class _Writer:
    def __init__(self, stream: Any, columns: Iterable[str]) -> None:
        self._columns = tuple(columns)
        self._stream = stream
        self._buffer = io.StringIO()
        self._csv = csv.writer(self._buffer, lineterminator="\r\n")
        self._buffer.write("\ufeff")
        self._csv.writerow(self._columns)
        self._flush()

    def row(self, values: Record) -> None:
        self.rows([values])

    def rows(self, many: Iterable[Record]) -> None:
        self._csv.writerows([_cell(values.get(name)) for name in self._columns] for values in many)
        self._flush()

    def _flush(self) -> None:
        self._stream.write(self._buffer.getvalue().encode())
        self._buffer.seek(0)
        self._buffer.truncate()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, date):
        value = value.isoformat()
    return safe_cell(value)


def _columns(kind: Kind, *, with_source: bool) -> list[str]:
    columns = ["id"]
    for key in kind.keys(with_source=with_source):
        if key == "spans":
            columns += SPAN_COLUMNS
        elif key != "sentences":
            columns.append(key)
    return [*columns, *(MARK_COLUMNS if kind.name == "mark" else ())]


class _Names:
    """Names of what later rows refer to, so that a table of marks can be read on its own."""

    def __init__(self) -> None:
        self.of: dict[str, dict[int, Any]] = {name: {} for name in ("error_type", "annotator", "book", "system")}
        self.summaries: dict[int, tuple[str, str]] = {}
        self.sets: dict[int, tuple[str, str, str]] = {}

    def note(self, record: Record) -> None:
        kind, number = record["record"], record["id"]
        if kind in self.of:
            column = {"error_type": "key", "annotator": "pseudonym", "book": "title", "system": "name"}[kind]
            self.of[kind][number] = record[column]
        elif kind == "summary":
            self.summaries[number] = (self.of["book"][record["book"]], self.of["system"][record["system"]])
        elif kind == "set":
            self.sets[number] = (self.of["annotator"][record["annotator"]], *self.summaries[record["summary"]])


def _flat(record: Record, names: _Names) -> Record:
    names.note(record)
    if "spans" in record:
        values = [value for span in record["spans"] for value in span]
        record.update(zip(SPAN_COLUMNS, values, strict=False))
    if "error_types" in record:
        record["error_types"] = BETWEEN.join(names.of["error_type"][number] for number in record["error_types"])
    if record["record"] == "mark":
        record.update(zip(MARK_COLUMNS, names.sets[record["set"]], strict=True))
    return record


def _sentences(record: Record) -> Iterator[Record]:
    for index, (start, end) in enumerate(record["sentences"]):
        text = record["text"][start:end]
        yield {"summary": record["id"], "index": index, "start": start, "end": end, "text": text}
