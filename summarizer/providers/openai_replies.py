"""Reading the body of an answer: a usable text, or what is wrong with it. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from summarizer.providers.base import FailureKind, ProviderFailure, Reply, Usage
from summarizer.text import storable

#: How much of a body that can't be read is kept.
KEPT_CHARACTERS = 2_000
#: No request has so many; a larger count is none (and no column would hold it).
MOST_TOKENS = 1_000_000_000


def reply_of(body: bytes) -> Reply:
    """The answer in the body of a chat completion. Raises `ProviderFailure`.

    An answer is complete only if the server says so: cut off, filtered, refused, empty and unreadable ones are told
    apart. Nothing is concluded from the last character of the text.
    """
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        finish_reason = storable(str(choice.get("finish_reason") or ""))
        content = storable(_text(message.get("content")))
        refusal = message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _malformed(body) from None
    usage = usage_of(data)
    if failure := _what_is_wrong(content, refusal, finish_reason):
        kind, words = failure
        raise ProviderFailure(
            kind,
            words,
            partial_text=content or str(refusal or ""),
            finish_reason=finish_reason,
            usage=usage,
            lost=usage.prompt_tokens is None,
        )
    return Reply(content, finish_reason or "stop", usage)


def usage_of(data: Mapping[str, Any]) -> Usage:
    usage = data.get("usage")
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(_count(usage.get("prompt_tokens")), _count(cached), _count(usage.get("completion_tokens")))


def _what_is_wrong(content: str, refusal: Any, finish_reason: str) -> tuple[FailureKind, str] | None:
    if finish_reason == "content_filter":
        return FailureKind.FILTERED, "The server's content filter stopped the answer."
    if refusal:
        return FailureKind.REFUSED, f"The model refused to answer: {str(refusal)[:300]}"
    if finish_reason == "length":
        return FailureKind.TRUNCATED, "The answer was cut off at the token limit."
    if not content.strip():
        return FailureKind.EMPTY, "The answer holds no text."
    if finish_reason in ("tool_calls", "function_call"):
        return FailureKind.MALFORMED, "The model called a tool instead of answering."
    return None


def _text(content: Any) -> str:
    """The text of a message: plain, or in parts as some servers send it. Raises TypeError for anything else."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(str(part["text"]) for part in content if part.get("type", "text") == "text")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _malformed(body: bytes) -> ProviderFailure:
    text = body.decode("utf-8", "replace")
    return ProviderFailure(
        FailureKind.MALFORMED,
        "The server's answer is not a chat completion that can be read.",
        partial_text=text[:KEPT_CHARACTERS],
        lost=True,
    )
