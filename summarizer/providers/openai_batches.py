"""The OpenAI Batch API: files of requests that go up together and are answered within a day. See also `openai`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeVar

import openai
from django.conf import settings
from openai.types import Batch, FileObject

from summarizer.models import Endpoint
from summarizer.providers.base import FailureKind, ProviderFailure
from summarizer.providers.openai import authorization, client_of, key_in, without_key
from summarizer.providers.openai_errors import failure_of
from summarizer.text import storable

#: Everything but the files themselves is answered quickly, or something is wrong.
ANSWER_SECONDS = 60.0
#: The field of a batch's metadata that holds our key.
KEY_FIELD = "booookweb_batch"
#: Where the server sends each line of a batch.
LINE_ADDRESS: Final = "/v1/chat/completions"

T = TypeVar("T")


class NotThere(ProviderFailure):
    """The server knows no such address: it has no Batch API, or knows this batch or file no more."""


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """A batch as the server describes it. `status` is its word for it; `errors` why it was refused."""

    id: str
    status: str
    input_file_id: str | None
    output_file_id: str | None
    error_file_id: str | None
    completed: int
    failed: int
    errors: str


class OpenAIBatches:
    """All methods raise `ProviderFailure`, `NotThere` among them. Belongs to the event loop that made it."""

    def __init__(self, endpoint: Endpoint, base_url: str) -> None:
        self._key_variable = endpoint.api_key_variable
        self._client = client_of(base_url)

    async def close(self) -> None:
        await self._client.close()

    async def upload(self, name: str, content: bytes) -> str:
        """Upload a file of requests; its id."""
        uploaded = await self._asked(
            lambda headers: self._client.files.create(
                file=(f"{name}.jsonl", content, "application/jsonl"),
                purpose="batch",
                extra_headers=headers,
                timeout=settings.LLM_TIMEOUT_SECONDS,
            )
        )
        if not isinstance(uploaded, FileObject) or not isinstance(uploaded.id, str):
            raise _unreadable()
        return uploaded.id

    async def files_named(self, name: str, made_after: datetime) -> list[str]:
        """The ids of the files that were uploaded as `name` (see `upload`). The server lists the newest first."""

        async def search(headers: Mapping[str, Any]) -> list[str]:
            found = []
            listed = self._client.files.list(
                purpose="batch", order="desc", limit=1000, extra_headers=headers, timeout=ANSWER_SECONDS
            )
            async for file in listed:
                if file.filename == f"{name}.jsonl":
                    found.append(file.id)
                elif file.created_at < made_after.timestamp():
                    break
            return found

        return await self._asked(search)

    async def create(self, file_id: str, key: str) -> RemoteBatch:
        """Make a batch of an uploaded file. One that fails as `lost` may have been made all the same."""
        return await self._described(
            lambda headers: self._client.batches.create(
                input_file_id=file_id,
                endpoint=LINE_ADDRESS,
                completion_window="24h",
                metadata={KEY_FIELD: key},
                extra_headers=headers,
                timeout=ANSWER_SECONDS,
            )
        )

    async def find(self, key: str, made_after: datetime) -> RemoteBatch | None:
        """The batch with our `key`, if the server has it. It lists the newest first."""

        async def search(headers: Mapping[str, Any]) -> Batch | None:
            async for batch in self._client.batches.list(limit=100, extra_headers=headers, timeout=ANSWER_SECONDS):
                if (batch.metadata or {}).get(KEY_FIELD) == key:
                    return batch
                if batch.created_at < made_after.timestamp():
                    return None
            return None

        found = await self._asked(search)
        return None if found is None else _remote(found)

    async def read(self, remote_id: str) -> RemoteBatch:
        return await self._described(
            lambda headers: self._client.batches.retrieve(remote_id, extra_headers=headers, timeout=ANSWER_SECONDS)
        )

    async def cancel(self, remote_id: str) -> RemoteBatch:
        return await self._described(
            lambda headers: self._client.batches.cancel(remote_id, extra_headers=headers, timeout=ANSWER_SECONDS)
        )

    async def content(self, file_id: str) -> bytes:
        async def download(headers: Mapping[str, Any]) -> bytes:
            answer = await self._client.files.content(
                file_id, extra_headers=headers, timeout=settings.LLM_TIMEOUT_SECONDS
            )
            return answer.content

        content = await self._asked(download)
        key = key_in(self._key_variable)
        return content.replace(key.encode(), b"[key]") if key else content

    async def delete(self, file_id: str) -> None:
        await self._asked(
            lambda headers: self._client.files.delete(file_id, extra_headers=headers, timeout=ANSWER_SECONDS)
        )

    async def _described(self, question: Callable[[Mapping[str, Any]], Awaitable[Batch]]) -> RemoteBatch:
        remote = _remote(await self._asked(question))
        key = key_in(self._key_variable)
        return replace(remote, errors=remote.errors.replace(key, "[key]")) if key else remote

    async def _asked(self, question: Callable[[Mapping[str, Any]], Awaitable[T]]) -> T:
        key = key_in(self._key_variable)
        try:
            return await question(authorization(key))
        except openai.APIStatusError as error:
            failure = failure_of(error)
            if error.status_code in (404, 405, 501):
                failure = NotThere(FailureKind.PERMANENT, failure.message)
            elif error.status_code >= 500:
                # What was asked for may have been done all the same.
                failure.lost = True
            raise without_key(failure, key) from None
        except openai.OpenAIError as error:
            raise without_key(failure_of(error), key) from None
        except (AttributeError, TypeError, ValueError) as error:
            # The client takes what a server answers at its word.
            raise without_key(_unreadable(), key) from error


def _remote(batch: object) -> RemoteBatch:
    if not isinstance(batch, Batch) or not isinstance(batch.id, str) or not isinstance(batch.status, str):
        raise _unreadable()
    counts = batch.request_counts
    errors = batch.errors.data if batch.errors and batch.errors.data else []
    return RemoteBatch(
        id=batch.id,
        status=batch.status,
        input_file_id=batch.input_file_id,
        output_file_id=batch.output_file_id,
        error_file_id=batch.error_file_id,
        completed=counts.completed if counts else 0,
        failed=counts.failed if counts else 0,
        errors=" ".join(_in_words(error.message, error.line) for error in errors[:3]),
    )


def _in_words(message: str | None, line: int | None) -> str:
    words = " ".join(storable(message or "").split())[:300]
    return f"Line {line}: {words}" if line else words


def _unreadable() -> ProviderFailure:
    return ProviderFailure(FailureKind.MALFORMED, "The server's answer about the batch could not be read.", lost=True)
