"""OpenAI-compatible servers: OpenAI itself, vLLM, Ollama, llama.cpp.

The official client's own retries are off: what is tried again is decided in one place, the engine.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2
import openai
from django.conf import settings
from openai import AsyncOpenAI, DefaultAioHttpClient, omit
from yarl import URL

from summarizer.models import Endpoint
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure, Reply
from summarizer.providers.openai_errors import answered_failure, connection_failure, failure_of, redirected_failure
from summarizer.providers.openai_headers import allowances_of
from summarizer.providers.openai_replies import reply_of

CONNECT_SECONDS = 10.0
#: An answer that goes on coming, a little at a time, may take so many times as long as the wait for a part of it.
LONGEST_ANSWER = 6
#: Far more than any completion. What is longer, unpacked, is not read on: it would take the worker's memory.
MOST_BYTES = 64 * 1024 * 1024


class OpenAIProvider:
    """Sends each prompt as one user message. The key is read from the environment for each request and never kept.

    Completions go past the official client: it takes three times as long for a request as the library that it sends
    them with (measured), and a job with many in flight is as fast as the one thread of its event loop.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._key_variable = endpoint.api_key_variable
        self._completions = f"{endpoint.base_url.rstrip('/')}/chat/completions"
        #: Address and session of the completions, made for the first of them: parsing an address takes long.
        self._opened: tuple[URL, aiohttp.ClientSession] | None = None
        self._client = client_of(endpoint.base_url)

    async def complete(self, request: CompletionRequest) -> Reply:
        """See `Provider`. Raises `ProviderFailure` of every kind.

        A redirect is not followed: the request might be made twice, and its text go to a server that nobody chose.
        """
        key = key_in(self._key_variable)
        address, session = self._open()
        try:
            async with session.post(
                address, data=json.dumps(body_of(request)).encode(), headers=_headers(key), allow_redirects=False
            ) as response:
                body = await _whole(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise connection_failure(error) from None
        except UnicodeError:
            raise _uncallable() from None
        try:
            if 300 <= response.status < 400:
                raise redirected_failure(response.status, response.headers)
            if not response.ok:
                raise answered_failure(response.status, body, response.headers)
            return replace(reply_of(body), allowances=allowances_of(response.headers))
        except ProviderFailure as failure:
            failure.allowances = allowances_of(response.headers)
            raise without_key(failure, key) from None

    def _open(self) -> tuple[URL, aiohttp.ClientSession]:
        """Raises `ProviderFailure` for an address or a proxy that can't be used."""
        if self._opened is None:
            try:
                address = URL(self._completions)
                self._opened = address, _session(address)
            except ValueError:
                raise _uncallable() from None
        return self._opened

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
        if self._opened is not None:
            await self._opened[1].close()
        await self._client.close()


def _session(address: URL) -> aiohttp.ClientSession:
    """As many connections as are needed; the engine keeps the limits. Made on the event loop that will use it."""
    # Looked up here, once: the session would read the environment (`trust_env`) for each request, which takes long.
    waits = settings.LLM_TIMEOUT_SECONDS
    return aiohttp.ClientSession(
        # The certificates that the official client trusts: the machine's, or those of SSL_CERT_FILE.
        connector=aiohttp.TCPConnector(limit=0, ssl=httpx2.create_ssl_context()),
        timeout=aiohttp.ClientTimeout(sock_connect=CONNECT_SECONDS, sock_read=waits, total=LONGEST_ANSWER * waits),
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=_proxy_for(address),
    )


def _proxy_for(address: URL) -> str | None:
    """The environment's proxy for `address`, with or without "http://". Raises `ProviderFailure` for other kinds."""
    if proxy_bypass(address.host or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        _refuse(f"The environment names a proxy of a kind that can't be used ({proxy.partition('://')[0]}).")
    return proxy


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    """The body, unpacked. Raises `ProviderFailure` for one that is longer than any answer."""
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            response.close()
            raise ProviderFailure(
                FailureKind.MALFORMED, "The server's answer is far longer than any completion.", lost=True
            )
    return b"".join(parts)


def _uncallable() -> ProviderFailure:
    return ProviderFailure(FailureKind.PERMANENT, "The endpoint's address is not one that can be called.")


def _refuse(problem: str) -> NoReturn:
    raise ProviderFailure(FailureKind.PERMANENT, problem)


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
    """The key from the environment; empty for a server without keys. Raises `ProviderFailure` if there is none."""
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        _refuse(
            f"The environment variable {variable}, which should hold the key, is not set for the worker. "
            "Set it and start the worker again."
        )
    if not key.isascii() or not key.isprintable():
        _refuse(
            f"The environment variable {variable} holds a line break or a character that is in no key. "
            "Set it to the key alone and start the worker again."
        )
    return key


def authorization(key: str) -> Mapping[str, Any]:
    return {"Authorization": f"Bearer {key}" if key else omit}


def without_key(failure: ProviderFailure, key: str) -> ProviderFailure:
    """The same failure; a server that quotes the key back does not get it into the records."""
    if key:
        failure.message = failure.message.replace(key, "[key]")
        failure.partial_text = failure.partial_text.replace(key, "[key]")
        failure.args = (failure.message,)
    return failure
