"""Reads a judge's answer about one sentence, in whatever dress a model puts it.

The answer that is asked for has two lines, "Questions: ..." and "Types: ...", with "no confusion" in both for a clean
sentence. Models add bold, bullets, fences, prose and reasoning. All of that is looked through; what an answer *means*
is never guessed: an answer that contradicts itself, names an unknown type or lacks a part is unparsed.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum

#: Keys of the types that an answer may name (`annotation.error_types`), in their order.
TYPE_KEYS = (
    "entity omission",
    "event omission",
    "causal omission",
    "salience",
    "discontinuity",
    "duplication",
    "inconsistency",
    "language",
)


class State(StrEnum):
    CLEAN = "clean"
    CONFUSED = "confused"
    UNPARSED = "unparsed"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """`types` in the order of the answer, without repeats; `problem` says why an answer is unparsed."""

    state: State
    questions: str = ""
    types: tuple[str, ...] = ()
    problem: str = ""


CLEAN = ParsedAnswer(State.CLEAN)
#: What the parts of an answer say of a clean sentence.
NO_CONFUSION = "no confusion"

#: Reasoning that a server leaves in the reply; some leave out the opening tag.
_REASONING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNFINISHED_REASONING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$")
_LINE_OF_TAGS = re.compile(r"^\s*(?:</?\w+>\s*)+$")
BULLET = r"(?:[-*•+]|\(?\d{1,2}[.)])\s+"
_IS_BULLET = re.compile(rf"^\s*{BULLET}")
#: `**Questions:**`, `- Question 2:`, `### Types -`, `"types":` at the beginning of a line.
_KEY = re.compile(
    rf"^[\s>#]*(?:{BULLET})?[\s*_`\"'\[]*"
    r"(?P<key>questions?|question\(s\)|(?:(?:confusion|error)\s+)?(?:types?|type\(s\)))"
    r"(?:\s*\d{1,2})?[\s*_`\"'\]]*(?:[:：]|\s[-–—=]\s)[\s*_`]*",
    re.IGNORECASE,
)
#: The second key on the line of the first: "Questions: Who is Emma? Types: entity omission".
_TYPES_WITHIN = re.compile(r"(?<=\s)[*_`]*Types?[*_`]*:", re.IGNORECASE)
_DRESS = " \t\r\n*_`\"'“”‘’[]()"
_NO_CONFUSION = re.compile(
    r"(?:there is |there's )?no confusions?(?: (?:found|detected|here|at all|in this sentence))?|none|null|n/a|nil",
    re.IGNORECASE,
)


def parse_answer(reply: str | None, finish_reason: str = "stop") -> ParsedAnswer:
    """The verdict that `reply` states.

    Clean needs "no confusion" for every part that the answer has; confused needs questions and known types. A reply
    that was cut off (`finish_reason` "length") is unparsed whatever it says.
    """
    if reply is None or not reply.strip():
        return unparsed(f"The answer has no text ({finish_reason}).")
    if finish_reason == "length":
        return unparsed("The answer was cut off at its token limit.")
    answer = without_reasoning(reply)
    if answer is None:
        return unparsed("The reply ends within its reasoning.")
    lines = plain_lines(answer)
    if _says_no_confusion(" ".join(lines)):
        return CLEAN
    questions, types = _from_json("\n".join(lines)) or _from_lines(lines)
    return verdict_of(questions, types)


def without_reasoning(reply: str) -> str | None:
    """What comes after the reasoning; None where it does not end."""
    answer = _REASONING.sub("", reply)
    return None if _UNFINISHED_REASONING.search(answer) else answer


def plain_lines(reply: str) -> list[str]:
    """The lines of a reply without code fences and lines that hold nothing but tags.

    Split at line feeds only: `str.splitlines` would also split at characters that belong to a text.
    """
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    return [line for line in text.split("\n") if not _FENCE.match(line) and not _LINE_OF_TAGS.match(line)]


def _from_lines(lines: list[str]) -> tuple[list[str], list[str]]:
    """The values of all question lines and of all type lines, one entry a key (empty lists: no such line)."""
    questions: list[str] = []
    types: list[str] = []
    blocks = _blocks(_with_types_on_their_own_line(lines))
    for number, (key, block) in enumerate(blocks, 1):
        if key == "questions":
            asked = _without_closing_prose(block) if number == len(blocks) else block
            questions.append(" ".join(filter(None, map(_undressed, asked))))
        else:
            types.append(_types_value(block))
    return questions, types


def _with_types_on_their_own_line(lines: list[str]) -> list[str]:
    """Breaks "Questions: ... Types: ..." in two, unless the types have a line already."""
    if any(_key_of(line) == "types" for line in lines):
        return lines
    broken: list[str] = []
    for line in lines:
        at = max((found.start() for found in _TYPES_WITHIN.finditer(line)), default=None)
        broken += [line] if at is None or _key_of(line) is None else [line[:at], line[at:]]
    return broken


def _key_of(line: str) -> str | None:
    found = _KEY.match(line)
    if found is None:
        return None
    return "questions" if found["key"].lower().startswith("question") else "types"


def _blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    """(key, the rest of its line and the lines after it up to the next key); what stands before a key is prose."""
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        key = _key_of(line)
        if key is not None:
            blocks.append((key, [_KEY.sub("", line, count=1)]))
        elif blocks:
            blocks[-1][1].append(line)
    return blocks


def _without_closing_prose(block: list[str]) -> list[str]:
    """The questions of an answer that puts the types first: what follows a blank line is no question any more."""
    kept = block[:1]
    for line in block[1:]:
        if not line.strip() and any(map(str.strip, kept)):
            break
        kept.append(line)
    return kept


def _types_value(block: list[str]) -> str:
    """The types named in a block: its first line with text and the bullets right below; later prose is none of it."""
    rest = list(block)
    while rest and not _undressed(rest[0]):
        rest.pop(0)
    named = rest[:1]
    for line in rest[1:]:
        if not _IS_BULLET.match(line):
            break
        named.append(line)
    return ", ".join(filter(None, map(_undressed, named)))


def _undressed(text: str) -> str:
    """`text` without bullet, quotes, brackets and emphasis around it."""
    text = _IS_BULLET.sub("", text).strip()
    if text.startswith(("(", "[")) or not text.endswith((")", "]")):
        return text.strip(_DRESS)
    # A closing bracket that was opened inside belongs to the text.
    return text.lstrip(_DRESS).rstrip(_DRESS.replace(")", "").replace("]", ""))


def _from_json(text: str) -> tuple[list[str], list[str]] | None:
    """The parts of an answer that is one JSON object with both keys; None for anything else."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        return None
    parts = {str(key).lower(): value for key, value in answer.items()}
    if "questions" not in parts or "types" not in parts:
        return None
    return [_json_value(parts["questions"], " ")], [_json_value(parts["types"], ", ")]


def _json_value(value: object, joint: str) -> str:
    if value is None or value == []:
        return NO_CONFUSION
    return joint.join(map(str, value)) if isinstance(value, list) else str(value)


def _says_no_confusion(text: str) -> bool:
    return _NO_CONFUSION.fullmatch(text.strip(_DRESS + ".!-")) is not None


def verdict_of(questions: list[str], types: list[str]) -> ParsedAnswer:
    """The verdict that the parts of an answer state, one text a part; "no confusion" says that there is nothing."""
    if not questions and not types:
        return unparsed("The answer has no line “Questions” or “Types”.")
    asked = [text for text in questions if text and not _says_no_confusion(text)]
    named = [text for text in types if text and not _says_no_confusion(text)]
    if not asked and not named:
        return _clean(questions, types)
    if not asked or not named or len(asked) < len(questions) or len(named) < len(types):
        return _half(asked, named, [*questions, *types])
    keys, unknown = _type_keys(", ".join(named))
    if unknown:
        return unparsed(f"The answer names a type that does not exist: {unknown[0][:80]}")
    return ParsedAnswer(State.CONFUSED, " ".join(asked), keys)


def _clean(questions: list[str], types: list[str]) -> ParsedAnswer:
    """Clean if the answer says so; several whole answers are more likely an echo of the prompt than one verdict."""
    if max(len(questions), len(types)) > 1:
        return unparsed("The reply holds several answers.")
    if not any(_says_no_confusion(text) for text in [*questions, *types]):
        return unparsed("The lines “Questions” and “Types” are empty.")
    return CLEAN


def _half(asked: list[str], named: list[str], values: list[str]) -> ParsedAnswer:
    if any(_says_no_confusion(text) for text in values):
        return unparsed("The answer contradicts itself: “no confusion” beside a question or a type.")
    return unparsed("The answer has no types." if asked and not named else "The answer has no question.")


def _type_keys(text: str) -> tuple[tuple[str, ...], list[str]]:
    """(known keys in order without repeats, names that are none). Separators: comma, semicolon, slash, "and", ..."""
    keys: dict[str, None] = {}
    unknown: list[str] = []
    without_remarks = re.sub(r"\([^)]*\)", " ", text)
    for part in re.split(r"[,;/|&+\n]|\band\b|\s\d{1,2}[.)]\s", without_remarks, flags=re.IGNORECASE):
        name = re.split(r":|\s[-–—]\s", part)[0]
        name = re.sub(r"[\s_-]+", " ", name.strip(_DRESS + ".!")).strip(_DRESS + ".!").lower()
        name = re.sub(r" (?:errors?|issues?)$", "", re.sub(r"omissions$", "omission", name))
        if name in TYPE_KEYS:
            keys[name] = None
        elif name:
            unknown.append(name)
    return tuple(keys), unknown


def unparsed(problem: str) -> ParsedAnswer:
    return ParsedAnswer(State.UNPARSED, problem=problem)
