"""The OpenAPI document: what of the API is described, and the page on which people read and try it."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from booookweb.access import API
from booookweb.api.base import RestView

Endpoint = tuple[str, str, str, Callable[..., Any]]

#: Status -> when. Every operation can answer with them.
ERRORS = {
    "400": "The request can't be read, or what it asks for makes no sense.",
    "401": "No login: no token, or one that opens nothing.",
    "403": "The role of the token's owner does not include this, the token only reads, or its owner is blind to it.",
    "404": "There is no such thing.",
    "406": "The answer exists only as JSON.",
    "429": "Too many requests with tokens that open nothing.",
}
ERRORS_OF_WRITES = {
    "409": "It can't be done as things stand, or somebody was quicker; the words say why.",
    "413": "The body is larger than what is taken.",
    "415": "The body is of a type that is not taken.",
}
READING = ("get", "head", "options")


def only_documented(endpoints: list[Endpoint], **_: Any) -> list[Endpoint]:
    """What pages of this project ask for themselves may change with them, and is not promised to programs."""
    return [each for each in endpoints if issubclass(getattr(each[3], "cls", object), RestView)]


def completed(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Every operation has a name for generated clients, a line that says what it does, and the errors it may answer."""
    form = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    result["components"]["schemas"]["Error"] = {
        "type": "object",
        "properties": {
            "detail": {"type": "string", "description": "A sentence that says what is wrong and what to do."},
            "code": {"type": "string", "description": "A word for programs."},
        },
        "required": ["detail", "code"],
    }
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            operation["operationId"] = "_".join([method, *re.findall(r"\w+", path.removeprefix(API))])
            operation["summary"] = operation.get("description", "").partition(". ")[0].rstrip(".").replace("`", "")
            errors = ERRORS if method in READING else {**ERRORS, **ERRORS_OF_WRITES}
            for status, when in errors.items():
                operation["responses"].setdefault(status, {"description": when, "content": form})
    return result


@cache
def document() -> dict[str, Any]:
    """The same for everybody, and as long as the process runs."""
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


class Schema(RestView):
    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        return Response(document())


class Documentation(SpectacularSwaggerSplitView):
    """Swagger UI from our own files, without an inline script or style."""

    url_name = "rest-api:schema"
    template_name = "booookweb/api_docs.html"
