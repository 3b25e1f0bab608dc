"""Reads a judge's answer about one unit, in whatever dress a model puts it.

What is asked for is {"supported": true} or {"supported": false}. Models add fences, prose, bold and reasoning, or say
it in a line ("Verdict: not supported") or a word. All of that is looked through; what an answer *means* is never
guessed: one that says neither, both, or yes with a reservation is unparsed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.judge.batch_parsing import values_in
from annotation.judge.parsing import BULLET, plain_lines, without_reasoning

#: The form of the answer, for servers that can keep a model to it.
ANSWER_FORMAT: Mapping[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "judgement",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"supported": {"type": "boolean"}},
            "required": ["supported"],
            "additionalProperties": False,
        },
    },
}


class State(StrEnum):
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNPARSED = "unparsed"


@dataclass(frozen=True, slots=True)
class UnitAnswer:
    """`problem` says why an answer is unparsed; it never quotes it, because answers may quote the book."""

    state: State
    problem: str = ""


#: Names under which an object states its verdict; the first that is there counts.
_NAMES = ("supported", "is_supported", "verdict", "answer", "final_answer", "judgement", "judgment", "label", "result")
#: `**Supported:**`, `- Verdict -`, `{'supported':` at the beginning of a line.
_KEY = re.compile(
    rf"^[\s>#]*(?:{BULLET})?[\s*_`\"'“‘\[({{]*"
    r"(?:(?:(?:the|my)\s+)?(?:final[ _])?(?:answer|verdict|judge?ment|decision|conclusion|label|result)"
    r"|(?:is[ _])?(?:(?:the|this)\s+)?(?:(?:unit|statement|claim)\s+)?(?:is\s+)?supported)"
    r"(?:\??[\s*_`\"'\])]*(?:[:：=]|\s[-–—]\s)|\?[\s*_]+)",
    re.IGNORECASE,
)
#: A key in quotes anywhere, of an object that is broken elsewhere.
_QUOTED_KEY = re.compile(r"[\"']supported[\"']\s*:([^,}\n]*)", re.IGNORECASE)
_IS_BULLET = re.compile(rf"^\s*{BULLET}")
_TAGS = re.compile(r"</?[a-z_]+\s*/?>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}+")
_DRESS = " \t\r\n*_`\"'“”‘’[](){}"

_SUBJECT = r"(?:(?:it|this|(?:the|this) (?:unit|statement|claim)) is )?"
_BY = r"(?: by (?:the )?(?:book|source|text|passages?)(?: \d+(?:(?:,| and|, and) \d+)*)?)?"
_SAID = re.compile(
    rf"(?:(?P<no>no|false|{_SUBJECT}(?:unsupported|not (?:fully |entirely |completely )?supported){_BY})"
    rf"|(?P<yes>yes|true|{_SUBJECT}(?:fully |entirely |completely )?supported{_BY}))"
    r"(?P<remark>$|\s*[.,;:!(–—-].*$|\s+because\b.*$)",
    re.IGNORECASE | re.DOTALL,
)
#: In a remark after a yes: it takes some of it back.
_RESERVATION = re.compile(
    r"\b(?:but|however|although|though|except|part|partly|partially|not|no|unsupported|unless|wait|if)\b|n['’]t\b",
    re.IGNORECASE,
)
#: In a remark after a no.
_TAKEN_BACK = re.compile(r"\b(?:wait|yes|(?:is|are) (?:fully |entirely |completely )?supported)\b", re.IGNORECASE)


def parse_unit_answer(reply: str | None, finish_reason: str = "stop") -> UnitAnswer:
    """The verdict that `reply` states. One that was cut off (`finish_reason` "length") is unparsed whatever it says."""
    if reply is None or not reply.strip():
        return unparsed(f"The answer has no text ({finish_reason}).")
    if finish_reason == "length":
        return unparsed("The answer was cut off at its token limit.")
    answer = without_reasoning(reply)
    if answer is None:
        return unparsed("The reply ends within its reasoning.")
    lines = [line for line in plain_lines(answer) if line.strip()]
    text = "\n".join(lines)
    for stated in (_in_objects(values_in(text)), _under_quoted_keys(text), _in_lines(lines), _alone(lines)):
        if found := list(stated):
            return _one_of(found)
    return unparsed("The answer does not say whether the unit is supported.")


def unparsed(problem: str) -> UnitAnswer:
    return UnitAnswer(State.UNPARSED, problem)


def reads_like_an_answer(text: str) -> bool:
    """Whether a line of `text` could be taken for an answer if a reply quoted it."""
    return bool(_QUOTED_KEY.search(text)) or any(_KEY.match(line) for line in text.split("\n"))


def begins_like_an_answer(text: str) -> bool:
    """Whether `text` goes on after a word that could be taken for a verdict, as in “Yes, said Emma”."""
    found = _SAID.match(_undressed(text))
    return found is not None and bool(found["remark"].strip(_DRESS + ".!"))


def _one_of(stated: Sequence[State | None]) -> UnitAnswer:
    """None in `stated` is a verdict in words that mean neither."""
    if None in stated:
        return unparsed("The verdict is neither yes nor no.")
    if len(set(stated)) > 1:
        return unparsed("The answer says two different things about this unit.")
    return UnitAnswer(stated[0] or State.UNPARSED)


def _in_objects(values: Iterator[Any]) -> Iterator[State | None]:
    """The verdicts of all objects in `values`, also within wrappers."""
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            parts = {re.sub(r"[\s-]+", "_", str(name).strip().lower()): each for name, each in value.items()}
            name = next((name for name in _NAMES if name in parts), None)
            if name is not None and not isinstance(parts[name], dict | list):
                yield _of_value(parts[name])
            else:
                waiting += [each for each in reversed(value.values()) if isinstance(each, dict | list)]


def _of_value(value: Any) -> State | None:
    if isinstance(value, bool):
        return State.SUPPORTED if value else State.UNSUPPORTED
    return _said(value) if isinstance(value, str) else None


def _under_quoted_keys(text: str) -> Iterator[State | None]:
    for found in _QUOTED_KEY.finditer(text):
        yield _said(found[1])


def _in_lines(lines: Sequence[str]) -> Iterator[State | None]:
    """What stands behind a key, on its line or on the next one."""
    for number, line in enumerate(lines):
        if found := _KEY.match(line):
            rest = line[found.end() :]
            yield _said(rest if _undressed(rest) else "".join(lines[number + 1 : number + 2]))


def _alone(lines: Sequence[str]) -> Iterator[State | None]:
    """A first line that begins with a verdict, and a last one that is nothing else."""
    if lines and (first := _SAID.match(_undressed(lines[0]))):
        yield _state(first)
    if len(lines) > 1 and (last := _SAID.match(_undressed(lines[-1]))) and not last["remark"].strip(_DRESS + ".!"):
        yield _state(last)


def _said(words: str) -> State | None:
    found = _SAID.match(_undressed(words))
    return _state(found) if found else None


def _state(found: re.Match[str]) -> State | None:
    if found["yes"]:
        return None if _RESERVATION.search(found["remark"]) else State.SUPPORTED
    return None if _TAKEN_BACK.search(found["remark"]) else State.UNSUPPORTED


def _undressed(text: str) -> str:
    """In one line, without bullet, tags, quotes, brackets and emphasis around it."""
    text = _BOXED.sub(r"\1", _TAGS.sub(" ", _IS_BULLET.sub("", text)))
    return " ".join(text.split()).strip(_DRESS).replace("**", "").replace("_", " ")
