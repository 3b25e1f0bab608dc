"""OpenAI-compatible servers: OpenAI itself, vLLM, Ollama, llama.cpp.

The official client's own retries are off: what is tried again is decided in one place, the engine.
"""

import json
import os
import ssl
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import certifi
import httpx2
import openai
from django.conf import settings
from openai import AsyncOpenAI, DefaultAioHttpClient, omit
from yarl import URL

from summarizer.models import Endpoint
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure, Reply
from summarizer.providers.openai_errors import answered_failure, connection_failure, failure_of
from summarizer.providers.openai_headers import allowances_of
from summarizer.providers.openai_replies import reply_of

CONNECT_SECONDS = 10.0


class OpenAIProvider:
    """Sends each prompt as one user message. The key is read from the environment for each request and never kept.

    Completions go past the official client: it takes three times as long for a request as the library that it sends
    them with (measured), and a job with many in flight is as fast as the one thread of its event loop.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._key_variable = endpoint.api_key_variable
        #: Parsed once: that takes long.
        self._address = URL(f"{endpoint.base_url.rstrip('/')}/chat/completions")
        self._session = _session(self._address)
        self._client = client_of(endpoint.base_url)

    async def complete(self, request: CompletionRequest) -> Reply:
        """See `Provider`. Raises `ProviderFailure` of every kind."""
        key = key_in(self._key_variable)
        try:
            async with self._session.post(
                self._address, data=json.dumps(body_of(request)).encode(), headers=_headers(key)
            ) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise connection_failure(error) from None
        try:
            if not response.ok:
                raise answered_failure(response.status, body, response.headers)
            return replace(reply_of(body), allowances=allowances_of(response.headers))
        except ProviderFailure as failure:
            failure.allowances = allowances_of(response.headers)
            raise without_key(failure, key) from None

    async def look_up(self, address: str) -> Any:
        """The JSON that a GET of `address` brings: a path under the base URL, or a whole address of the same server.

        Raises `ProviderFailure`.
        """
        key = key_in(self._key_variable)
        try:
            response = await self._client.get(
                address,
                options={"headers": authorization(key), "security": {"bearer_auth": True}},
                cast_to=httpx2.Response,
            )
            return response.json()
        except openai.OpenAIError as error:
            raise without_key(failure_of(error), key) from None
        except ValueError:
            raise ProviderFailure(FailureKind.MALFORMED, "The server's answer is not JSON.") from None

    async def close(self) -> None:
        await self._session.close()
        await self._client.close()


def _session(address: URL) -> aiohttp.ClientSession:
    """As many connections as are needed; the engine keeps the limits. Made on the event loop that will use it."""
    # Looked up here, once: the session would read the environment (`trust_env`) for each request, which takes long.
    proxy = None if proxy_bypass(address.host or "") else getproxies().get(address.scheme)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=ssl.create_default_context(cafile=certifi.where())),
        timeout=aiohttp.ClientTimeout(sock_connect=CONNECT_SECONDS, sock_read=settings.LLM_TIMEOUT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxy,
    )


def _headers(key: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return {**headers, "Authorization": f"Bearer {key}"} if key else headers


def client_of(base_url: str) -> AsyncOpenAI:
    """A client without retries and without a key. Made on the event loop that will use it."""
    timeout = openai.Timeout(settings.LLM_TIMEOUT_SECONDS, connect=CONNECT_SECONDS)
    return AsyncOpenAI(
        base_url=base_url,
        api_key="none",
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAioHttpClient(timeout=timeout),
        # What the client would take from the environment belongs to OpenAI, not to any server.
        default_headers={"OpenAI-Organization": omit, "OpenAI-Project": omit},  # type: ignore[dict-item]
    )


def body_of(request: CompletionRequest) -> dict[str, Any]:
    """The body of a request for a chat completion, by itself or as a line of a batch."""
    return {
        "model": request.model,
        "messages": [{"role": "user", "content": request.prompt}],
        **request.parameters(),
    }


def key_in(variable: str) -> str:
    """The key from the environment; empty for a server without keys. Raises `ProviderFailure` if it is not set."""
    if not variable:
        return ""
    if key := os.environ.get(variable, "").strip():
        return key
    raise ProviderFailure(
        FailureKind.PERMANENT,
        f"The environment variable {variable}, which should hold the key, is not set for the worker. "
        "Set it and start the worker again.",
    )


def authorization(key: str) -> Mapping[str, Any]:
    return {"Authorization": f"Bearer {key}" if key else omit}


def without_key(failure: ProviderFailure, key: str) -> ProviderFailure:
    """The same failure; a server that quotes the key back does not get it into the records."""
    if key:
        failure.message = failure.message.replace(key, "[key]")
        failure.partial_text = failure.partial_text.replace(key, "[key]")
        failure.args = (failure.message,)
    return failure
