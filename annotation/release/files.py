"""Which files a folder in the layout of the public release holds, and to which system each belongs."""

import json
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_HUMAN = Path("annotations/human_annotations")
_PREFERENCES = _HUMAN / "qualitative_comparison"


_LONGEST_MESSAGE = 600


class ReleaseError(Exception):
    """The folder or a file in it can't be taken; the text says which and why, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split())[:_LONGEST_MESSAGE])


@contextmanager
def expecting(what: str, where: str) -> Iterator[None]:
    """Code that reads a value as if it had the right shape: one that has not is a ReleaseError that says where."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ReleaseError(f"{where}: this is not {what} ({error!r}).") from None


def text_of(value: Any) -> str:
    """The value, if it is a text. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"a text is expected, not {reprlib.repr(value)}")
    return value


@dataclass(frozen=True)
class RoundFiles:
    """One person's part in one round of preferences: the exported answers, the totals, or both."""

    round: str
    person: str
    answers: Path | None
    counts: Path | None


@dataclass
class ReleaseFiles:
    """Files by system name, as spelt in the file name without "-cleaned"."""

    root: Path
    #: Final summaries, and files that hold intermediate ones too.
    cleaned: dict[str, Path] = field(default_factory=dict)
    uncleaned: dict[str, Path] = field(default_factory=dict)
    #: Judgements sentence by sentence, and those asked for in batches.
    judgements: dict[str, Path] = field(default_factory=dict)
    batch_judgements: dict[str, Path] = field(default_factory=dict)
    marks: dict[str, Path] = field(default_factory=dict)
    reviews: dict[str, Path] = field(default_factory=dict)
    preferences: list[RoundFiles] = field(default_factory=list)
    #: JSON files that fit no known place.
    unknown: list[Path] = field(default_factory=list)

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def release_files(root: Path) -> ReleaseFiles:
    """Sort the JSON files below `root`. Files that the layout has and the folder lacks are simply not there.

    Raises ReleaseError where the folder does not exist or holds nothing of the release.
    """
    if not root.is_dir():
        raise ReleaseError(f"There is no folder {root}. Name the folder that holds summaries/ and annotations/.")
    files = ReleaseFiles(root)
    spelt = _Spelling()
    paths = sorted(path for path in root.rglob("*.json") if path.is_file())
    # Summaries first: the names of their files are the names of the systems.
    for path in sorted(paths, key=lambda path: path.parent.name != "summaries"):
        _sort_in(files, path, spelt)
    files.preferences = _rounds(root)
    if not any((files.cleaned, files.uncleaned, files.marks)):
        raise ReleaseError(
            f"{root} holds no summaries. Name the folder that holds summaries/ and annotations/, as published."
        )
    return files


def read_json(path: Path) -> Any:
    """The content of a file. Raises ReleaseError where it is not JSON, or holds what no text can hold."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
        _check_texts(content)
    except (OSError, RecursionError, ValueError) as error:
        raise ReleaseError(f"{path} can't be read as JSON: {error}.") from None
    return content


def read_mapping(path: Path) -> dict[str, Any]:
    """The content of a file that maps books to something."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ReleaseError(f"{path} should map books to their entries, but holds a {type(content).__name__}.")
    return content


def _check_texts(content: Any) -> None:
    """Raises ValueError for a NUL or half of a surrogate pair, which JSON can spell and no database takes."""
    if isinstance(content, str):
        content.encode()
        if "\0" in content:
            raise ValueError(f"{reprlib.repr(content)} holds a NUL character")
    elif isinstance(content, dict):
        for key, value in content.items():
            _check_texts(key)
            _check_texts(value)
    elif isinstance(content, list):
        for value in content:
            _check_texts(value)


class _Spelling:
    """The release writes some names with "-" and some with "_"; the first spelling seen stands for all."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def system(self, stem: str) -> str:
        name = stem
        for ending in ("-cleaned", "_cleaned"):
            name = name.removesuffix(ending)
        return self._names.setdefault(name.replace("_", "-").lower(), name)


def _sort_in(files: ReleaseFiles, path: Path, spelt: _Spelling) -> None:
    folder, stem = path.parent.relative_to(files.root), path.stem
    if folder == Path("summaries"):
        system = spelt.system(stem)
        (files.cleaned if stem.endswith("cleaned") else files.uncleaned)[system] = path
    elif folder == Path("annotations"):
        files.judgements[spelt.system(stem)] = path
    elif folder == Path("annotations/v2"):
        files.batch_judgements[spelt.system(stem)] = path
    elif folder == _HUMAN and stem.startswith("summary-"):
        files.marks[spelt.system(stem.removeprefix("summary-"))] = path
    elif folder == _HUMAN and stem.startswith("annotations-"):
        files.reviews[spelt.system(stem.removeprefix("annotations-"))] = path
    elif folder.parent != _PREFERENCES:
        files.unknown.append(path)


def _rounds(root: Path) -> list[RoundFiles]:
    found: dict[tuple[str, str], dict[str, Path]] = {}
    for path in sorted((root / _PREFERENCES).glob("*/*.json")):
        person = path.stem.removesuffix("-counts")
        kind = "answers" if person == path.stem else "counts"
        found.setdefault((path.parent.name, person), {})[kind] = path
    return [
        RoundFiles(round_name, person, kinds.get("answers"), kinds.get("counts"))
        for (round_name, person), kinds in sorted(found.items())
    ]
