"""Asking a server about batches from any thread: on the engine's loop, which owns all API clients."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from summarizer.engine.loop import engine
from summarizer.models import Endpoint

if TYPE_CHECKING:
    from summarizer.providers.openai_batches import OpenAIBatches

T = TypeVar("T")


def ask(endpoint: Endpoint, base_url: str, question: Callable[["OpenAIBatches"], Awaitable[T]]) -> T:
    """Block for the answer. Raises `ProviderFailure`."""
    # The client takes half a second to import, so only what makes calls imports it.
    from summarizer.providers.openai_batches import OpenAIBatches

    async def answer() -> T:
        batches = OpenAIBatches(endpoint, base_url)
        try:
            return await question(batches)
        finally:
            await batches.close()

    return engine().wait(answer())
