"""What can be wrong with a change to marks, or to decisions about them (`services/gold.py`).

Each error's text is a sentence for the person who made the change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from annotation.models import Annotation, GoldDecision


class MarkError(Exception):
    #: Tells the page what to do; the text tells the person.
    code = "invalid"


class InvalidMark(MarkError):
    """The change can never be stored as it is."""


class MarkConflict(MarkError):
    """It changed since the version that the change was based on; `current` is None where it is gone."""

    code = "conflict"

    def __init__(self, current: Annotation | GoldDecision | None, message: str) -> None:
        self.current = current
        super().__init__(message)


class NotEditable(MarkError):
    """The set takes no changes: an annotator ended it, its study is in another phase, or its gold set is finished."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


@dataclass(frozen=True)
class Missing:
    """What a mark still lacks: "questions", "error_types"."""

    client_key: UUID
    fields: tuple[str, ...]


class IncompleteMarks(MarkError):
    code = "incomplete"

    def __init__(self, missing: Sequence[Missing]) -> None:
        self.missing = missing
        count = len(missing)
        marks = "1 mark still lacks" if count == 1 else f"{count} marks still lack"
        super().__init__(f"{marks} a question or an error type. Add what is missing, then submit.")


class NothingMarked(MarkError):
    code = "empty"

    def __init__(self) -> None:
        super().__init__("You marked nothing. If nothing in this summary confused you, confirm that, then submit.")
