"""Preferences between two summaries of a book: exports of an annotation tool, and files of totals."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.release.files import ReleaseError, expecting, read_json, read_mapping, text_of

#: Asked about each of the two summaries.
OMISSION = "omission"
_SIDES = {"summary 1": "first", "summary 2": "second", "draw": "draw", "yes": "yes", "no": "no"}


@dataclass
class Answer:
    """ "first" or "second" (the summary that the export calls 1 or 2), "draw", "yes" or "no"."""

    answer: str
    comment: str = ""


@dataclass
class ComparedBook:
    book: str
    first: str
    second: str
    #: By question; an omission is "omission-first" or "omission-second".
    answers: dict[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Count:
    """`count` answers to a question. `side` is the short name of a system as the file has it ("inc", "hier")."""

    question: str
    count: int
    side: str = ""
    answer: str = ""


def read_comparisons(path: Path) -> list[ComparedBook]:
    """The answers of one person. Raises ReleaseError for an export of another kind."""
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise ReleaseError(f"{path} should be a list of tasks, but holds a {type(tasks).__name__}.")
    with expecting("an export of comparisons", str(path)):
        return [_compared(task) for task in tasks]


def read_counts(path: Path) -> list[Count]:
    """The totals of one person; answers "no" are what is left of all pairs."""
    content = read_mapping(path)
    overall = {key.lower(): value for key, value in content.items()}
    with expecting("a file of totals", str(path)):
        pairs = max((_total(value) for value in overall.values() if isinstance(value, dict)), default=0)
    counts: list[Count] = []
    for name, value in overall.items():
        if isinstance(value, dict):
            counts += [_choice(name, side, count) for side, count in value.items()]
        elif _is_count(value) and value <= pairs:
            side = name.removesuffix(f" {OMISSION}") if name.endswith(f" {OMISSION}") else ""
            question = OMISSION if side else name
            counts += [Count(question, value, side, "yes"), Count(question, pairs - value, side, "no")]
        else:
            raise ReleaseError(f"{path}: {name!r} is no count of answers that fits {pairs} pairs.")
    return counts


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _total(counts: Mapping[str, Any]) -> int:
    if not all(_is_count(count) for count in counts.values()):
        raise ValueError("counts are whole numbers from 0")
    return sum(counts.values())


def _choice(question: str, side: str, count: int) -> Count:
    return Count(question, count, answer="draw") if side == "draw" else Count(question, count, side=side)


def _compared(task: Mapping[str, Any]) -> ComparedBook:
    data = task["data"]
    compared = ComparedBook(text_of(data["book"]), text_of(data["summary_1"]), text_of(data["summary_2"]))
    finished = [item["result"] for item in task["annotations"] if not item.get("was_cancelled")]
    results: list[Any] = finished[0] if finished else []
    for result in results:
        if result["type"] == "choices":
            answer = _SIDES[result["value"]["choices"][0].strip().lower()]
            compared.answers.setdefault(_question(result["from_name"]), Answer("")).answer = answer
    for result in results:
        if result["type"] == "textarea":
            question = _question(result["from_name"].removesuffix("_comments"))
            # "thoughts" are about the whole comparison: they stand with the overall preference.
            target = compared.answers.get(question) or compared.answers.get("preference")
            if target is not None:
                target.comment = "\n".join(_lines(result["value"]["text"]))
    return compared


def _lines(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [text_of(line) for line in value]


def _question(name: Any) -> str:
    for number, side in (("1", "first"), ("2", "second")):
        if name == f"omission_summary_{number}":
            return f"{OMISSION}-{side}"
    return text_of(name)
