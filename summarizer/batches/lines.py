"""The lines of a batch's files: requests that go up, and what came of them. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from summarizer.providers.base import FailureKind, ProviderFailure, Reply
from summarizer.providers.openai_errors import status_failure
from summarizer.providers.openai_replies import reply_of

#: What one file may hold (OpenAI Batch API).
MOST_LINES = 50_000
MOST_BYTES = 200_000_000
#: Codes of lines that the server did not come to.
EXPIRED = "batch_expired"
CANCELLED = "batch_cancelled"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NotRun:
    """The batch was stopped before the server came to the line: nothing was asked and nothing is paid."""


LineOutcome = Reply | ProviderFailure | NotRun


def line_name(call_id: int, number: int) -> str:
    """What a line is found by again; the server answers in any order."""
    return f"call-{call_id}-attempt-{number}"


def request_line(name: str, address: str, body: Mapping[str, Any]) -> bytes:
    line = {"custom_id": name, "method": "POST", "url": address, "body": body}
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def in_files(lines: Sequence[tuple[T, bytes]]) -> Iterator[list[tuple[T, bytes]]]:
    """Cut into as few files as the limits allow, in order."""
    file: list[tuple[T, bytes]] = []
    size = 0
    for line in lines:
        if file and (len(file) == MOST_LINES or size + len(line[1]) > MOST_BYTES):
            yield file
            file, size = [], 0
        file.append(line)
        size += len(line[1])
    if file:
        yield file


def outcomes(content: bytes) -> dict[str, LineOutcome]:
    """What came of the lines of an output or error file, by name; lines that can't be read are left out."""
    found: dict[str, LineOutcome] = {}
    for raw in content.splitlines():
        try:
            line = json.loads(raw)
            name = str(line["custom_id"])
            outcome = _outcome(line.get("response"), line.get("error"))
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue
        found.setdefault(name, outcome)
    return found


def outcome_of_missing(status: str) -> LineOutcome:
    """What came of a line that no file speaks of, from the word for the whole batch."""
    if status in ("cancelled", "failed"):
        return NotRun()
    if status == "expired":
        return _expired()
    return ProviderFailure(FailureKind.TRANSIENT, "The batch ended without a word on this call.", lost=True)


def _outcome(response: Any, error: Any) -> LineOutcome:
    if response:
        return _answered(int(response["status_code"]), response.get("body"))
    code = str(error.get("code") or "")
    if code == CANCELLED:
        return NotRun()
    if code == EXPIRED:
        return _expired()
    words = " ".join(str(error.get("message") or code).split())[:300]
    return ProviderFailure(FailureKind.TRANSIENT, f"The server could not make the call: {words}")


def _answered(status: int, body: Any) -> Reply | ProviderFailure:
    if status != 200:
        details = body.get("error") if isinstance(body, Mapping) else None
        return status_failure(status, details if isinstance(details, Mapping) else {}, str(body or ""))
    try:
        return reply_of(json.dumps(body).encode())
    except ProviderFailure as failure:
        return failure


def _expired() -> ProviderFailure:
    return ProviderFailure(FailureKind.TRANSIENT, "The batch ran out of time before this call was made.")
