"""What went wrong with a request, decided once from status, error code and the kind of exception."""

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp
import openai

from summarizer.providers.base import FailureKind, ProviderFailure
from summarizer.providers.openai_headers import allowances_of, retry_after

_TRANSIENT_STATUS = frozenset({408, 409, 425})
_CONTEXT = re.compile(r"context[ _](length|window|size)|maximum context|too many tokens|prompt is too long", re.I)
#: OpenAI's words, with status 400, for a model that spent the whole limit before it began to answer.
_CUT_OFF = re.compile(r"output limit was reached", re.I)
_UNSUPPORTED = re.compile(r"unsupported|not supported|unrecognized|unknown (parameter|argument)|only the default", re.I)
_PARAMETER = re.compile(r"max_tokens|max_completion_tokens|temperature")
#: Whatever a server dislikes about a wanted form of the answer, it can do without: each has its own words for that.
_RESPONSE_FORMAT = re.compile(r"response[_ ]format|json[_ ]?schema|structured output|grammar", re.I)
#: How much of a server's words is kept.
KEPT_CHARACTERS = 500


def failure_of(error: openai.OpenAIError) -> ProviderFailure:
    """The failure that an exception of the official client stands for."""
    if isinstance(error, openai.APIStatusError):
        body = error.body if isinstance(error.body, Mapping) else {}
        failure = status_failure(error.status_code, body, error.message, error.response.headers)
        failure.allowances = allowances_of(error.response.headers)
        return failure
    if isinstance(error, openai.APIConnectionError):
        return connection_failure(error)
    if isinstance(error, openai.APIResponseValidationError):
        return ProviderFailure(FailureKind.MALFORMED, "The server's answer could not be read.", lost=True)
    return ProviderFailure(FailureKind.PERMANENT, f"The request could not be made: {_short(str(error))}")


def answered_failure(status: int, body: bytes, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure that an answer with a status other than 200 stands for."""
    text = body.decode("utf-8", "replace")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return status_failure(status, {}, text or "no words with it.", headers)
    error = answer.get("error") or answer if isinstance(answer, Mapping) else answer
    return status_failure(status, error if isinstance(error, Mapping) else {}, str(error), headers)


def redirected_failure(status: int, headers: Mapping[str, str]) -> ProviderFailure:
    """A server that points elsewhere; it made no call."""
    elsewhere = _short(headers.get("Location", "")) or "another address"
    return ProviderFailure(
        FailureKind.PERMANENT,
        f"The server answered {status}: it points to {elsewhere}. If that is right, make it the endpoint's address.",
    )


def connection_failure(error: Exception) -> ProviderFailure:
    """A request that got no answer. Only one that found no connection is known not to have been billed."""
    causes = list(_causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return ProviderFailure(
            FailureKind.PERMANENT,
            "The server's certificate is not one that can be trusted. If it is your group's own, name the file of its "
            "authority in the worker's variable SSL_CERT_FILE.",
        )
    if any(isinstance(cause, aiohttp.ClientConnectorError) for cause in causes):
        return ProviderFailure(FailureKind.TRANSIENT, "The server could not be reached.")
    if any(isinstance(cause, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError) for cause in causes):
        return ProviderFailure(FailureKind.PERMANENT, "The endpoint's address is not one that can be called.")
    if any(isinstance(cause, aiohttp.ConnectionTimeoutError) for cause in causes):
        return ProviderFailure(FailureKind.TRANSIENT, "The server could not be reached in time.")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return ProviderFailure(FailureKind.TRANSIENT, "The server did not answer in time.", lost=True)
    return ProviderFailure(FailureKind.TRANSIENT, "The connection ended before the answer was complete.", lost=True)


def status_failure(
    status: int, body: Mapping[str, Any], message: str = "", headers: Mapping[str, str] | None = None
) -> ProviderFailure:
    """The failure that a status other than 200 stands for; `body` is the object "error" of the answer."""
    headers = headers or {}
    code = str(body.get("code") or body.get("type") or "")
    words = _short(str(body.get("message") or message))
    message = f"The server answered {status}: {words}"
    if "insufficient_quota" in (code, body.get("type")) or code == "billing_hard_limit_reached" or status == 402:
        return ProviderFailure(FailureKind.QUOTA_EXHAUSTED, message)
    if status == 429:
        return ProviderFailure(FailureKind.RATE_LIMITED, message, retry_after=retry_after(headers))
    if status >= 500 or status in _TRANSIENT_STATUS:
        # A server that names a time to come back (503) is taken at its word.
        return ProviderFailure(FailureKind.TRANSIENT, message, retry_after=retry_after(headers))
    if code in ("content_filter", "content_policy_violation"):
        return ProviderFailure(FailureKind.FILTERED, message)
    if code == "context_length_exceeded" or (status in (400, 413, 422) and _CONTEXT.search(words)):
        return ProviderFailure(FailureKind.CONTEXT_TOO_LONG, message)
    if status == 400 and _CUT_OFF.search(words):
        return ProviderFailure(FailureKind.TRUNCATED, message, finish_reason="length", lost=True)
    if status in (400, 422) and (parameter := _refused_parameter(code, body, words)):
        return ProviderFailure(FailureKind.UNSUPPORTED_PARAMETER, message, parameter=parameter)
    return ProviderFailure(FailureKind.PERMANENT, message)


def _refused_parameter(code: str, body: Mapping[str, Any], words: str) -> str | None:
    """The parameter that a server refuses, by its error code or by its words."""
    if _RESPONSE_FORMAT.search(str(body.get("param") or "")) or _RESPONSE_FORMAT.search(words):
        return "response_format"
    if code not in ("unsupported_parameter", "unsupported_value") and not _UNSUPPORTED.search(words):
        return None
    named = str(body.get("param") or "")
    if named:
        return named
    found = _PARAMETER.search(words)
    return found.group() if found else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= KEPT_CHARACTERS else f"{line[:KEPT_CHARACTERS]}…"
