"""Outcomes on their way from the event loop to the thread of an item."""

import threading
from collections.abc import Iterable, Sequence

from summarizer.strategies.base import Outcome


class Arrivals:
    """The outcomes of an item's calls, by step, as they come.

    The thread that waits for several is woken once, when the last of them is there: each time costs it the interpreter,
    which the event loop needs.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._there: dict[str, Outcome | BaseException | None] = {}
        self._awaited: set[str] = set()

    def put(self, step: str, outcome: Outcome | BaseException | None) -> None:
        """None stands for a call that was not made because the work was stopped."""
        with self._condition:
            self._there[step] = outcome
            self._awaited.discard(step)
            if not self._awaited:
                self._condition.notify()

    def wait(self, steps: Iterable[str]) -> None:
        """Block until all `steps` are there. For one thread at a time."""
        with self._condition:
            self._awaited = {step for step in steps if step not in self._there}
            self._condition.wait_for(lambda: not self._awaited)

    def take(self, steps: Sequence[str]) -> list[Outcome | None]:
        """Block until all `steps` are there, and hand them over, in order. Raises what a call raised."""
        self.wait(steps)
        taken = [self._there.pop(step) for step in steps]
        return [_raised(outcome) for outcome in taken]


def _raised(outcome: Outcome | BaseException | None) -> Outcome | None:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
