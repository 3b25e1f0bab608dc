"""Where `collectstatic` puts CSS, scripts and pictures."""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join
from typing import Any

from whitenoise.storage import CompressedStaticFilesStorage

#: Dates of files are floating-point numbers, rounded when they are copied.
SAME_SECONDS = 0.001
#: How our stylesheets name the files that they consist of.
IMPORT = re.compile(r'^@import "([\w/]+\.css)";$', re.MULTILINE)


class StaticFilesStorage(CompressedStaticFilesStorage):  # type: ignore[misc]  # the package has no types
    """Puts stylesheets together and compresses what is new or changed; `manage.py up` collects at every start."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool] | tuple[str, None, RuntimeError]]:
        if not dry_run:
            for path in paths:
                if path.endswith(".css"):
                    self._put_together(path, paths)
        changed = {path: found for path, found in paths.items() if not self._is_compressed(path)}
        yield from super().post_process(changed, dry_run, **options)

    def _put_together(self, path: str, paths: dict[str, Any]) -> None:
        """Replace what a stylesheet imports by its text: each file would be a request of its own."""
        text, target = _with_imports(path, paths), Path(self.path(path))
        if text != target.read_text(encoding="utf-8"):
            target.unlink()  # it may be a link to the file that we read
            target.write_text(text, encoding="utf-8")
            Path(self.path(f"{path}.gz")).unlink(missing_ok=True)

    def _is_compressed(self, path: str) -> bool:
        """Whether there is a compressed file of the same date: it gets that of its original."""
        original, compressed = Path(self.path(path)), Path(self.path(f"{path}.gz"))
        if not compressed.exists():
            return False
        return abs(compressed.stat().st_mtime - original.stat().st_mtime) < SAME_SECONDS


def _with_imports(path: str, paths: dict[str, Any]) -> str:
    storage, source = paths[path]
    with storage.open(source) as file:
        text: str = file.read().decode()
    return IMPORT.sub(lambda found: _with_imports(join(dirname(path), found[1]), paths), text)
