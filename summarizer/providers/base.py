"""The one interface to anything that completes a prompt, and the one set of ways in which it can fail."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol

from summarizer.text import storable

#: What a server takes for a call in a batch, as a share of the price of a request of its own (OpenAI Batch API).
BATCH_PRICE_SHARE = Decimal("0.5")


class FailureKind(StrEnum):
    """Decided once, at the adapter. Nothing else looks at status codes or error texts.

    Only `UNUSABLE` is a strategy's: an answer came whole, but is not what was asked for.
    """

    TRANSIENT = "transient"
    RATE_LIMITED = "rate limited"
    QUOTA_EXHAUSTED = "quota exhausted"
    CONTEXT_TOO_LONG = "context too long"
    REFUSED = "refused"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    MALFORMED = "malformed"
    UNSUPPORTED_PARAMETER = "unsupported parameter"
    PERMANENT = "permanent"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a server says is left of one of its limits, and in how many seconds the limit is reset."""

    left: int
    seconds: float


def parameters_asked(
    max_tokens: int, temperature: float, response_format: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The parameters of a request under the protocol's names; what is not asked for is not among them."""
    asked: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
    return asked if response_format is None else {**asked, "response_format": dict(response_format)}


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request. `material` is what the prompt is about, in structured form, for providers that use no LLM."""

    prompt: str
    model: str
    max_tokens: int
    temperature: float
    material: Any = None
    #: The form of the answer (a JSON schema), in the protocol's words.
    response_format: Mapping[str, Any] | None = None
    #: What the server was found to refuse: {refused parameter: the one to use instead, or None to leave it out}.
    replacements: Mapping[str, str | None] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """The parameters as they are sent, after `replacements`."""
        asked = parameters_asked(self.max_tokens, self.temperature, self.response_format)
        named = {self.replacements.get(name, name): value for name, value in asked.items()}
        return {name: value for name, value in named.items() if name is not None}


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer with text in it. Anything else is a `ProviderFailure`."""

    text: str
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    #: What the server says is left of its limits: {"requests" or "tokens": Allowance}.
    allowances: Mapping[str, Allowance] = field(default_factory=dict)


class ProviderFailure(Exception):
    """A request that brought no usable answer.

    `partial_text` keeps what came (a cut-off answer), `retry_after` the seconds the server asked to wait,
    `parameter` the name of a refused parameter. `lost` is true when the request left and its answer, or what it cost,
    never became known: it may be billed. `allowances` as in `Reply`; the adapter adds them. What a server sent is kept
    as every database takes it.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry_after: float | None = None,
        parameter: str | None = None,
        partial_text: str = "",
        finish_reason: str = "",
        usage: Usage | None = None,
        lost: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = storable(message)
        self.retry_after = retry_after
        self.parameter = parameter
        self.partial_text = storable(partial_text)
        self.finish_reason = storable(finish_reason)
        self.usage = usage or Usage()
        self.lost = lost
        self.allowances: Mapping[str, Allowance] = {}


class Provider(Protocol):
    async def complete(self, request: CompletionRequest) -> Reply:
        """Answer `request`. Raises `ProviderFailure`, and nothing else that is foreseeable.

        Runs on the event loop that all calls of the process share: work of more than a few milliseconds belongs in
        `asyncio.to_thread`.
        """
        ...

    async def close(self) -> None: ...
