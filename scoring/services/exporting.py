"""Writing a study to a file, in any of the formats."""

import os
import tempfile
from pathlib import Path

from annotation.access import Blinded, require_unsealed
from annotation.models import Study
from scoring.exports.formats import Format, Progress, write_study


class ExportRefused(Exception):
    """Why nothing is exported; the message is for the user."""


def require_exportable(study: Study) -> None:
    """Raises ExportRefused while the study is under blind review: its sources are closed to everybody."""
    try:
        require_unsealed(study)
    except Blinded as error:
        raise ExportRefused(str(error)) from error


def export_to_file(
    *, study: Study, path: Path, form: Format, with_source: bool = False, progress: Progress = lambda done: None
) -> int:
    """Write the study to a file that is whole or not there at all; returns its bytes.

    Raises ExportRefused while it is under blind review, and where the file can't be written.
    """
    require_exportable(study)
    if with_source and not form.takes_source:
        raise ExportRefused(f"{form.name} has no place for the books' texts. Leave --with-source out, or take JSONL.")
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as target:
                write_study(study, target, form=form, with_source=with_source, progress=progress)
                size = target.tell()
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise ExportRefused(f"{path} can't be written: {error.strerror}.") from error
    return size
