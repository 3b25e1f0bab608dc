from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from summarizer.models import Endpoint
    from summarizer.providers.base import Provider


class SummarizerConfig(AppConfig):
    name = "summarizer"

    def ready(self) -> None:
        from summarizer import checks  # noqa: F401 - registers itself
        from summarizer.jobs import kinds
        from summarizer.jobs.summarize import SummarizeKind
        from summarizer.models import Endpoint
        from summarizer.providers import registry

        registry.register(Endpoint.Provider.OPENAI, _openai)
        registry.register(Endpoint.Provider.EXTRACTIVE, _extractive)
        kinds.register(SummarizeKind())


def _openai(endpoint: "Endpoint") -> "Provider":
    # The client takes a second to import, so only what makes calls imports it.
    from summarizer.providers.openai import OpenAIProvider

    return OpenAIProvider(endpoint)


def _extractive(endpoint: "Endpoint") -> "Provider":
    # Likewise: the ranking needs a stemmer and numpy.
    from summarizer.providers.extractive import ExtractiveProvider

    return ExtractiveProvider()
