"""Reading what requests bring."""

from typing import Any

from rest_framework.request import Request

from annotation.services.mark_errors import InvalidMark
from summarizer.identifiers import row_id


def valid(serializer: Any) -> dict[str, Any]:
    """The serializer's data, or its ValidationError."""
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def base_version(request: Request, of_what: str) -> int:
    """The version that the address of a deletion names. Raises `InvalidMark`."""
    version = row_id(request.query_params.get("base_version", ""))
    if version is None:
        raise InvalidMark(f"base_version must be the version of {of_what}.")
    return version
