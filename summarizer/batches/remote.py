"""Asking a server about batches from any thread: on the engine's loop, which owns all API clients."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from operator import methodcaller
from typing import TYPE_CHECKING, TypeVar

from summarizer.engine.loop import engine
from summarizer.models import Endpoint, LLMBatch
from summarizer.providers.base import ProviderFailure

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from summarizer.providers.openai_batches import OpenAIBatches

#: How far the server's clock may be behind ours.
CLOCKS_DIFFER = timedelta(hours=1)

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


def delete_files(endpoint: Endpoint, base_url: str, file_ids: Iterable[str | None]) -> None:
    """Delete files from the server that nobody needs any more. One that stays there is only logged."""
    from summarizer.providers.openai_batches import NotThere

    for file_id in filter(None, file_ids):
        try:
            ask(endpoint, base_url, methodcaller("delete", file_id))
        except NotThere:
            continue
        except ProviderFailure as failure:
            logger.warning("The file %s could not be deleted from %s: %s", file_id, base_url, failure)


def delete_uploads(batch: LLMBatch) -> None:
    """Delete what went up under the key of a batch that was never made. Files that stay there are only logged."""
    made_after = batch.created_at - CLOCKS_DIFFER
    try:
        file_ids = ask(batch.endpoint, batch.base_url, lambda batches: batches.files_named(str(batch.key), made_after))
    except ProviderFailure as failure:
        logger.warning("The files of batch %s could not be looked for on %s: %s", batch.key, batch.base_url, failure)
    else:
        delete_files(batch.endpoint, batch.base_url, file_ids)
