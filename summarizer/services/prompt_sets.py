"""Loading prompt sets: our own, or a folder in the layout of the public release."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from summarizer.models import PromptSet
from summarizer.prompts import (
    ANSWERS,
    ORDERS,
    REQUIRED,
    Placeholders,
    PromptError,
    PromptFiles,
    answer_rules,
    check,
)

BUILT_IN = Path(__file__).resolve().parent.parent / "prompt_sets"
#: Largest prompt file taken, in bytes: demonstrations are long, but no prompt is longer than a small window.
FILE_LIMIT = 256 * 1024


class PromptSetError(Exception):
    """A prompt set that can't be loaded or used; the message says which file and why."""


def load_prompt_set(name_or_folder: str) -> PromptSet:
    """The prompt set of that name (built in, else the newest stored one), or the files of a folder.

    Known files are those of the release's `prompts/`; others are ignored, and a set may hold only some of them. The
    same content gives the same row. Raises `PromptSetError`.
    """
    built_in = BUILT_IN / name_or_folder
    if name_or_folder and built_in.parent == BUILT_IN and built_in.is_dir():
        return _stored(name_or_folder, _read(built_in), "named")
    if (folder := Path(name_or_folder)).is_dir():
        files = _read(folder)
        return _stored(folder.resolve().name or "prompts", files, _style(files))
    if stored := PromptSet.objects.filter(name=name_or_folder).order_by("-created_at", "-id").first():
        return stored
    raise PromptSetError(
        f"There is no prompt set or folder called {name_or_folder!r}. Built in: {', '.join(built_in_names())}."
    )


def store_prompt_set(*, name: str, files: Mapping[str, str]) -> PromptSet:
    """The prompt set of these files, {path as in the release's `prompts/`: text}. The same content gives the same row.

    Raises `PromptSetError`, also for a path that is none of the known ones, and for the name of a built-in set.
    """
    if name in built_in_names():
        raise PromptSetError(f"{name} is the name of a built-in set. Choose another one.")
    if unknown := sorted(files.keys() - ORDERS.keys()):
        raise PromptSetError(f"There is no prompt file {', '.join(unknown)}. Known names: {', '.join(ORDERS)}.")
    if not files:
        raise PromptSetError(f"There is no prompt file. Known names: {', '.join(ORDERS)}.")
    texts = {path: _text(path, text.encode(errors="surrogatepass")) for path, text in files.items()}
    return _stored(name, texts, _style(texts))


def built_in_names() -> list[str]:
    return sorted(folder.name for folder in BUILT_IN.iterdir() if folder.is_dir() and not folder.name.startswith("_"))


def prompt_files(prompt_set: PromptSet) -> PromptFiles:
    """The files of a stored set, ready to be filled."""
    return PromptFiles(prompt_set.files, "named" if prompt_set.placeholders == "named" else "positional")


def used_files(prompt_set: PromptSet, paths: Iterable[str]) -> tuple[str, dict[str, str]]:
    """What of a set matters to somebody who uses only `paths`: how placeholders are written, and those files."""
    used = {path: prompt_set.files[path] for path in sorted({*paths, ANSWERS}) if path in prompt_set.files}
    return prompt_set.placeholders, used


def _read(folder: Path) -> dict[str, str]:
    files = {path: _read_file(folder / path, path) for path in ORDERS if (folder / path).is_file()}
    if not files:
        raise PromptSetError(f"The folder {folder} holds no prompt file. Known names: {', '.join(ORDERS)}.")
    return files


def _read_file(file: Path, path: str) -> str:
    with file.open("rb") as stream:
        return _text(path, stream.read(FILE_LIMIT + 1))


def _text(path: str, data: bytes) -> str:
    if len(data) > FILE_LIMIT:
        raise PromptSetError(f"{path} is larger than {FILE_LIMIT // 1024} kB, too large for a prompt.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise PromptSetError(f"{path} is not UTF-8 text. Save it as UTF-8.") from None
    if "\0" in text:
        raise PromptSetError(f"{path} holds a NUL character and is no text.")
    return text


def _style(files: dict[str, str]) -> Placeholders:
    """Positional if any file has `{}`, or has the doubled braces of the release's second annotation prompt."""
    doubled = "{{" in files.get("get_annotations_v2.txt", "")
    return "positional" if doubled or any("{}" in text for text in files.values()) else "named"


def _stored(name: str, files: dict[str, str], placeholders: Placeholders) -> PromptSet:
    for path, text in files.items():
        try:
            check(text, REQUIRED.get(path, ()), placeholders, ORDERS[path])
            if path == ANSWERS:
                answer_rules(text)
        except PromptError as error:
            raise PromptSetError(f"{path} can't be used: {error}") from error
    content = json.dumps([placeholders, files], sort_keys=True, ensure_ascii=False)
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    same = PromptSet.objects.filter(content_sha256=sha256).order_by("id").first()
    if same:
        return same
    prompt_set, _ = PromptSet.objects.get_or_create(
        name=name[:200], content_sha256=sha256, defaults={"files": files, "placeholders": placeholders}
    )
    return prompt_set
