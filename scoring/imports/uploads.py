"""Uploads of which an import reads files: on disk for as long as it takes, and never more than what is allowed."""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath

from scoring.imports.context import ImportRefused

#: The public release has about 200 files and 60 MB.
MOST_FILES = 2000
LARGEST_UNPACKED = 200 * 1024 * 1024
LONGEST_PATH = 300
_PIECE = 1024 * 1024


@contextmanager
def on_disk(data: bytes, suffix: str) -> Iterator[Path]:
    """The bytes as a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="booook-import-") as folder:
        path = Path(folder, f"upload{suffix}")
        path.write_bytes(data)
        yield path


@contextmanager
def unpacked(data: bytes) -> Iterator[Path]:
    """The folder in a ZIP archive; it is gone afterwards. One folder that holds all the rest is left out.

    Raises ImportRefused for what is no archive, is protected, leads out of it, or unpacks to more than is taken.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive, tempfile.TemporaryDirectory(prefix="booook-import-") as folder:
            root = Path(folder)
            _unpack(archive, root)
            yield _inner(root)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ImportRefused("This file is no ZIP archive that can be read: it is damaged or another format.") from error


def _unpack(archive: zipfile.ZipFile, root: Path) -> None:
    entries = [each for each in archive.infolist() if not each.is_dir()]
    if len(entries) > MOST_FILES:
        raise ImportRefused(f"The archive has more than {MOST_FILES:,} files.")
    left = LARGEST_UNPACKED
    for entry in entries:
        path = _place(root, entry.filename)
        if entry.flag_bits & 1:
            raise ImportRefused("The archive is protected by a password. Upload an unprotected one.")
        left = _write(archive, entry, path, left)


def _place(root: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    is_outside = not parts or parts[0] == "/" or ".." in parts or any(":" in part for part in parts)
    if is_outside or "\0" in name or len(name.encode(errors="replace")) > LONGEST_PATH:
        raise ImportRefused(f"The archive has a file with a path that is not taken: {name[:100]!a}.")
    return root.joinpath(*parts)


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, left: int) -> int:
    """Returns how many bytes are left to unpack; counted as they come, whatever the archive says of itself."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as packed, path.open("xb") as out:
            while piece := packed.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise ImportRefused(f"The archive unpacks to more than {LARGEST_UNPACKED // 2**20} MB.")
                out.write(piece)
    except OSError as error:
        raise ImportRefused(
            f"The archive's file {entry.filename[:100]!a} can't be unpacked: {error.strerror}."
        ) from error
    return left


def _inner(root: Path) -> Path:
    """Archives often have all in one folder, and that of macOS beside it."""
    found = [each for each in root.iterdir() if each.name != "__MACOSX" and not each.name.startswith(".")]
    return found[0] if len(found) == 1 and found[0].is_dir() and found[0].name not in LAYOUT else root


#: What lies at the top of a release.
LAYOUT = {"annotations", "summaries"}
