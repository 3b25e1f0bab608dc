"""Servers, keys and addresses that are not as they should be: each is a failure of a kind, and none does harm."""

import asyncio
import gzip
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from summarizer.batches.lines import outcomes
from summarizer.ledger.costs import Prices, cost
from summarizer.models import Endpoint, LLMAttempt
from summarizer.providers import openai, openai_replies
from summarizer.providers.base import CompletionRequest, ProviderFailure, Reply, Usage
from summarizer.providers.openai import OpenAIProvider
from summarizer.providers.openai_errors import answered_failure, connection_failure
from summarizer.providers.openai_headers import allowances_of, retry_after
from summarizer.providers.openai_replies import reply_of
from tests.llm_server import LLMServer, Request, Scripted, completion
from tests.summarizer.engine.conftest import run

BODY = json.dumps({"choices": [{"message": {"content": "Emma left."}, "finish_reason": "stop"}]}).encode()
NESTED = b"[" * 100_000


def answer(body: bytes = BODY, status: str = "200 OK", **headers: str) -> bytes:
    stated = {"Content-Length": str(len(body)), **headers}
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in stated.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


@asynccontextmanager
async def raw_server(response: bytes, requests: list[bytes]) -> AsyncIterator[str]:
    """A server that answers everything with these bytes; the heads of what it is asked are added to `requests`."""

    async def answer_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(response)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer_one, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def asked(address: str, **values: str) -> Reply | ProviderFailure:
    provider = OpenAIProvider(Endpoint(name="odd", base_url=address, model="test-1", **values))
    try:
        return await provider.complete(CompletionRequest("Emma.", "test-1", 100, 0.5))
    except ProviderFailure as failure:
        return failure
    finally:
        await provider.close()


def answer_to(response: bytes, path: str = "/v1", requests: list[bytes] | None = None) -> Reply | ProviderFailure:
    async def main() -> Reply | ProviderFailure:
        async with raw_server(response, [] if requests is None else requests) as host:
            return await asked(f"http://{host}{path}")

    return asyncio.run(main())


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/a%20b/v1"])
def test_a_base_url_with_any_path_or_none(path: str) -> None:
    requests: list[bytes] = []
    assert isinstance(answer_to(answer(), path, requests), Reply)
    assert requests[0].startswith(f"POST {path.rstrip('/')}/chat/completions HTTP/1.1".encode())


@pytest.mark.parametrize(
    "response",
    [
        answer(gzip.compress(BODY), Content_Encoding="gzip"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
        b"HTTP/1.1 200 OK\r\n\r\n" + BODY,
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(),
    ],
)
def test_an_answer_comes_whole_however_it_is_sent(response: bytes) -> None:
    reply = answer_to(response)
    assert isinstance(reply, Reply)
    assert reply.text == "Emma left."


@pytest.mark.parametrize(
    ("response", "kind", "lost"),
    [
        (answer()[:-5], "transient", True),
        (answer(b"no gzip at all", Content_Encoding="gzip"), "transient", True),
        (answer(b"no brotli at all", Content_Encoding="br"), "transient", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{", "transient", True),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "transient", True),
        (b"", "transient", True),
        (answer(X_Long="a" * 20_000), "transient", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "malformed", True),
        (answer(BODY.replace(b"Emma", b"Em\xff")), "malformed", True),
        (answer(NESTED), "malformed", True),
        (answer(NESTED, "400 Bad Request"), "permanent", False),
        (answer(b"<html>Bad gateway</html>", "502 Bad Gateway"), "transient", False),
        (answer(b"{}", "429 Too Many Requests", Retry_After="Mon, 1 Jan 1 0:0:0 +" + "9" * 20), "rate limited", False),
    ],
)
def test_an_answer_that_is_none_is_told_as_what_it_is(response: bytes, kind: str, lost: bool) -> None:
    failure = answer_to(response)
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost) == (kind, lost)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_an_answer_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(openai, "MOST_BYTES", 100_000)
    body = b" " * 10_000_000
    failure = answer_to(answer(gzip.compress(body) if encoding == "gzip" else body, Content_Encoding=encoding))
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost) == ("malformed", True)
    assert "far longer" in failure.message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_neither_key_nor_text_elsewhere(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("GROUP_API_KEY", "sk-very-secret")
    elsewhere: list[bytes] = []

    async def main() -> Reply | ProviderFailure:
        async with raw_server(answer(), elsewhere) as other:
            response = answer(b"", f"{status} Moved", Location=f"http://{other}/v1/chat/completions")
            async with raw_server(response, []) as host:
                return await asked(f"http://{host}/v1", api_key_variable="GROUP_API_KEY")

    failure = asyncio.run(main())
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost, elsewhere) == ("permanent", False, [])
    assert f"answered {status}: it points to http://127.0.0.1:" in failure.message


@pytest.mark.parametrize(
    "key", ["sk-one\nsk-two", "sk-one\r\nX-Other: 1", "sk-\u00e4\u00f6", "sk-\udcff", "\ufeffsk-one"]
)
def test_a_key_that_is_none_is_not_sent(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("GROUP_API_KEY", key)
    requests: list[bytes] = []

    async def main() -> Reply | ProviderFailure:
        async with raw_server(answer(), requests) as host:
            return await asked(f"http://{host}/v1", api_key_variable="GROUP_API_KEY")

    failure = asyncio.run(main())
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost, requests) == ("permanent", False, [])
    assert "GROUP_API_KEY" in failure.message
    assert "sk-" not in failure.message


@pytest.mark.parametrize("proxy", ["{}", "http://{}", "http://user:word@{}"])
def test_a_proxy_is_used_however_the_environment_writes_it(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    requests: list[bytes] = []

    async def main() -> Reply | ProviderFailure:
        async with raw_server(answer(), requests) as host:
            monkeypatch.setenv("http_proxy", proxy.format(host))
            return await asked("http://model.invalid/v1")

    assert isinstance(asyncio.run(main()), Reply)
    assert requests[0].startswith(b"POST http://model.invalid/v1/chat/completions")
    # "user:word" in base 64.
    assert (b"Proxy-Authorization: Basic dXNlcjp3b3Jk" in requests[0]) == ("user" in proxy)


def test_a_proxy_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    failure = asyncio.run(asked("http://model.invalid/v1"))
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost) == ("permanent", False)
    assert "socks5" in failure.message


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("http://[::1]:9/v1", "transient"),
        ("http://127.0.0.1:9/v1", "transient"),
        ("http://127.0.0.1:99999/v1", "permanent"),
        ("http://model..invalid/v1", "permanent"),
        (f"http://{'a' * 70}.invalid/v1", "permanent"),
        ("http://xn--/v1", "permanent"),
    ],
)
def test_an_address_where_nobody_answers_was_not_billed(address: str, kind: str) -> None:
    failure = asyncio.run(asked(address))
    assert isinstance(failure, ProviderFailure)
    assert (failure.kind, failure.lost) == (kind, False)


def test_a_certificate_that_is_not_trusted_is_told_as_that_and_not_tried_again() -> None:
    refused = aiohttp.ClientConnectorCertificateError(None, ssl.SSLCertVerificationError(1, "self-signed"))  # type: ignore[arg-type]
    failure = connection_failure(refused)
    assert (failure.kind, failure.lost) == ("permanent", False)
    assert "certificate" in failure.message


def counted(prompt: Any, completion: Any) -> bytes:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return json.dumps({**json.loads(BODY), "usage": usage}).encode()


@pytest.mark.parametrize("number", [10**30, 2**31, 10**9 + 1, -1, 1.5, "7", None, True])
def test_a_count_of_tokens_that_is_none_is_not_known(number: Any) -> None:
    assert reply_of(counted(number, 7)).usage == Usage(None, None, 7)


def test_a_cost_that_cannot_be_is_not_known() -> None:
    prices = Prices(prompt=None, cached=None, completion=None)
    assert cost(Usage(1, 0, 1), prices) is None
    dear = Prices(prompt=openai_price(1_000), cached=None, completion=openai_price(0))
    # A thousand million tokens at 1,000 USD a million are a million USD, more than the ledger's columns hold.
    assert cost(Usage(10**9, 0, 0), dear) is None
    assert cost(Usage(10**9 - 1, 0, 0), dear) is not None


def openai_price(usd: int) -> Any:
    from decimal import Decimal

    return Decimal(usd)


@pytest.mark.parametrize(
    "text", ["", "soon", "nan", "inf", "-5", "1e999", "Mon, 99 Foo", "Mon, 1 Jan 1 0:0:0 +" + "9" * 30]
)
def test_headers_that_say_nothing_are_no_limit(text: str) -> None:
    assert retry_after({"retry-after": text}) is None
    assert allowances_of({"x-ratelimit-remaining-tokens": text, "x-ratelimit-reset-tokens": "1s"}) == {}
    assert allowances_of({"x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": text}) == {}


def test_headers_with_huge_numbers_stay_numbers_that_redis_takes() -> None:
    found = allowances_of({"x-ratelimit-remaining-tokens": "1e308", "x-ratelimit-reset-tokens": "1s"})
    assert found["tokens"].left == 10**12


@pytest.mark.parametrize(
    "body", [b"null", b"[]", b"5", b'"words"', b'{"error": null}', b'{"error": "words"}', NESTED, b"\xff"]
)
def test_any_error_page_is_a_failure(body: bytes) -> None:
    assert answered_failure(400, body, {}).kind == "permanent"
    assert answered_failure(503, body, {}).kind == "transient"


@pytest.mark.parametrize(
    "odd",
    [NESTED, b"\xff\xfe", b"null", b'{"custom_id": "b", "response": {"status_code": Infinity}}', b'{"custom_id": "b"}'],
)
def test_one_odd_line_of_a_batch_keeps_no_other_from_being_collected(odd: bytes) -> None:
    good = {"custom_id": "a", "response": {"status_code": 200, "body": json.loads(BODY)}, "error": None}
    found = outcomes(odd + b"\n" + json.dumps(good).encode() + b"\n")
    assert list(found) == ["a"]
    assert isinstance(found["a"], Reply)


@pytest.mark.django_db(transaction=True)
def test_what_no_database_takes_loses_no_other_paid_answer(
    llm_server: LLMServer, make_endpoint, launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four answers come in the same moment and are written together; one says a number that no column holds."""
    monkeypatch.setattr(openai_replies, "MOST_TOKENS", 10**40)
    monkeypatch.setattr("summarizer.ledger.writer.LINGER_SECONDS", 0.3)

    def rule(request: Request) -> Scripted:
        odd = "chunk 2" in request.prompt
        usage = {"prompt_tokens": 10**30 if odd else 7, "completion_tokens": 2}
        return Scripted(body=completion("A summary.", usage=usage).body, wait=0.2)

    llm_server.script(rule)
    job = launch(make_endpoint(), chunks=4)
    run(job)
    item = job.items.get()
    assert (item.state, item.error_kind) == ("failed", "error")
    states = dict(LLMAttempt.objects.values_list("call__step", "state"))
    assert states == {"chunk 1": "answered", "chunk 2": "sent", "chunk 3": "answered", "chunk 4": "answered"}
    assert llm_server.calls == 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["500", "drop", "503"])
def test_a_server_that_stumbles_first_still_shows_a_refused_parameter_once(
    llm_server: LLMServer, endpoint, launch, first: str
) -> None:
    llm_server.refused = {"max_tokens"}
    llm_server.then(first)
    run(launch(endpoint, chunks=10))
    refused = [request for request in llm_server.requests if "max_tokens" in request.body]
    # The one that stumbled, and one that was refused.
    assert (len(refused), llm_server.calls) == (2, 12)
