"""Reads a judge's answer about several sentences: JSON, in whatever dress a model puts it.

What is asked for is one entry a sentence, {"sentence_num", "questions", "types"}. An entry belongs to the sentence
whose number it states, wherever it stands. Fences, prose around it, wrappers, one object a line and commas too many are
looked through. What is not said is not guessed: a sentence without an entry, with two that differ, or with one that
lacks a part is unparsed.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.judge.parsing import (
    NO_CONFUSION,
    TYPE_KEYS,
    ParsedAnswer,
    State,
    unparsed,
    verdict_of,
    without_reasoning,
)

#: The form of the answer, for servers that can keep a model to it.
ANSWER_FORMAT: Mapping[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "judgements",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "results": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "sentence_num": {"type": "integer"},
                            "questions": {"type": ["string", "null"]},
                            "types": {"type": "array", "items": {"type": "string", "enum": list(TYPE_KEYS)}},
                        },
                        "required": ["sentence_num", "questions", "types"],
                        "additionalProperties": False,
                    },
                }
            },
            "required": ["results"],
            "additionalProperties": False,
        },
    },
}

#: Names under which an entry states its number, in this order: "sentence" may hold the text.
_NUMBER_NAMES = (
    "sentence_num",
    "sentence_number",
    "sentence_no",
    "sentence_id",
    "number",
    "num",
    "no",
    "id",
    "index",
    "sentence",
)
_QUESTION_NAMES = ("questions", "question")
_TYPE_NAMES = ("types", "type", "confusion_types", "error_types")
_NUMBER = re.compile(r"\W*(?:sentence\s*)?(?:number|no\.?|#)?\s*(\d{1,4})\W*", re.IGNORECASE)
_BEGINS = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder(strict=False)


def parse_batch(reply: str | None, sentences: Sequence[str], finish_reason: str = "stop") -> list[ParsedAnswer]:
    """What `reply` says of each of `sentences`, which it knows as 1, 2, 3, ...; one answer a sentence, in their order.

    Of a reply that was cut off (`finish_reason` "length") the entries that came whole count.
    """
    if reply is None or not reply.strip():
        return [unparsed(f"The answer has no text ({finish_reason}).")] * len(sentences)
    answer = without_reasoning(reply)
    if answer is None:
        return [unparsed("The reply ends within its reasoning.")] * len(sentences)
    found: dict[int, list[ParsedAnswer]] = {}
    for number, entry in _entries(values_in(answer)):
        found.setdefault(number, []).append(_judgement(number, entry, sentences))
    if 0 in found:
        return [unparsed("The answer counts sentences from 0, so it is not sure which it means.")] * len(sentences)
    cut = "The answer was cut off at its token limit before it came to this sentence."
    missing = unparsed(cut if finish_reason == "length" else "The answer does not speak of this sentence.")
    return [_one_of(found.get(number, [missing])) for number in range(1, len(sentences) + 1)]


def _one_of(answers: Sequence[ParsedAnswer]) -> ParsedAnswer:
    if any(answer != answers[0] for answer in answers):
        return unparsed("The answer says two different things about this sentence.")
    return answers[0]


def values_in(text: str) -> Iterator[Any]:
    """All JSON values that begin with a bracket, wherever in the text; what is broken is entered, piece by piece."""
    at = 0
    while found := _BEGINS.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
        except RecursionError:
            return  # thousands of brackets in a row hold no answer
        except ValueError:
            at = found.start() + 1
        else:
            yield value


def _entries(values: Iterator[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The entries in `values` with the numbers that they state, also within wrappers and keyed by their numbers."""
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            parts = {
                re.sub(r"[\s\-()]+", "_", str(name).strip().lower()).strip("_"): each for name, each in value.items()
            }
            if not any(map(_is_nested, parts.values())) and (number := _number_in(parts)) is not None:
                yield number, parts
            else:
                waiting += [_keyed(name, each) for name, each in reversed(value.items())]


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))


def _keyed(name: str, value: Any) -> Any:
    """`{"3": {...}}` as an entry of its own; any other value as it is."""
    number = _number(name)
    return {**value, "sentence_num": number} if number is not None and isinstance(value, dict) else value


def _number_in(parts: Mapping[str, Any]) -> int | None:
    return next((number for name in _NUMBER_NAMES if (number := _number(parts.get(name))) is not None), None)


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if 0 <= value <= 9999 and value == int(value) else None
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def _judgement(number: int, parts: Mapping[str, Any], sentences: Sequence[str]) -> ParsedAnswer:
    quoted = parts.get("sentence")
    if isinstance(quoted, str) and _is_another(number, quoted, sentences):
        return unparsed("The answer gives this number to another sentence.")
    questions = [_words(parts[name], " ") for name in _QUESTION_NAMES if name in parts][:1]
    types = [_words(parts[name], ", ") for name in _TYPE_NAMES if name in parts][:1]
    if not questions or not types:
        return unparsed(f"The answer has no {'types' if questions else 'questions'} for this sentence.")
    answer = verdict_of(questions, types)
    return ParsedAnswer(State.CLEAN) if answer.state is State.CLEAN else answer


def _is_another(number: int, quoted: str, sentences: Sequence[str]) -> bool:
    """Whether `quoted` is word for word another of the sentences, and not the one with this number."""
    said = quoted.split()
    own = sentences[number - 1].split() if 1 <= number <= len(sentences) else []
    return said != own and any(said == sentence.split() for sentence in sentences)


def _words(value: Any, joint: str) -> str:
    """A part as text; null, an empty text and an empty list say that there is none."""
    if isinstance(value, list):
        value = joint.join(str(each).strip() for each in value if each is not None and str(each).strip())
    text = "" if value is None or value is False else str(value).strip()
    return text or NO_CONFUSION
