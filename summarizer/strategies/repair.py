"""Mending the answers of weak models (BooookScore, appendices D and M.2.1).

The paper cuts LLaMA 2's answers at the last punctuation mark, as it keeps no word limit, and removes sentences copied
from the prompt, which a judge would take for instructions. A prompt set asks for either in its file `answers.txt`.
What is removed is kept with the node, and the whole reply in the ledger.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from summarizer.sentences import split_sentences
from summarizer.tokens import count_tokens

#: A copied sentence has at least so many words; a shorter one must be a whole line of the prompt ("Summary:").
COPIED_WORDS = 4

_SENTENCE_END = re.compile(r"[.!?…。！？]['\"’”»)\]]*$")
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Repaired:
    """What is left of an answer, and what was taken out, one piece a line."""

    text: str
    removed: str = ""


Repair = Callable[[str], Repaired]


def repair(answer: str, *, instructions: str, limit: int, cut: bool, drop_copied: bool) -> Repaired:
    """The answer without sentences copied from `instructions` (the prompt without the text under study), then cut at
    its last sentence end within `limit` tokens. Either is done only if asked for."""
    removed: list[str] = []
    text = answer.strip()
    if drop_copied:
        text = _without_copied(text, instructions, removed)
    if cut:
        text = _whole_sentences(text, limit, removed)
    return Repaired(text, "\n".join(removed))


def _whole_sentences(text: str, limit: int, removed: list[str]) -> str:
    """As much of the start of `text` as ends with a sentence and has at most `limit` tokens; may be empty."""
    end = 0
    for _, sentence_end in reversed(split_sentences(text)):
        kept = text[:sentence_end]
        if _SENTENCE_END.search(kept) and count_tokens(kept) <= limit:
            end = sentence_end
            break
    if rest := text[end:].strip():
        removed.append(rest)
    return text[:end]


def _without_copied(text: str, instructions: str, removed: list[str]) -> str:
    lines = {_plain(line) for line in instructions.splitlines()}
    whole = f" {_plain(instructions)} "
    kept_lines = []
    for line in _without_label(text, instructions, removed).split("\n"):
        copied = [
            (start, end) for start, end in split_sentences(line) if _is_copied(_plain(line[start:end]), whole, lines)
        ]
        removed.extend(line[start:end] for start, end in copied)
        rest = _cut_out(line, copied)
        if rest or not copied:
            kept_lines.append(rest)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept_lines)).strip()


def _without_label(text: str, instructions: str, removed: list[str]) -> str:
    """`text` without the prompt's last line ("Summary:") where it begins with that."""
    label = instructions.rstrip().rpartition("\n")[2].strip()
    if not label.endswith(":") or not text.casefold().startswith(label.casefold()):
        return text
    removed.append(text[: len(label)])
    return text[len(label) :].lstrip()


def _is_copied(sentence: str, whole: str, lines: set[str]) -> bool:
    if not sentence:
        return False
    return f" {sentence} " in whole if sentence.count(" ") + 1 >= COPIED_WORDS else sentence in lines


def _cut_out(line: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return line
    for start, end in reversed(spans):
        line = f"{line[:start].rstrip()} {line[end:].lstrip()}"
    return line.strip()


def _plain(text: str) -> str:
    """The words alone, in lower case, any number as 0: a copy may state another word limit."""
    return " ".join(_WORD.findall(_DIGITS.sub("0", text.casefold())))
