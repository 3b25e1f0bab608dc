"""Cuts summaries into units: clause-like pieces that a book supports or does not. Rule `clauses-1`.

Within a sentence there is a place to cut

* before a conjunction (`word_lists.CONJUNCTIONS`; several in a row, and a word like "even" before one, count as one),
* after a comma, semicolon or colon, and after a dash,
* before an opening and after a closing bracket,

but not inside a quotation. A piece between two such places stands on its own if it has at least `LEAST_WORDS` words
and one of them looks like a verb (`verb_in`). One that does not is joined to the piece before it, and the first one of
a sentence to the piece after it. So lists stay whole, and what is in doubt gives longer units rather than fragments.

A number ("1,000", "10:30"), an abbreviation ("U.S.") and a hyphenated word are one word each. A hyphen between spaces
is no dash, because tokenised texts write hyphenated words so ("14-year - old").

The units of a summary lie inside its sentences, in order and apart, and cover every character that is no white space.
Nothing here guesses: the same text and sentences give the same units, and a change of the rule gets a new name.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.faithfulness.word_lists import BEFORE_CONJUNCTIONS, CONJUNCTIONS, SUBJECTS, VERBS

UNIT_RULE = "clauses-1"
LEAST_WORDS = 5

#: [start, end) in code points.
Place = tuple[int, int]

CUT_AFTER = frozenset(",;:")
DASHES = frozenset("—―")
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
#: Opening mark -> closing mark. A straight one closes what it opened.
QUOTES = {"“": "”", "«": "»", "‘": "’", '"': '"'}

#: A word with what holds it together inside: hyphens, apostrophes and full stops; between digits a comma, too.
TOKEN = re.compile(r"\w+(?:(?:[-‐‑'’.]|(?<=\d)[,:/–](?=\d))\w+)*|-{2,}|\S")


@dataclass(frozen=True, slots=True)
class Token:
    start: int
    end: int
    text: str

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum() or self.text[0] == "_"


def cut_into_units(text: str, sentences: Iterable[Place]) -> list[Place]:
    """The units of a summary by the rule. `sentences` are its stored ones."""
    return [unit for start, end in sentences for unit in _units_of_sentence(text, start, end)]


def units_between(text: str, sentences: Iterable[Place], cuts: Collection[int]) -> list[Place]:
    """The units of a summary that is cut at these places, and between any two sentences.

    Raises ValueError for a place that is no `possible_cuts` of the summary.
    """
    sentences = list(sentences)
    if not set(cuts) <= set(possible_cuts(text, sentences)):
        raise ValueError("A unit begins with a word or a mark of its sentence, never within one.")
    units = []
    for start, end in sentences:
        edges = [start, *sorted(cut for cut in cuts if start < cut < end), end]
        units += [_stripped(text, left, right) for left, right in pairwise(edges)]
    return units


def possible_cuts(text: str, sentences: Iterable[Place]) -> list[int]:
    """Where a unit may begin, besides at the beginning of a sentence: at its words and marks."""
    return [token.start for start, end in sentences for token in tokens_of(text, start, end)[1:]]


def cuts_of(units: Iterable[Place], sentences: Iterable[Place]) -> list[int]:
    """Where units begin within sentences: what `units_between` makes them of."""
    begins = {start for start, _ in sentences}
    return [start for start, _ in units if start not in begins]


def first_with_same_text(quotes: Sequence[str]) -> list[int | None]:
    """For each unit the first one that says the same, in words and their order; None for one that is the first itself.

    Case, white space and marks at both ends do not tell units apart.
    """
    first: dict[str, int] = {}
    found = [first.setdefault(_said(quote), index) for index, quote in enumerate(quotes)]
    return [None if index == at else index for at, index in enumerate(found)]


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    """Words and marks of a stretch; together they cover every character that is no white space."""
    return [Token(match.start(), match.end(), match.group()) for match in TOKEN.finditer(text, start, end)]


def verb_in(tokens: Sequence[Token]) -> bool:
    """Whether a word looks like a verb: by a list, by "-ed" or "-ing", or by "-s" after what is mostly a subject.

    A word beside a hyphen is part of another ("pre - formed"), and none.
    """
    words = [
        token.text
        for at, token in enumerate(tokens)
        if token.is_word and "-" not in {each.text for each in tokens[max(0, at - 1) : at + 2]}
    ]
    for at, word in enumerate(words):
        lower = word.casefold().replace("’", "'")
        if lower in VERBS or (len(lower) > 4 and lower.endswith(("ed", "ing"))):
            return True
        if at and word == lower and lower.endswith("s") and not lower.endswith("ss"):
            before = words[at - 1]
            if before.casefold() in SUBJECTS or before[0].isupper():
                return True
    return False


def _units_of_sentence(text: str, start: int, end: int) -> list[Place]:
    tokens = tokens_of(text, start, end)
    edges = [0, *sorted(_places_to_cut(text, tokens)), len(tokens)]
    pieces = [tokens[left:right] for left, right in pairwise(edges) if left < right]
    return [(piece[0].start, piece[-1].end) for piece in _joined(pieces)]


def _joined(pieces: Iterable[list[Token]]) -> list[list[Token]]:
    units: list[list[Token]] = []
    for piece in pieces:
        if units and not (_stands_alone(units[0]) and _stands_alone(piece)):
            units[-1] += piece
        else:
            units.append(list(piece))
    return units


def _stands_alone(piece: Sequence[Token]) -> bool:
    return sum(token.is_word for token in piece) >= LEAST_WORDS and verb_in(piece)


def _places_to_cut(text: str, tokens: Sequence[Token]) -> set[int]:
    """Indices of the tokens that begin a piece."""
    quoted = _quoted(tokens)
    places: set[int] = set()
    for at, token in enumerate(tokens):
        if token.text.casefold() in CONJUNCTIONS or token.text in OPENING:
            places.add(_first_of_conjunctions(tokens, at))
        elif token.text in CUT_AFTER or token.text in CLOSING or _is_dash(text, token):
            places.add(at + 1)
    return {place for place in places if 0 < place < len(tokens) and place not in quoted}


def _first_of_conjunctions(tokens: Sequence[Token], at: int) -> int:
    while at and tokens[at - 1].text.casefold() in CONJUNCTIONS | BEFORE_CONJUNCTIONS:
        at -= 1
    return at


def _is_dash(text: str, token: Token) -> bool:
    """An en dash is one only beside a space: without, it joins ("Paris–Dakar")."""
    if token.text == "–":
        return text[token.start - 1 : token.start].isspace() or text[token.end : token.end + 1].isspace()
    return token.text in DASHES or token.text.startswith("--")


def _quoted(tokens: Sequence[Token]) -> set[int]:
    """The places between tokens that lie inside a quotation; one without an end in its sentence is none."""
    inside: set[int] = set()
    last = {token.text: at for at, token in enumerate(tokens)}
    at = 0
    while at < len(tokens):
        close = QUOTES.get(tokens[at].text, "")
        if last.get(close, -1) > at:
            begin, at = at + 1, at + 1
            while tokens[at].text != close:
                at += 1
            inside.update(range(begin, at + 1))
        at += 1
    return inside


def _stripped(text: str, start: int, end: int) -> Place:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    return begin, begin + len(piece.strip())


def _said(quote: str) -> str:
    tokens = tokens_of(quote, 0, len(quote))
    words = [at for at, token in enumerate(tokens) if token.is_word]
    kept = tokens[words[0] : words[-1] + 1] if words else tokens
    return " ".join(token.text.casefold() for token in kept)
