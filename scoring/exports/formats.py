"""The formats of an export: each writes a study to a binary stream."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from annotation.models import Study
from scoring.exports.dataset import write_dataset
from scoring.exports.jsonl import jsonl_lines
from scoring.exports.label_studio import label_studio_pieces
from scoring.exports.snapshot import snapshot
from scoring.exports.tables import write_tables

#: Hears how many records are written.
Progress = Callable[[int], None]
STEP = 500


class Write(Protocol):
    def __call__(self, study: Study, target: BinaryIO, *, with_source: bool, progress: Progress) -> None: ...


@dataclass(frozen=True)
class Format:
    key: str
    name: str
    #: For whom it is.
    use: str
    suffix: str
    content_type: str
    write: Write
    #: Whether it can hold the books' texts.
    takes_source: bool = True
    #: In the name of the file, where the suffix does not tell the format.
    infix: str = ""


def _jsonl(study: Study, target: BinaryIO, *, with_source: bool, progress: Progress) -> None:
    for number, line in enumerate(jsonl_lines(study, with_source=with_source), start=1):
        target.write(line)
        if number % STEP == 0:
            progress(number)


def _label_studio(study: Study, target: BinaryIO, *, with_source: bool, progress: Progress) -> None:
    for number, piece in enumerate(label_studio_pieces(study), start=1):
        target.write(piece)
        if number % STEP == 0:
            progress(number)


FORMATS: dict[str, Format] = {
    each.key: each
    for each in (
        Format(
            "jsonl",
            "JSONL",
            "Everything, a record a line. Can be imported again.",
            "jsonl",
            "application/jsonl",
            _jsonl,
        ),
        Format(
            "csv",
            "CSV",
            "A table for each kind of record, for spreadsheets and statistics programs.",
            "zip",
            "application/zip",
            write_tables,
            infix="-tables",
        ),
        Format(
            "label-studio",
            "Label Studio",
            "Summaries with the marks of people as annotations and of judges as predictions.",
            "json",
            "application/json",
            _label_studio,
            takes_source=False,
            infix="-label-studio",
        ),
        Format(
            "dataset",
            "Dataset folder",
            "A card and a JSONL file for each kind of record, ready for the Hugging Face Hub.",
            "zip",
            "application/zip",
            write_dataset,
            infix="-dataset",
        ),
    )
}


@contextmanager
def _loaded_left_alone() -> Iterator[None]:
    """Collections of garbage don't look through what the process had before: that doubles the time of an export."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def write_study(
    study: Study,
    target: BinaryIO,
    *,
    form: Format,
    with_source: bool = False,
    progress: Progress = lambda done: None,
) -> None:
    """Write one state of the study, whatever others do meanwhile."""
    with snapshot(), _loaded_left_alone():
        form.write(study, target, with_source=with_source, progress=progress)
