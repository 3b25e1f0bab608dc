"""Writing a study to a file, in any of the formats."""

import os
import tempfile
from pathlib import Path

from annotation.access import SEALED, is_unblinded
from annotation.models import Study
from scoring.exports.formats import Format, write_study


class ExportRefused(Exception):
    """Why nothing is exported; the message is for the user."""


def require_exportable(study: Study) -> None:
    """Raises ExportRefused while the study is under blind review: its sources are closed to everybody."""
    if study.phase == Study.Phase.REVIEWING and not is_unblinded(study):
        raise ExportRefused(SEALED.format(study=study.title))


def export_to_file(*, study: Study, path: Path, form: Format, with_source: bool = False) -> int:
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
                write_study(study, target, form=form, with_source=with_source)
                size = target.tell()
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise ExportRefused(f"{path} can't be written: {error.strerror}.") from error
    return size
