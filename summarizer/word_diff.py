"""What changed between two versions of a text, word by word, for a page."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "removed", "added"]

#: Fewer words that happen to be the same between two changed stretches are shown as changed too: islands of "the" and
#: "and" in what was written anew say nothing.
SHORTEST_ISLAND = 3

#: A word with the white space after it.
_WORD = re.compile(r"\S+\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    text: str


def word_diff(old_text: str, new_text: str) -> list[Piece]:
    """The pieces of both texts in order. Without those removed they are the new one, without those added the old
    one, but for white space that changed around words that are the same."""
    old, new = _WORD.findall(old_text.lstrip()), _WORD.findall(new_text.lstrip())
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    codes = matcher.get_opcodes()
    pieces: list[Piece] = []
    for number, (tag, old_start, old_end, new_start, new_end) in enumerate(codes):
        is_island = 0 < number < len(codes) - 1 and old_end - old_start < SHORTEST_ISLAND
        if tag == "equal" and not is_island:
            pairs = zip(old[old_start:old_end], new[new_start:new_end], strict=True)
            # The space at the end of a text is the other one's.
            pieces.append(Piece("same", "".join(after if after[-1].isspace() else before for before, after in pairs)))
            continue
        _append(pieces, "removed", "".join(old[old_start:old_end]))
        _append(pieces, "added", "".join(new[new_start:new_end]))
    return pieces


def _append(pieces: list[Piece], kind: Kind, text: str) -> None:
    """Add to the last stretch of changes, which has at most one removed piece and one added after it."""
    if not text:
        return
    changed = 0
    while changed < len(pieces) and pieces[-1 - changed].kind != "same":
        changed += 1
    place = len(pieces) - changed
    for index in range(place, len(pieces)):
        if pieces[index].kind == kind:
            pieces[index] = Piece(kind, pieces[index].text + text)
            return
    pieces.insert(place if kind == "removed" else len(pieces), Piece(kind, text))
