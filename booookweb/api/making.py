"""What summaries are made with: endpoints, prompt sets and systems."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.requests import valid
from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of, paged, place_of
from booookweb.models import Role, User
from summarizer.models import Endpoint, PromptSet, System
from summarizer.services.endpoints import RESERVED, endpoint_named, save_endpoint
from summarizer.services.prompt_sets import built_in_names, load_prompt_set, store_prompt_set

LARGEST = 2_147_483_647
#: What an admin says of an endpoint.
SETTINGS = (
    *("name", "base_url", "model", "api_key_variable", "context_window", "price_prompt", "price_cached"),
    *("price_completion", "concurrency", "requests_per_minute", "tokens_per_minute"),
)


class EndpointSerializer(serializers.ModelSerializer[Endpoint]):
    is_llm = serializers.BooleanField(help_text="False for the baselines.")
    base_url = serializers.CharField(allow_null=True, help_text="For admins alone, as api_key_variable; else null.")
    api_key_variable = serializers.CharField(allow_null=True)

    class Meta:
        model = Endpoint
        fields: tuple[str, ...] = ("id", "provider", "is_llm", *SETTINGS, "created_at")


def _count(least: int, **options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=LARGEST, required=False, **options)


class EndpointChangeSerializer(serializers.ModelSerializer[Endpoint]):
    """What is not sent stays as it is. The key itself is in the environment of the server and never comes here."""

    name = serializers.SlugField(required=False, max_length=100)
    api_key_variable = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="The environment variable with the key; its name ends in _API_KEY. Empty for a server without keys.",
    )
    context_window = _count(256, help_text="Tokens that prompt and answer share.")
    concurrency = _count(1)
    requests_per_minute = _count(1, allow_null=True)
    tokens_per_minute = _count(1, allow_null=True)

    class Meta:
        model = Endpoint
        fields: tuple[str, ...] = SETTINGS
        extra_kwargs = {name: {"required": False} for name in ("base_url", "model")}


class NewEndpointSerializer(EndpointChangeSerializer):
    name = serializers.SlugField(max_length=100)
    base_url = serializers.CharField(max_length=500, help_text="For example https://api.openai.com/v1.")
    model = serializers.CharField(max_length=200, help_text="As the server calls it.")


class Endpoints(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(EndpointSerializer))
    def get(self, request: Request) -> Response:
        """LLMs and the two baselines, `extractive` (summarizes) and `rules` (judges). Prices: USD a million tokens."""
        for name in RESERVED:
            endpoint_named(name)
        endpoints = Endpoint.objects.order_by("pk")
        shown = [endpoint_json(each, self.user(request)) for each in endpoints[place_of(self.query)]]
        return paged(request, endpoints.count(), self.query, shown)

    @extend_schema(request=NewEndpointSerializer, responses={201: EndpointSerializer})
    def post(self, request: Request) -> Response:
        """Add an LLM behind an OpenAI-compatible address. For admins."""
        values = valid(NewEndpointSerializer(data=request.data))
        return Response(endpoint_json(save_endpoint(**values), self.user(request)), status=201)


class OneEndpoint(RestView):
    @extend_schema(responses=EndpointSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """An endpoint."""
        return Response(endpoint_json(get_object_or_404(Endpoint, pk=pk), self.user(request)))

    @extend_schema(request=EndpointChangeSerializer, responses=EndpointSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Change an LLM's address, limits or prices. For admins. Systems keep the model that they were made with."""
        endpoint = get_object_or_404(Endpoint, pk=pk)
        values = valid(EndpointChangeSerializer(data=request.data))
        return Response(endpoint_json(save_endpoint(endpoint=endpoint, **values), self.user(request)))


def endpoint_json(endpoint: Endpoint, viewer: User) -> dict[str, Any]:
    """Where it is and which variable holds its key is for those who may change it."""
    shown = dict(EndpointSerializer(endpoint).data)
    return shown if viewer.role == Role.ADMIN else {**shown, "base_url": None, "api_key_variable": None}


class PromptSetSerializer(serializers.ModelSerializer[PromptSet]):
    class Meta:
        model = PromptSet
        fields: tuple[str, ...] = ("id", "name", "content_sha256", "placeholders", "created_at")


class PromptSetDetailSerializer(PromptSetSerializer):
    files = serializers.DictField(child=serializers.CharField())

    class Meta(PromptSetSerializer.Meta):
        fields: tuple[str, ...] = (*PromptSetSerializer.Meta.fields, "files")


class NewPromptSetSerializer(serializers.Serializer[Any]):
    name = serializers.SlugField(max_length=200, help_text="Not that of a built-in set.")
    files = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False),
        help_text="{path: text}, with paths as in the public release's `prompts/`, for example get_annotations.txt.",
    )


class PromptSets(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(PromptSetSerializer))
    def get(self, request: Request) -> Response:
        """All versions of all prompt sets; changed files are a new one under the same name."""
        for name in built_in_names():
            load_prompt_set(name)
        return listed(request, PromptSet.objects.order_by("pk"), self.query, PromptSetSerializer)

    @extend_schema(request=NewPromptSetSerializer, responses={201: PromptSetDetailSerializer})
    def post(self, request: Request) -> Response:
        """Load a prompt set. For admins. Files that are here already under any name give the set that has them."""
        prompt_set = store_prompt_set(**valid(NewPromptSetSerializer(data=request.data)))
        return Response(PromptSetDetailSerializer(prompt_set).data, status=201)


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
