"""Books: the list, adding one, and one book with its sections."""

from typing import Any

from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.parsing import FlatJSONParser
from annotation.api.requests import valid
from booookweb.api.base import ListQuery, RestView, UploadView, listed, page_of
from booookweb.api.errors import Conflict
from summarizer.models import Book, ReferenceSummary, Section
from summarizer.selectors.books import books_listed
from summarizer.services.books import add_book, change_details, choose_sections
from summarizer.services.references import LONGEST_SOURCE, add_reference

LONGEST_NAME = 500
MOST_SECTIONS = 10_000
LONGEST_REFERENCE = 500_000


class BookQuery(ListQuery):
    q = serializers.CharField(default="", allow_blank=True, max_length=200, help_text="Words of title, author or file.")


class BookSerializer(serializers.ModelSerializer[Book]):
    genres = serializers.ListField(child=serializers.CharField())
    summaries = serializers.IntegerField(source="summary_count")

    class Meta:
        model = Book
        fields: tuple[str, ...] = (
            *("id", "title", "author", "genres", "publication_date", "source_name", "source_format", "text_sha256"),
            *("tokens", "summaries", "created_at"),
        )


class SectionSerializer(serializers.ModelSerializer[Section]):
    class Meta:
        model = Section
        fields: tuple[str, ...] = ("index", "title", "part", "start", "end", "included", "reason")


class BookDetailSerializer(BookSerializer):
    warnings = serializers.ListField(child=serializers.CharField())
    sections = SectionSerializer(many=True)

    class Meta(BookSerializer.Meta):
        fields: tuple[str, ...] = (*BookSerializer.Meta.fields, "warnings", "sections")


class BookDetailsSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=LONGEST_NAME, required=False)
    author = serializers.CharField(max_length=LONGEST_NAME, required=False, allow_blank=True)
    genres = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), required=False, max_length=50, help_text="Replaces all."
    )
    publication_date = serializers.DateField(required=False, allow_null=True)


class BookUploadSerializer(BookDetailsSerializer):
    file = serializers.FileField(help_text="Plain text or EPUB without copy protection.")


class BookChangeSerializer(BookDetailsSerializer):
    included_sections = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST_SECTIONS),
        required=False,
        max_length=MOST_SECTIONS,
        help_text="Indexes of the sections that are summarized; all others are left out.",
    )


class Books(UploadView):
    queries = {"GET": BookQuery}

    @extend_schema(parameters=[BookQuery], responses=page_of(BookSerializer))
    def get(self, request: Request) -> Response:
        """Books by title."""
        return listed(request, books_listed(self.query["q"]), self.query, BookSerializer)

    @extend_schema(request={"multipart/form-data": BookUploadSerializer}, responses={201: BookDetailSerializer})
    def post(self, request: Request) -> Response:
        """Add a book; what is left out is taken from the file. 409 for a text that is here already, with its `book`."""
        data = valid(BookUploadSerializer(data=request.data))
        file = data.pop("file")
        book = add_book(data=self.bytes_of(file), filename=file.name, added_by=self.user(request), **data)
        return Response(_detail(book.pk), status=201)


class OneBook(RestView):
    parser_classes = [FlatJSONParser]

    @extend_schema(responses=BookDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """A book with its sections."""
        return Response(_detail(pk))

    @extend_schema(request=BookChangeSerializer, responses=BookDetailSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Change what is known of the book, or which of its sections are summarized. The text never changes."""
        book = get_object_or_404(Book.objects.defer("text"), pk=pk)
        data = valid(BookChangeSerializer(data=request.data))
        included = data.pop("included_sections", None)
        if data:
            now = {name: getattr(book, name) for name in ("title", "author", "genres", "publication_date")}
            change_details(book=book, **{**now, **data})
        if included is not None:
            choose_sections(book=book, included=set(included), chosen_by=self.user(request).get_username())
        return Response(_detail(pk))


class BookText(RestView):
    @extend_schema(responses={(200, "text/plain"): OpenApiResponse(OpenApiTypes.STR)})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """The whole text, to which the offsets of sections (code points) refer. 409 for a book that has none here."""
        book = get_object_or_404(Book, pk=pk)
        if not book.text_sha256:
            raise Conflict("This book came with an imported study, without its text.")
        return HttpResponse(book.text, content_type="text/plain; charset=utf-8")


class ReferenceSerializer(serializers.ModelSerializer[ReferenceSummary]):
    class Meta:
        model = ReferenceSummary
        fields = ("id", "source", "text", "text_sha256", "created_at")


class NewReferenceSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST_REFERENCE, trim_whitespace=False)
    source: Any = serializers.CharField(
        max_length=LONGEST_SOURCE, default="", allow_blank=True, help_text="Where from."
    )


class BookReferences(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(ReferenceSerializer))
    def get(self, request: Request, pk: int) -> Response:
        """Reference summaries of the book, against which ROUGE-L is computed."""
        book = get_object_or_404(Book.objects.only("pk"), pk=pk)
        return listed(request, book.references.order_by("pk"), self.query, ReferenceSerializer)

    @extend_schema(request=NewReferenceSerializer, responses={200: ReferenceSerializer, 201: ReferenceSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Add a reference summary; 200 for one that the book has already."""
        book = get_object_or_404(Book.objects.defer("text"), pk=pk)
        reference, is_new = add_reference(book=book, **valid(NewReferenceSerializer(data=request.data)))
        return Response(ReferenceSerializer(reference).data, status=201 if is_new else 200)


def _detail(pk: int) -> dict[str, Any]:
    sections = Prefetch("sections", Section.objects.order_by("index"))
    book = get_object_or_404(books_listed().defer(None).defer("text").prefetch_related(sections), pk=pk)
    return dict(BookDetailSerializer(book).data)
