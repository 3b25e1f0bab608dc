"""What a strategy is: a generator that says which prompts to send next and what it made of the answers.

A strategy is pure: it knows no database, clock or network. It yields batches of steps and gets, for each batch, the
outcomes in the same order; it returns its result. The runner sends the steps, takes finished answers from the ledger
instead of sending them again (so a resume re-plays), and a plan runs the same generator on expected answers.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from summarizer.providers.base import FailureKind


@dataclass(frozen=True, slots=True)
class Step:
    """One prompt to send. `name` is unique within the item and says what it is ("level 0, chunk 12, try 1")."""

    name: str
    prompt: str
    max_tokens: int
    temperature: float
    #: What the prompt is about in structured form, for the baselines that use no LLM.
    material: Any = None
    #: Tokens that an answer is expected to have, for the plan.
    expected_tokens: int = 0
    #: The form of the answer as the protocol's `response_format`, for servers that can keep it; others leave it out.
    response_format: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer. `call_id` is the ledger's row (None in a plan)."""

    text: str
    call_id: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that got no answer after everything the runner could do about it.

    TRUNCATED and EMPTY reach the strategy at once, because only it can ask again in another way; the runner itself
    retries what is transient.
    """

    kind: FailureKind
    message: str
    partial_text: str = ""
    call_id: int | None = None


class Ahead(tuple[Step, ...]):
    """A batch of steps that start now. The strategy does not wait: it yields them again later, and gets their outcomes
    then; what it is sent for this batch is nothing, or not looked at."""

    __slots__ = ()


Outcome = Answer | Failure
Result = TypeVar("Result")
Strategy = Generator[Sequence[Step], Sequence[Outcome], Result]


class StrategyFailed(Exception):
    """The strategy cannot go on: `step` failed for good. Finished steps stay in the ledger for a retry.

    `steps` names every question that got no answer that served, `step` first; a retry asks all of them anew.
    """

    def __init__(self, step: str, failure: Failure, others: Sequence[str] = ()) -> None:
        super().__init__(f"{step}: {failure.message}")
        self.step = step
        self.failure = failure
        self.steps = (step, *others)
