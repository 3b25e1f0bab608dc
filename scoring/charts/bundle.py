"""The charts' script: Vega, Vega-Lite and Vega-Embed in one file, written by the package that also draws on the server.

It is a static file like any other (`{% static "js/vega.js" %}`), found where it was written and written when it is
first looked for, so that neither the repository nor another host has to hold it.
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage

NAME = "js/vega.js"
#: What the script leaves for ours.
LEAVE = "window.vegaEmbed = vegaEmbed;"


class ChartScriptFinder(BaseFinder):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.folder = Path(settings.VAR_DIR) / "charts" / version("vl-convert-python")

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path != NAME:
            return []
        found = str(self._written())
        return [found] if find_all else found

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        return []

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        self._written()
        yield NAME, FileSystemStorage(location=str(self.folder))

    def _written(self) -> Path:
        target = self.folder / NAME
        if not target.exists():
            import vl_convert  # only here: it is large

            target.parent.mkdir(parents=True, exist_ok=True)
            # A file of our own until it is whole: several processes may find the script missing at the same time.
            with NamedTemporaryFile(
                "w", encoding="utf-8", dir=target.parent, suffix=".part", delete=False
            ) as unfinished:
                unfinished.write(vl_convert.javascript_bundle(LEAVE))
            Path(unfinished.name).chmod(0o644)
            Path(unfinished.name).replace(target)
        return target
