"""Summary files: final summaries, or all summaries that were made on the way."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.release.files import expecting, read_mapping, text_of


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
    summaries: dict[str, ReleasedSummary | None] = {}
    for book, entry in read_mapping(path).items():
        with expecting("a summary, a list of summaries or a mapping of levels", f"{path}, {book}"):
            summary = _summary(entry) if entry else None
            summaries[book] = summary if summary and summary.final.strip() else None
    return summaries


def _summary(entry: Any) -> ReleasedSummary:
    if isinstance(entry, str):
        return ReleasedSummary(entry)
    if isinstance(entry, list):
        texts = _texts(entry)
        return ReleasedSummary(texts[-1], (texts,), incremental=True)
    levels = entry.get("summaries_dict") or {}
    return ReleasedSummary(
        text_of(entry["final_summary"]), tuple(_texts(levels[key]) for key in sorted(levels, key=int))
    )


def _texts(entry: Any) -> tuple[str, ...]:
    if not isinstance(entry, list):
        raise TypeError("a list of summaries is expected")
    return tuple(text_of(text) for text in entry)
