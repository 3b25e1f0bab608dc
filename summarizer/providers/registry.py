"""Which provider serves an endpoint. Apps register the ones they bring in `AppConfig.ready`."""

from collections.abc import Callable

from summarizer.models import Endpoint
from summarizer.providers.base import Provider

ProviderFactory = Callable[[Endpoint], Provider]

_factories: dict[str, ProviderFactory] = {}


def register(provider_key: str, factory: ProviderFactory) -> None:
    """`provider_key` is a value of `Endpoint.Provider`."""
    _factories[provider_key] = factory


def provider_for(endpoint: Endpoint) -> Provider:
    """A new provider for `endpoint`. Made on the event loop that will use it; reads no database.

    Raises KeyError for a provider that no installed app registered.
    """
    return _factories[endpoint.provider](endpoint)
