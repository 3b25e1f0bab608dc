"""Summaries: lists, one with its text and sentences, and the steps by which it was made."""

from typing import Any

from django.db.models import Count
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of
from summarizer.models import Sentence, Summary, SummaryNode


class SummaryQuery(ListQuery):
    book = IdField(required=False)
    system = IdField(required=False)
    study = serializers.SlugField(required=False, max_length=100, help_text="Name of a study.")


class SummarySerializer(serializers.ModelSerializer[Summary]):
    title = serializers.CharField(source="book.title", help_text="Of the book.")
    system_name = serializers.CharField(source="system.name")
    is_baseline = serializers.BooleanField(source="system.is_baseline", help_text="Made without an LLM.")
    sentence_count = serializers.IntegerField()

    class Meta:
        model = Summary
        fields: tuple[str, ...] = (
            *("id", "book", "title", "system", "system_name", "is_baseline", "tokens", "sentence_count", "splitter"),
            *("cleaned_from", "source_cut", "source_tokens", "source_tokens_read", "text_sha256", "created_at"),
        )


class SentenceSerializer(serializers.ModelSerializer[Sentence]):
    class Meta:
        model = Sentence
        fields: tuple[str, ...] = ("id", "index", "start", "end")


class SummaryDetailSerializer(SummarySerializer):
    sentences = SentenceSerializer(many=True)
    nodes = serializers.IntegerField(source="node_count", help_text="Intermediate summaries.")

    class Meta(SummarySerializer.Meta):
        fields: tuple[str, ...] = (*SummarySerializer.Meta.fields, "text", "nodes", "sentences")


class NodeSerializer(serializers.ModelSerializer[SummaryNode]):
    class Meta:
        model = SummaryNode
        fields: tuple[str, ...] = (
            *("id", "kind", "level", "index", "text", "tokens", "asked_words", "chunk_start", "chunk_end"),
            *("sources", "context"),
        )


class Summaries(RestView):
    queries = {"GET": SummaryQuery}

    @extend_schema(parameters=[SummaryQuery], responses=page_of(SummarySerializer))
    def get(self, request: Request) -> Response:
        """Summaries in the order in which they came to be, without their texts."""
        wanted = chosen(self.query, book="book", system="system", study="studies__name")
        summaries = summaries_listed().filter(**wanted).defer("text").order_by("pk")
        return listed(request, summaries, self.query, SummarySerializer)


class OneSummary(RestView):
    @extend_schema(responses=SummaryDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """A summary with its text and its sentences, `[start, end)` in code points of the text."""
        summaries = summaries_listed().annotate(node_count=Count("nodes", distinct=True)).prefetch_related("sentences")
        return Response(SummaryDetailSerializer(get_object_or_404(summaries, pk=pk)).data)


class SummaryNodes(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(NodeSerializer))
    def get(self, request: Request, pk: int) -> Response:
        """Intermediate summaries, lowest level first, each with the nodes or the place in the book it was made from."""
        summary = get_object_or_404(Summary.objects.only("pk"), pk=pk)
        nodes = summary.nodes.prefetch_related("sources", "context").order_by("level", "index")
        return listed(request, nodes, self.query, NodeSerializer)


def summaries_listed() -> Any:
    related = Summary.objects.select_related("book", "system__endpoint").defer("book__text")
    return related.annotate(sentence_count=Count("sentences", distinct=True))
