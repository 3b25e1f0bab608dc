"""Summary files: final summaries, or all summaries that were made on the way."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.release.files import ReleaseError, read_mapping


@dataclass(frozen=True)
class ReleasedSummary:
    final: str
    #: Summaries level by level (hierarchical merging), lowest first; or in one row (incremental updating).
    levels: tuple[tuple[str, ...], ...] = ()
    incremental: bool = False


def read_summaries(path: Path) -> dict[str, ReleasedSummary | None]:
    """{book: summary}, None where the file has none.

    A book is a text, a list of texts, or {"summaries_dict": {level: texts}, "final_summary"}.
    """
    return {book: _summary(entry, f"{path}, {book}") for book, entry in read_mapping(path).items()}


def _summary(entry: Any, where: str) -> ReleasedSummary | None:
    if not entry:
        return None
    if isinstance(entry, str):
        return ReleasedSummary(entry)
    if isinstance(entry, list) and all(isinstance(text, str) for text in entry):
        return ReleasedSummary(entry[-1], (tuple(entry),), incremental=True)
    if isinstance(entry, dict) and isinstance(entry.get("final_summary"), str):
        levels = entry.get("summaries_dict") or {}
        return ReleasedSummary(entry["final_summary"], tuple(tuple(levels[key]) for key in sorted(levels, key=int)))
    raise ReleaseError(f"{where}: this is neither a summary nor a list of summaries.")
