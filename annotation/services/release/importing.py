"""The whole import in one transaction."""

from pathlib import Path
from typing import Any

from django.db import DataError, transaction

from annotation.error_types import ensure_error_types
from annotation.models import Annotator, Study
from annotation.release.files import ReleaseError, ReleaseFiles, release_files
from annotation.services.release.judges import JudgeImport
from annotation.services.release.people import MarkImport
from annotation.services.release.preferences import PreferenceImport
from annotation.services.release.record import Record
from annotation.services.release.reviews import ReviewImport
from annotation.services.release.systems import SummaryImport
from annotation.services.studies import create_study
from summarizer.models import System

#: Names of what an import creates, in the order of its report.
CREATED = (
    "books",
    "systems",
    "summaries",
    "sentences",
    "intermediate summaries",
    "judges",
    "people",
    "verdicts",
    "marks",
    "decisions",
    "comparisons",
    "comparison answers",
    "comparison totals",
)


def import_release(*, folder: Path, study_name: str, absent: str, ambiguous: str = "first") -> dict[str, Any]:
    """Take over a folder in the layout of the public release, or what of it is there, into a study.

    `absent`: what a book that a judge's file lacks means (`Annotator.AbsentRule`). `ambiguous`: "first" places marks
    whose text occurs more than once at its first occurrence; "queue" does so too and flags them to be placed by hand.

    Returns {"study", "created": {rows by name}, "notes": [{"where", "what"}]}. A second import creates nothing.
    Raises ReleaseError where the folder can't be read or contradicts what is stored; then nothing is stored.
    """
    try:
        with transaction.atomic():
            return _import(folder, study_name, absent, ambiguous)
    except DataError as error:  # PostgreSQL holds names to the length of their columns
        raise ReleaseError(f"{folder} holds a name or number that is too large to store: {error}") from None


def _import(folder: Path, study_name: str, absent: str, ambiguous: str) -> dict[str, Any]:
    Annotator.AbsentRule(absent)
    files = release_files(folder)
    record = Record()
    study = _study(study_name)
    types = {error_type.key: error_type for error_type in ensure_error_types()}
    summaries = SummaryImport(study, record)
    marks = MarkImport(study, summaries, types, ambiguous == "queue", record)
    record.note("import", f"A book that a judge's file lacks: {Annotator.AbsentRule(absent).label}.")
    summaries.take_files(files)
    marks.take_files(files)
    JudgeImport(study, summaries.found, absent, types, record).take_files(files)
    ReviewImport(marks).take_files(files)
    PreferenceImport(study, summaries, record).take_files(files)
    summaries.finish()
    _note_unknown(files, record)
    _store_notes(study, record)
    return {
        "study": study.name,
        "created": {name: record.created[name] for name in CREATED},
        "notes": record.notes,
    }


def _study(name: str) -> Study:
    """A study for the import: a new one that is closed from the start, or the one of an earlier import."""
    study = Study.objects.filter(name=name).first()
    if study is None:
        study = create_study(name=name, guidelines="")
        study.phase = Study.Phase.CLOSED
        study.save(update_fields=["phase"])
    elif study.summaries.exclude(system__strategy=System.Strategy.IMPORTED).exists() or study.assignments.exists():
        raise ReleaseError(f"The study {name} has work of its own. Import into a new study: choose another name.")
    return study


def _note_unknown(files: ReleaseFiles, record: Record) -> None:
    for path in files.unknown:
        record.note(files.name(path), "This file is not part of the release's layout: left out.")


def _store_notes(study: Study, record: Record) -> None:
    new = [note for note in record.notes if note not in study.import_notes]
    if new:
        study.import_notes = [*study.import_notes, *new]
        study.save(update_fields=["import_notes"])
