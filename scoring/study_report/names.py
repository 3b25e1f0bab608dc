"""People by numbers: what is frozen names nobody, not even by pseudonym. Pure."""

import re
from collections.abc import Sequence
from typing import Any


def without_names(value: dict[str, Any], pseudonyms: Sequence[str]) -> dict[str, Any]:
    """Plain values with "Person 1" and so on in place of the pseudonyms, in their order; also in keys.

    A pseudonym counts where no letter or digit stands beside it.
    """
    numbers = {name: f"Person {number}" for number, name in enumerate(pseudonyms, start=1)}
    if not numbers:
        return value
    # Longer ones first: one may begin like another.
    longest_first = sorted(map(re.escape, numbers), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
    return {name: _replaced(each, pattern, numbers) for name, each in value.items()}


def _replaced(value: Any, pattern: re.Pattern[str], numbers: dict[str, str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(lambda match: numbers[match[0]], value)
    if isinstance(value, dict):
        return {_replaced(key, pattern, numbers): _replaced(each, pattern, numbers) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(each, pattern, numbers) for each in value]
    return value
