"""A stricter way of splitting: Punkt's sentences, put right by rules where Punkt is known to be wrong. Pure.

Each false split adds a "sentence" such as "Mr." to the denominator of a score, each missed one hides a sentence. Scores
by these sentences can't be compared with published ones, which go by Punkt's.
"""

import re
from collections.abc import Iterable

Range = tuple[int, int]

_TITLES = (
    "Mr Mrs Ms Messrs Mme Mlle Dr Prof Rev Fr Hon Gen Col Capt Lt Sgt Cpl Maj Adm Gov Sen Rep Pres St Mt Ft Sr Sra Srta"
)
#: Words with which a sentence begins far more often than a name does.
_OPENER = (
    r"(?:The|A|An|He|She|It|They|We|I|You|His|Her|Their|Its|This|That|These|Those|There|Then|When|While|After|Before|But|"
    r"And|So|Yet|In|On|At|As|If|Now|Meanwhile|However|Later|Soon|Finally|Eventually|Nobody|Everyone)\b"
)
_CLOSING = r"[\"”’'»)\]」』）]*"
_OPENING = r"[\"“‘'«(\[「『（]*"

#: Where a sentence ends though Punkt may not say so; each match ends where the next sentence begins.
_ENDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\S[^\S\n]*\n[^\S\n]*\n\s*(?=\S)",  # a blank line, also after a heading without a full stop
        rf"[。！？｡]+{_CLOSING}\s*(?=\S)",
        rf"(?:…|\.\.\.){_CLOSING}\s+(?={_OPENING}[^\W\d_a-z])",
        r"[^\W\d_A-Z]{2}[.!?](?=[A-Z][a-z])",  # left.John
        r"\b(?:[Ss]ize|[Pp]lan|[Gg]rade|[Vv]itamin|[Ll]etter|[Tt]ype|[Cc]lass|[Gg]roup|[Rr]oom|[Gg]ate|[Oo]ption|[Pp]art)"
        r"\s[A-Z]\.\s+(?=[A-Z])",  # size S. Fits
        rf"\b(?:[A-Z]|[ap]\.m|etc|Inc|Ltd|Co|Corp|Jr|Sr|U\.S|U\.K|Ph\.D|B\.C|A\.D)\.\s+(?={_OPENING}{_OPENER})",
    )
)
#: What a sentence never ends with, where the next begins as the second pattern says.
_GOES_ON = tuple(
    (re.compile(before), re.compile(after))
    for before, after in (
        (r"", rf"{_OPENING}[a-zß-öø-ÿ]"),  # e.g. rope; “Stop!” he said
        (rf"(?:^|[\s(\"“‘'])(?:{'|'.join(_TITLES.split())})\.$", r"\S"),
        (r"(?:^|[\s(])(?:[Nn]os?|[Pp]p?|[Vv]ols?|[Cc]h|[Ff]igs?|[Aa]rt|[Ss]ec)\.$", r"\d"),
        (r"(?:^|[\s(\"“‘'.])[A-Z]\.$", rf"(?!{_OPENER})[A-Z]"),  # J. K. Rowling
    )
)
_LIST_NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LETTERED = _ENDS[4]


def split_strictly(text: str, sentences: Iterable[Range]) -> list[Range]:
    """Offsets `[start, end)` of the sentences of `text`, from Punkt's `sentences`; the same promises as theirs."""
    found = {start for start, _ in sentences}
    found |= {_behind_space(text, match.end()) for pattern in _ENDS for match in pattern.finditer(text)}
    spans: list[Range] = []
    begins = _behind_space(text, 0)
    for start in [*sorted(start for start in found if begins < start < len(text)), len(text)]:
        if start < len(text) and not _is_end(text, begins, start):
            continue
        end = start - (len(text[begins:start]) - len(text[begins:start].rstrip()))
        if end > begins:
            spans.append((begins, end))
        begins = start
    return spans


def _is_end(text: str, begins: int, start: int) -> bool:
    """Whether the sentence that begins at `begins` ends before `start`."""
    before = text[begins:start]
    if _BLANK_LINE.search(before[len(before.rstrip()) :]):
        return True
    said = before.rstrip()
    if _LIST_NUMBER.fullmatch(said):
        return False
    if (lettered := _LETTERED.search(text, max(begins, start - 40), start + 1)) and lettered.end() == start:
        return True
    return not any(ends.search(said) and goes_on.match(text, start) for ends, goes_on in _GOES_ON)


def _behind_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
