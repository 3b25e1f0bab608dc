"""Where `collectstatic` puts CSS, scripts and pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whitenoise.storage import CompressedStaticFilesStorage

#: Dates of files are floating-point numbers, rounded when they are copied.
SAME_SECONDS = 0.001


class CompressedOnceStorage(CompressedStaticFilesStorage):  # type: ignore[misc]  # the package has no types
    """Compresses what is new or changed; `manage.py up` collects at every start."""

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool] | tuple[str, None, RuntimeError]]:
        changed = {path: found for path, found in paths.items() if not self._is_compressed(path)}
        yield from super().post_process(changed, dry_run, **options)

    def _is_compressed(self, path: str) -> bool:
        """Whether there is a compressed file of the same date: it gets that of its original."""
        original, compressed = Path(self.path(path)), Path(self.path(f"{path}.gz"))
        if not compressed.exists():
            return False
        return abs(compressed.stat().st_mtime - original.stat().st_mtime) < SAME_SECONDS
