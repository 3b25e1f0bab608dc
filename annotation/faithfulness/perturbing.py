"""Proposes changes after which a book no longer supports a statement. Pure; the rules are named by `RULES`.

They swap names, change a number, add or remove a negation, or put in an opposite word. They know words, not grammar or
the book: what they propose may still be true, or read badly, so a researcher decides about each one.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from random import Random

from annotation.faithfulness.change_words import AUXILIARIES, NO_NAMES, NUMBER_WORDS, OPPOSITES
from annotation.faithfulness.units import Place, first_with_same_text, tokens_of

RULES = "changes-1"
NAMES, NUMBERS, NEGATION, ANTONYM = "names", "numbers", "negation", "antonym"

#: After them a capital says nothing.
OPENING = frozenset("“\"'‘(")
#: A whole number that is no part of a word, a decimal or a date.
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,3}(?:,\d{3})+(?![\w/:-]|[.,]\d)|(?<![\w.,:/-])\d+(?![\w/:-]|[.,]\d)")
_CONTRACTED = re.compile(r"\b(is|are|was|were|has|have|had|would|could|should|must|did|does|do)n['’]t\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never) (?!only\b)")
_AUXILIARY = re.compile(rf"\b({'|'.join(AUXILIARIES)})\b(?! not\b)(?!n['’]t)")


@dataclass(frozen=True)
class Change:
    kind: str
    #: The whole statement, changed.
    text: str


def names_of(text: str, sentences: Iterable[Place]) -> list[str]:
    """Names in a text, in the order in which they come: words with a capital, also where no sentence begins.

    Several such words in a row are one name.
    """
    read = [[token.text for token in tokens_of(text, start, end)] for start, end in sentences]
    inside = {_as_name(word) for words in read for before, word in pairwise(words) if before not in OPENING}
    names: dict[str, None] = {}
    for words in read:
        for is_name, group in groupby(map(_as_name, words), key=lambda name: name != "" and name in inside):
            if is_name:
                names.setdefault(" ".join(group))
    return list(names)


def changes_of(statement: str, names: Sequence[str]) -> list[Change]:
    """At most one of each kind; `names` are those of the whole text. Empty where no rule fits."""
    tried = {
        NAMES: _swap_names(statement, names),
        NUMBERS: _change_number(statement),
        NEGATION: _negate(statement),
        ANTONYM: _put_opposite(statement),
    }
    return [
        Change(kind, text) for kind, text in tried.items() if text is not None and not says_the_same(statement, text)
    ]


def says_the_same(one: str, other: str) -> bool:
    """In words and their order."""
    return first_with_same_text([one, other])[1] is not None


def choose_changes(
    options: Mapping[int, Sequence[Change]], wanted: int, *, used: Collection[str], seed: str
) -> dict[int, Change]:
    """For so many statements, drawn by lot, one change each; the kinds as even as can be, with those `used` already."""
    random, counts = Random(seed), Counter(used)
    keys = sorted(key for key, changes in options.items() if changes)
    random.shuffle(keys)
    chosen = {}
    for key in keys[: max(0, wanted)]:
        change = min(options[key], key=lambda each: (counts[each.kind], random.random()))
        counts[change.kind] += 1
        chosen[key] = change
    return chosen


def with_changes(text: str, statements: Iterable[tuple[Place, str]]) -> tuple[str, list[Place]]:
    """The text with each place (in order, apart) replaced by what is said there; and the new places."""
    pieces: list[str] = []
    places: list[Place] = []
    at = length = 0
    for (start, end), said in statements:
        pieces += [text[at:start], said]
        length += start - at
        places.append((length, length + len(said)))
        length += len(said)
        at = end
    return "".join([*pieces, text[at:]]), places


def _as_name(word: str) -> str:
    """A word as a name, without a possessive; empty where it is none."""
    bare = re.sub(r"['’]s$", "", word)
    return bare if bare[:1].isupper() and bare.replace("’", "'") not in NO_NAMES else ""


def _swap_names(statement: str, names: Sequence[str]) -> str | None:
    """Two names in it change places; a single one gives way to the next name of the text."""
    known = sorted({each for each in names if len(each) > 1}, key=lambda each: (-len(each), each))
    if not known:
        return None
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)")
    found = list(dict.fromkeys(pattern.findall(statement)))
    if not found:
        return None
    one = found[0]
    other = next((each for each in found[1:] if _are_others(one, each)), None)
    swap = {one: other, other: one} if other else {one: _next_name(one, names)}
    if None in swap.values():
        return None
    return pattern.sub(lambda match: swap.get(match.group()) or match.group(), statement)


def _next_name(name: str, names: Sequence[str]) -> str | None:
    at = list(names).index(name)
    return next((each for each in [*names[at + 1 :], *names[:at]] if _are_others(name, each)), None)


def _are_others(one: str, other: str) -> bool:
    """No two names of one person, as far as words tell: “Emma” and “Emma Hill”."""
    return not set(one.split()) & set(other.split())


def _change_number(statement: str) -> str | None:
    """A year moves by ten, other numbers double; words for numbers have a list."""
    if match := _NUMBER.search(statement):
        return statement[: match.start()] + _another_number(match.group()) + statement[match.end() :]
    return _replace_word(statement, NUMBER_WORDS)


def _another_number(written: str) -> str:
    number = int(written.replace(",", ""))
    if "," in written:
        return f"{2 * number:,}"
    return str(number + 10 if 1000 <= number <= 2100 else 2 * number or 1)


def _negate(statement: str) -> str | None:
    for pattern, replacement in (
        (r"\b(can)(?:not|['’]t)\b", r"\1"),
        (r"\b(w)on['’]t\b", r"\1ill"),
        (r"\b(W)on['’]t\b", r"\1ill"),
        (_CONTRACTED, r"\1"),
        (_NOT, ""),
        (r"\bcan\b", "cannot"),
        (_AUXILIARY, r"\1 not"),
    ):
        changed, number = re.subn(pattern, replacement, statement, count=1)
        if number:
            return changed
    return None


def _put_opposite(statement: str) -> str | None:
    return _replace_word(statement, OPPOSITES)


def _replace_word(statement: str, words: Mapping[str, str]) -> str | None:
    """The first word that is in the list, with its capital."""
    for token in tokens_of(statement, 0, len(statement)):
        if other := words.get(token.text.lower()):
            written = other.capitalize() if token.text[0].isupper() else other
            return statement[: token.start] + written + statement[token.end :]
    return None
