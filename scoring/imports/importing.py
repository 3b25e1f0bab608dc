"""The whole import in one transaction."""

import re
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, transaction

from annotation.models import Study
from annotation.services.studies import StudyError, check_new_name
from scoring.exports.jsonl import ExportUnreadable, Header, check_file, jsonl_lines, parse_line
from scoring.exports.kind import Kind
from scoring.exports.kinds import BY_NAME, KINDS
from scoring.exports.snapshot import snapshot
from scoring.imports import nested
from scoring.imports.context import Context, ImportRefused, Line
from scoring.imports.inserting import insert_exactly
from scoring.imports.matching import match
from summarizer.text import storable

#: Lines that are read and written together.
BATCH = 500
#: How JSON spells characters that no database takes.
_SPELT = re.compile(rb"\\u(0000|[dD][89a-fA-F])")


def import_export(*, path: Path, study_name: str) -> dict[str, Any]:
    """Read a JSONL export back into a study that is not here yet.

    Books, systems, judges and their marks that are here already are used as they are. A second import of the same file
    changes nothing. Returns {"study", "created": {rows by kind}, "unchanged"}.
    Raises ImportRefused for a file that is cut off or changed, contradicts itself, or contradicts what is stored; then
    nothing is stored.
    """
    try:
        header = check_file(path)
        if study := Study.objects.filter(name=study_name).first():
            _require_same(study, header, path)
            return {"study": study_name, "created": {}, "unchanged": True}
        check_new_name(study_name)
        with transaction.atomic():
            created = _import(path, header, study_name)
    except (ExportUnreadable, StudyError) as error:
        raise ImportRefused(str(error)) from error
    new = {name: count for name, count in created.items() if count}
    return {"study": study_name, "created": new, "unchanged": False}


def _require_same(study: Study, header: Header, path: Path) -> None:
    with path.open("rb") as stream, snapshot():
        lines = jsonl_lines(study, with_source=header.with_source, name=header.study)
        number = next((number for number, line in enumerate(lines, start=1) if stream.readline() != line), None)
    if number is None:
        return
    raise ImportRefused(
        f"There is a study {study.name} here already, and it differs from the file in line {number}. "
        "Import under another name."
    )


def _import(path: Path, header: Header, study_name: str) -> dict[str, int]:
    context = Context(study_name, header.with_source)
    created = dict.fromkeys(BY_NAME, 0)
    for (kind, _), lines in groupby(_lines(path), key=_together):
        try:
            # Of its own, so that what a database refuses can be told with the kind it was.
            with transaction.atomic():
                while batch := list(islice(lines, BATCH)):
                    created[kind.name] += _take(context, kind, batch)
        except (IntegrityError, DataError) as error:
            message = f"The records of the kind {kind.name} contradict each other, or what is here: {error}"
            raise ImportRefused(message) from None
    _require_counts(context, header)
    return created


def _lines(path: Path) -> Iterator[Line]:
    with path.open("rb") as stream:
        stream.readline()
        for number, line in enumerate(stream, start=2):
            record = parse_line(line, number)
            if record.get("record") == "end":
                return
            if _SPELT.search(line) and (character := _unstorable(record)):
                raise ImportRefused(f"Line {number}: a text holds the character {character}, which no text here can.")
            yield Line(number, record)


def _unstorable(value: Any) -> str:
    """What no database takes, by name; empty where there is none."""
    if isinstance(value, str):
        return "" if storable(value) == value else "NUL" if "\0" in value else "of half a surrogate pair"
    children = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_unstorable, children)), "")


def _kind_of(line: Line) -> Kind:
    name = line.record.get("record")
    if not isinstance(name, str) or name not in BY_NAME:
        line.refuse(f"unknown record {name!r}.")
    return BY_NAME[name]


def _together(line: Line) -> tuple[Kind, bool]:
    """Cleaned summaries apart from those they were cleaned from: only written rows can be linked to."""
    return _kind_of(line), line.record.get("cleaned_from") is not None


def _take(context: Context, kind: Kind, lines: list[Line]) -> int:
    """Write a batch of one kind; returns how many rows are new."""
    ids = context.ids[kind.name]
    for expected, line in enumerate(lines, start=len(ids) + 1):
        if line.record.get("id") != expected:
            line.refuse(f"this should be the {kind.name} with the id {expected}: they count from 1 without a gap.")
    built = [(line, context.build(kind, line)) for line in lines]
    nested.prepare(kind.name, context, built)
    matched = match(kind.name, context, built)
    new = [pair for pair, found in zip(built, matched, strict=True) if found is None]
    insert_exactly([row for _, row in new])
    every = [(line, found or row) for (line, row), found in zip(built, matched, strict=True)]
    ids.update((line.record["id"], row.pk) for line, row in every)
    context.were_here[kind.name] |= {found.pk for found in matched if found is not None}
    nested.finish(kind.name, context, new, every)
    return len(new)


def _require_counts(context: Context, header: Header) -> None:
    for kind in KINDS:
        found = len(context.ids[kind.name])
        if found != header.counts[kind.name]:
            raise ImportRefused(
                f"The file has {found} records of the kind {kind.name}, and its header says {header.counts[kind.name]}."
            )
