"""What all views of the REST API share: their errors, how lists are filtered and paged, and bounds of what is sent."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.requests import valid
from booookweb.api.errors import TooLarge, answer
from booookweb.models import User
from summarizer.identifiers import LARGEST_ID, row_id

#: What a multipart body may have beside its file.
MULTIPART_ROOM = 64 * 1024


class RestView(APIView):
    """Base of all views that the OpenAPI document describes. Roles are checked before, in `booookweb.access`."""

    #: Largest body, in bytes.
    body_limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    #: What may stand in the address after the question mark, where that is anything, by method.
    queries: Mapping[str, "type[Query]"] = MappingProxyType({})
    #: The values of it.
    query: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if (row_id(request.META.get("CONTENT_LENGTH") or "0") or 0) > self.body_limit:
            raise TooLarge(f"This is more than {self.body_limit // 2**20} MB, the most that is taken here.")
        method = "GET" if request.method == "HEAD" else request.method or ""
        self.query = self.queries.get(method, Query).read(request)

    def get_exception_handler(self) -> Any:
        return answer

    @staticmethod
    def user(request: Request) -> User:
        """Whoever sent the request; the access table lets nobody in who is not logged in."""
        if not isinstance(request.user, User):
            raise TypeError("This route is open to people who are not logged in.")
        return request.user


class UploadView(RestView):
    """Takes a file as multipart/form-data."""

    parser_classes = [MultiPartParser]
    body_limit = settings.UPLOAD_LIMIT_BYTES + MULTIPART_ROOM

    @staticmethod
    def bytes_of(file: "UploadedFile[Any]") -> bytes:
        """Raises TooLarge."""
        if (file.size or 0) > settings.UPLOAD_LIMIT_BYTES:
            raise TooLarge(f"The file is larger than {settings.UPLOAD_LIMIT_BYTES / 2**20:.3g} MB.")
        return bytes(file.read())


class IdField(serializers.IntegerField):
    """The number of a row, within what databases take."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=LARGEST_ID, **kwargs)


class NumberField(serializers.FloatField):
    """A number; what is none, or has no end, is none."""

    def to_internal_value(self, data: Any) -> float:
        number = super().to_internal_value(data)
        if not math.isfinite(number):
            self.fail("invalid")
        return number


class Query(serializers.Serializer[Any]):
    """What the address of a request may ask for: every other name is refused, as is a name that stands twice."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """The values that were asked for and the defaults of others. Raises ValidationError."""
        known, sent = cls().fields, request.query_params
        for name in sent:
            if name not in known:
                raise ValidationError(
                    f"There is no filter “{name[:50]}” here. There are: {', '.join(known) or 'none'}."
                )
            if len(sent.getlist(name)) > 1:
                raise ValidationError(f"{name}: name it once.")
        return valid(cls(data=sent.dict()))


class ListQuery(Query):
    page = serializers.IntegerField(default=1, min_value=1, max_value=1_000_000)
    page_size = serializers.IntegerField(default=50, min_value=1, max_value=200)


def page_of(serializer: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """The form of a page of a list, for the document."""
    name = serializer.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}Page",
        {
            "count": serializers.IntegerField(help_text="How many there are on all pages."),
            "next": serializers.CharField(allow_null=True, help_text="The address of the next page; null on the last."),
            "results": serializer(many=True),
        },
    )


def listed(
    request: Request,
    rows: "QuerySet[Any, Any]",
    query: dict[str, Any],
    serializer: type[serializers.Serializer[Any]],
) -> Response:
    """A page of `rows`, which have an order of their own in which no two are alike."""
    return paged(request, rows.count(), query, serializer(rows[place_of(query)], many=True).data)


def place_of(query: dict[str, Any]) -> slice:
    """Where the page that is asked for lies."""
    start = (query["page"] - 1) * query["page_size"]
    return slice(start, start + query["page_size"])


def paged(request: Request, count: int, query: dict[str, Any], results: Any) -> Response:
    """An answer of the form that `page_of` describes; `results` are those of the page."""
    following = {**request.query_params.dict(), "page": query["page"] + 1}
    more = place_of(query).stop < count
    address = f"{request.path}?{urlencode(following)}" if more else None
    return Response({"count": count, "next": address, "results": results})


def chosen(query: dict[str, Any], **lookups: str) -> dict[str, Any]:
    """The filters of `query` that were asked for, under the lookups that they stand for."""
    return {lookup: query[name] for name, lookup in lookups.items() if query.get(name) not in (None, "")}
