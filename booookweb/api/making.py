"""What summaries are made with: endpoints, prompt sets and systems."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of
from summarizer.models import Endpoint, PromptSet, System
from summarizer.services.endpoints import RESERVED, endpoint_named
from summarizer.services.prompt_sets import built_in_names, load_prompt_set


class EndpointSerializer(serializers.ModelSerializer[Endpoint]):
    is_llm = serializers.BooleanField(help_text="False for the baselines.")

    class Meta:
        model = Endpoint
        fields: tuple[str, ...] = (
            *("id", "name", "provider", "is_llm", "model", "context_window", "price_prompt", "price_cached"),
            *("price_completion", "concurrency", "requests_per_minute", "tokens_per_minute", "created_at"),
        )


class Endpoints(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(EndpointSerializer))
    def get(self, request: Request) -> Response:
        """LLMs and the two baselines, `extractive` (summarizes) and `rules` (judges). Prices: USD a million tokens."""
        for name in RESERVED:
            endpoint_named(name)
        return listed(request, Endpoint.objects.order_by("pk"), self.query, EndpointSerializer)


class OneEndpoint(RestView):
    @extend_schema(responses=EndpointSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """An endpoint."""
        return Response(EndpointSerializer(get_object_or_404(Endpoint, pk=pk)).data)


class PromptSetSerializer(serializers.ModelSerializer[PromptSet]):
    class Meta:
        model = PromptSet
        fields: tuple[str, ...] = ("id", "name", "content_sha256", "placeholders", "created_at")


class PromptSetDetailSerializer(PromptSetSerializer):
    files = serializers.DictField(child=serializers.CharField())

    class Meta(PromptSetSerializer.Meta):
        fields: tuple[str, ...] = (*PromptSetSerializer.Meta.fields, "files")


class PromptSets(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(PromptSetSerializer))
    def get(self, request: Request) -> Response:
        """All versions of all prompt sets; changed files are a new one under the same name."""
        for name in built_in_names():
            load_prompt_set(name)
        return listed(request, PromptSet.objects.order_by("pk"), self.query, PromptSetSerializer)


class OnePromptSet(RestView):
    @extend_schema(responses=PromptSetDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """A prompt set with its files."""
        return Response(PromptSetDetailSerializer(get_object_or_404(PromptSet, pk=pk)).data)


class SystemSerializer(serializers.ModelSerializer[System]):
    endpoint = serializers.CharField(source="endpoint.name", default=None, allow_null=True)
    is_baseline = serializers.BooleanField()

    class Meta:
        model = System
        fields: tuple[str, ...] = (
            *("id", "name", "strategy", "endpoint", "is_baseline", "model", "context_window", "prompt_set"),
            *("chunk_size", "max_summary_tokens", "temperature", "cleaned", "created_at"),
        )


class SystemQuery(ListQuery):
    name = serializers.CharField(required=False, max_length=200)
    study = serializers.SlugField(required=False, max_length=100, help_text="Name of a study.")
    endpoint = IdField(required=False)


class Systems(RestView):
    queries = {"GET": SystemQuery}

    @extend_schema(parameters=[SystemQuery], responses=page_of(SystemSerializer))
    def get(self, request: Request) -> Response:
        """What studies compare: a strategy with all its parameters, or `imported`."""
        wanted = chosen(self.query, name="name", study="summaries__studies__name", endpoint="endpoint")
        systems = System.objects.filter(**wanted).select_related("endpoint").order_by("pk").distinct()
        return listed(request, systems, self.query, SystemSerializer)


class OneSystem(RestView):
    @extend_schema(responses=SystemSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """A system."""
        return Response(SystemSerializer(get_object_or_404(System.objects.select_related("endpoint"), pk=pk)).data)
