"""Guidelines in versions: a change makes a new one, and people who have read an older one are told once."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import BigAutoField, BigIntegerField, QuerySet

from annotation.models import Assignment, GuidelinesRead, GuidelinesVersion, Study
from annotation.statements import Parameter, Statement
from summarizer.word_diff import Piece, word_diff


class GuidelinesError(Exception):
    """Why no new version can be made now; what was written is not lost, the page shows it again."""


@dataclass(frozen=True)
class Met:
    """The guidelines as a person finds them: the newest version, and the one that they read before it."""

    newest: GuidelinesVersion | None
    before: GuidelinesVersion | None = None

    @property
    def changed(self) -> bool:
        return self.before is not None

    @property
    def pieces(self) -> list[Piece]:
        return word_diff(self.before.text, self.newest.text) if self.before and self.newest else []

    @property
    def notes(self) -> list[str]:
        """What changed, by the notes of all versions since."""
        if not self.before or not self.newest:
            return []
        versions = GuidelinesVersion.objects.filter(study=self.newest.study_id, number__gt=self.before.number)
        return [note for note in versions.order_by("number").values_list("note", flat=True) if note]


def first_version(*, study: Study, author_id: int | None) -> None:
    """The guidelines that a new study begins with; none if it begins without."""
    if study.guidelines:
        GuidelinesVersion.objects.create(study=study, number=1, text=study.guidelines, author_id=author_id)


@transaction.atomic
def change_guidelines(
    *, study: Study, text: str, base: int, note: str = "", author_id: int | None = None
) -> GuidelinesVersion | None:
    """A new version with `text`, or None if it equals the newest. `base` is the number that it was written from, or 0.

    Raises GuidelinesError if somebody made another version meanwhile, or if the study is closed.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    text = text.replace("\r\n", "\n")  # how a form sends line ends
    newest = newest_version(study.pk)
    if study.phase == Study.Phase.CLOSED:
        raise GuidelinesError("This study is closed; its guidelines stay as people read them.")
    number = newest.number if newest else 0
    if base != number:
        raise GuidelinesError(
            f"Version {number} was made while you wrote. Your text is kept below: look at what the other one changed, "
            "take it over, and save again."
        )
    if text == (newest.text if newest else ""):
        return None
    study.guidelines = text
    study.save(update_fields=["guidelines"])
    return GuidelinesVersion.objects.create(
        study=study, number=number + 1, text=text, note=note.strip(), author_id=author_id
    )


def newest_version(study_id: int) -> GuidelinesVersion | None:
    return GuidelinesVersion.objects.filter(study=study_id).order_by("-number").first()


def version_shown(*, study_id: int | None, number: int | None) -> int | None:
    """The key of a study's version with this number, else of its newest one; None if it has none."""
    row = (number and _NUMBERED.row(study=study_id, number=number)) or _NEWEST.row(study=study_id)
    return row[0] if row else None


def _versions() -> "QuerySet[GuidelinesVersion, Any]":
    return GuidelinesVersion.objects.filter(study=Parameter("study", BigAutoField())).values_list("pk")


_NUMBERED = Statement(lambda: _versions().filter(number=Parameter("number", BigIntegerField())))
_NEWEST = Statement(lambda: _versions().order_by("-number")[:1])


def meet_guidelines(assignment: Assignment) -> Met:
    """Call this when a task is opened. What a person meets first counts as read; of a later change they are told."""
    newest = newest_version(assignment.study_id)
    if newest is None:
        return Met(None)
    read, _ = GuidelinesRead.objects.select_related("version").get_or_create(
        annotator_id=assignment.annotator_id, study_id=assignment.study_id, defaults={"version": newest}
    )
    return Met(newest, read.version if read.version.number < newest.number else None)


def read_guidelines(assignment: Assignment) -> Met:
    """Call this when the person looks at the guidelines: they now have read the newest version."""
    met = meet_guidelines(assignment)
    if met.changed and met.newest:
        GuidelinesRead.objects.filter(
            annotator=assignment.annotator_id, study=assignment.study_id, version__number__lt=met.newest.number
        ).update(version=met.newest)
    return met
