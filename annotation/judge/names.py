"""Proper names in English sentences, found by their capitals, and whether the words beside one introduce it.

Good enough for a baseline, and no more than that: a rule that can be stated and run anywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PARTICLES = _word_set("of de du da van von der la le al the")
_PART = r"[A-Z][\w’'\-]*\w"
_NAME = re.compile(rf"\b{_PART}(?:\s+(?:(?:{'|'.join(sorted(_PARTICLES))})\s+){{0,2}}{_PART})*")
_LEADING_PARTICLES = re.compile(rf"\s+(?:(?:{'|'.join(sorted(_PARTICLES))})\s+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")

#: Capitalised words that name nobody of the story, or what every reader knows.
_NO_NAMES = _word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december christmas easter halloween thanksgiving god new year's eve "
    "europe asia africa america britain england france germany london paris york los angeles canada mexico china "
    "japan india russia "
    "i i'm i'd i've i'll he she it they we you"
)
#: Words that often begin a sentence and are no name, though a summary may not use them elsewhere.
_OPENERS = _word_set(
    "the a an in on at as when while after before during despite although though however meanwhile with without upon "
    "their his her its they he she it this that these those through throughout eventually finally one both many some "
    "if since because by from to for and but or so yet once amidst amid there then now later soon together also what "
    "who where how why another each all most several two three four five additionally furthermore moreover "
    "nevertheless ultimately overall following under over back instead along alongside among suddenly here"
)
#: "Russian", "English", "Chinese", "Americans"; takes a few names (Vivian) with it.
_OF_A_COUNTRY = re.compile(r"(?:ians?|eans?|icans?|ish|ese|rench|ermans?)$")
_ABBREVIATION = re.compile(r"[A-Z]{2,5}s?$")

_TITLE = (
    r"Mr|Mrs|Ms|Miss|Dr|Doctor|Professor|Captain|Colonel|General|Sergeant|Lieutenant|Major|Inspector|Detective|Officer|"
    r"King|Queen|Prince|Princess|Lord|Lady|Sir|Dame|Count|Countess|Duke|Duchess|Baron|Emperor|Empress|Father|Mother|"
    r"Brother|Sister|Aunt|Uncle|Grandma|Grandmother|Grandpa|Grandfather|Cousin|Judge|Pastor|Reverend|Bishop|Saint|St|"
    r"President|Senator|Governor|Mayor|Chief|Agent|Nurse|Coach|Madame|Monsieur|Master"
)
_STARTS_WITH_TITLE = re.compile(rf"(?:{_TITLE})\b")
_ROLE = (
    r"(?:mother|father|parents?|wife|husband|spouse|partner|sons?|daughters?|brothers?|sisters?|siblings?|twins?|aunt|"
    r"uncle|cousins?|niece|nephew|grand\w+|step\w+|friends?|neighbou?rs?|lovers?|boyfriend|girlfriend|fianc[ée]+|"
    r"colleagues?|classmates?|roommates?|teachers?|students?|mentor|boss|assistant|servants?|detectives?|doctors?|"
    r"lawyers?|authors?|writers?|brand|company|town|city|village|planet|ship|country|kingdom)"
)
_OWNER = r"(?:an?|the|his|her|their|its|two|three|several|some|another|[\w’']+['’]s|\w+s['’])"
_FUNCTION_WORD = (
    r"(?:with|without|by|for|to|from|of|and|or|that|about|against|in|on|at|into|onto|between|while|when|where|but|"
    r"towards?|over|under|after|before|through|like|than|because|if|is|are|was|were|has|have|had)"
)
_MOTION = (
    r"(?:go|goes|going|went|returns?|moves?|travels?|journeys?|trip|flees?|fly|flies|sails?|heads?|way|back|escapes?|"
    r"comes?)"
)
_INTRODUCED_BEFORE = re.compile(
    rf"(?:\b(?:{_TITLE})\.?\s+"  # Dr. Ormson
    rf"|\b{_ROLE},?\s+"  # neighbour Jane
    rf"|(?:^|\s){_OWNER}\s+(?:[\w\-]+\s+){{0,3}}?(?!{_FUNCTION_WORD}\b)[a-z][\w\-]+,?\s+"  # his old captain, Rolf
    r"|\b(?:named|called|nicknamed|titled|as|by the name of)\s+[\"“]?"
    r"|\b(?:in|into|at|near|around|across|throughout|outside)\s+(?:the\s+)?"  # in Paris
    rf"|\b{_MOTION}\s+(?:to|from|for|towards?)\s+(?:the\s+)?)$",  # flees to Paris
    re.IGNORECASE,
)
_INTRODUCED_AFTER = re.compile(
    r"(?:['’]s?)?(?:\s*[(–—:]"
    r"|\s*,\s*(?:an?|the|his|her|their|its|another|one|who|whom|whose|which|where|once|formerly|known|called|\d+|[\w’']+['’]s)\b"
    r"|\s+(?:is|was|becomes|became|turns out to be)\s+(?:an?|the|his|her|their)\b"
    r"|\s+(?:who|whose|which|where)\b)"
)
_COORDINATED = re.compile(rf"{_NAME.pattern}(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|&)\s+)$")


#: Characters on both sides of a name in which an introduction is looked for.
NEAR = 160


@dataclass(frozen=True, slots=True)
class Name:
    """A name at `[start, end)` of its sentence, and its words without particles ("of", "van")."""

    start: int
    end: int
    words: frozenset[str]


def names_in(sentences: Sequence[str]) -> list[list[Name]]:
    """The names in each sentence of one text. Quoted titles are passed over.

    A word that begins a sentence is part of a name only if the text nowhere writes it small, and alone it is one only
    if the text capitalises it within a sentence too.
    """
    plain = [_QUOTED.sub(lambda quoted: " " * len(quoted[0]), sentence) for sentence in sentences]
    small = {word for text in plain for word in re.findall(r"\b[a-z][\w’']*", text)} | _OPENERS
    inside = {
        part
        for text in plain
        for found in _NAME.finditer(text, 1)
        if found.start() > _start_of(text)
        for part in _words(found[0])
    }
    return [[name for found in _NAME.finditer(text) if (name := _name(text, found, small, inside))] for text in plain]


def is_introduced(sentence: str, name: Name) -> bool:
    """Whether the words beside the name say who or what it is.

    They do when the name has a title or follows a word for a role or a kind ("his sister Ann", "the village Hem"),
    "called" and the like, or a preposition of place; when an apposition, a bracket, a relative clause or "is a"
    follows; or when it stands in a row with a name of which this holds.
    """
    before, after = sentence[max(0, name.start - NEAR) : name.start], sentence[name.end : name.end + NEAR]
    if _STARTS_WITH_TITLE.match(sentence[name.start : name.end]):
        return True
    while (others := _COORDINATED.search(before)) and others.start():
        before = before[: others.start()]
    return _INTRODUCED_BEFORE.search(before) is not None or _INTRODUCED_AFTER.match(after) is not None


def _name(text: str, found: re.Match[str], small: set[str] | frozenset[str], inside: set[str]) -> Name | None:
    start, end = found.span()
    first = found[0].split()[0]
    begins_sentence = start == _start_of(text) and (
        first.lower() in small or (first == found[0] and _words(first).isdisjoint(inside))
    )
    if begins_sentence or first.lower() in _OPENERS:
        start = _behind(text, start + len(first), end)
    end -= len(text[start:end]) - len(_POSSESSIVE.sub("", text[start:end]))
    words = _words(text[start:end])
    if not words or all(map(_names_nobody, words)):
        return None
    return Name(start, end, words)


def _behind(text: str, start: int, end: int) -> int:
    """Where the rest of a name begins whose first word ends at `start`; `end` if nothing but particles follows."""
    particles = _LEADING_PARTICLES.match(text, start, end)
    return particles.end() if particles else end


def _start_of(text: str) -> int:
    """Where the first word of a sentence begins, behind opening quotes and brackets."""
    return len(text) - len(text.lstrip(" \t\n\"'“‘(["))


def _words(name: str) -> frozenset[str]:
    return frozenset(_POSSESSIVE.sub("", word) for word in name.split() if word.lower() not in _PARTICLES)


def _names_nobody(word: str) -> bool:
    return word.lower() in _NO_NAMES or bool(_OF_A_COUNTRY.search(word) or _ABBREVIATION.match(word))
