"""A small kind of job for tests of the engine: ask for chunks, in order or at once, then merge; as its parameters say.

{"chunks": 4, "in_order": false, "merge": true, "tries": 3, "fails": ""}
"""

import hashlib
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from summarizer.jobs import kinds
from summarizer.models import Job, JobItem, Summary, System
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Answer, Step, Strategy, StrategyFailed


def step(name: str, prompt: str, attempt: int) -> Step:
    return Step(name if attempt == 1 else f"{name}, try {attempt}", f"{prompt} ({100 - attempt} words)", 100, 0.5)


def ask(questions: Sequence[tuple[str, str]], tries: int) -> Strategy[list[str]]:
    """Ask all; ask again what was cut off or empty."""
    answers: dict[str, str] = {}
    for attempt in range(1, tries + 1):
        waiting = [(name, prompt) for name, prompt in questions if name not in answers]
        outcomes = yield [step(name, prompt, attempt) for name, prompt in waiting]
        for (name, _), outcome in zip(waiting, outcomes, strict=True):
            if isinstance(outcome, Answer):
                answers[name] = outcome.text
            elif outcome.kind not in (FailureKind.TRUNCATED, FailureKind.EMPTY) or attempt == tries:
                raise StrategyFailed(name, outcome)
        if len(answers) == len(questions):
            break
    return [answers[name] for name, _ in questions]


def strategy(parameters: dict[str, Any]) -> Strategy[str]:
    tries = parameters.get("tries", 3)
    chunks = [(f"chunk {number}", f"Summarize chunk {number}.") for number in range(1, parameters["chunks"] + 1)]
    batches = [[chunk] for chunk in chunks] if parameters.get("in_order") else [chunks]
    answers: list[str] = []
    for batch in batches:
        answers += yield from ask(batch, tries)
        if parameters.get("fails") == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    if parameters.get("merge"):
        answers = yield from ask([("merge", f"Merge: {' | '.join(answers)}")], tries)
    return "\n".join(answers)


class TestKind:
    __test__ = False

    name = "test"
    result_template = ""
    refusal_fails = True

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        return Q(pk__in=[])

    def lock_work(self, job: Job) -> None:
        """Its launches lock nothing."""

    def strategy(self, item: JobItem) -> Strategy[str]:
        return strategy(item.job.parameters)

    def save(self, item: JobItem, result: str) -> None:
        system, _ = System.objects.get_or_create(name=f"test {item.job_id}", strategy=System.Strategy.IMPORTED)
        sha256 = hashlib.sha256(result.encode()).hexdigest()
        Summary.objects.create(
            book=item.book, system=system, text=result, text_sha256=sha256, tokens=0, splitter="", job_item=item
        )
        if item.job.parameters.get("fails") == "save":
            raise RuntimeError("the save fails")


kinds.register(TestKind())
