"""Why a judgement or a rating can't be stored as it is. Each error's words are for the person."""

from collections.abc import Sequence
from typing import Any


class FaithfulnessError(Exception):
    """The change can't be stored as it is."""

    code = "invalid"


class FaithfulnessLocked(FaithfulnessError):
    """The task was submitted, or takes no answers any more."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class FaithfulnessIncomplete(FaithfulnessError):
    code = "incomplete"

    def __init__(self, message: str, missing: Sequence[str]) -> None:
        #: Keys of what is missing, in order.
        self.missing = list(missing)
        super().__init__(message)


class FaithfulnessConflict(FaithfulnessError):
    """What is stored changed since the version that the change was based on."""

    code = "conflict"

    def __init__(self, current: Any) -> None:
        #: The record as it is stored now.
        self.current = current
        super().__init__("This was changed in another window. Your change was not stored.")
