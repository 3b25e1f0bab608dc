"""What the calls to one endpoint share: its client, its limits, and what is known of the parameters it takes."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from redis.asyncio import Redis

from summarizer.engine.limits import Limits, Place, ProcessLimits
from summarizer.engine.shared_limits import SharedLimits
from summarizer.models import Endpoint
from summarizer.providers.base import FailureKind, Provider
from summarizer.providers.registry import provider_for

#: What takes the place of a parameter that a server refuses; None = it is left out.
REPLACEMENTS: dict[str, str | None] = {
    "max_tokens": "max_completion_tokens",
    "temperature": None,
    "response_format": None,
}
#: How long other calls wait for the first one to show whether the server takes the parameters.
FIRST_ANSWER_SECONDS = 5.0
#: How long one answer of Redis may take.
REDIS_SECONDS = 5.0
#: Outcomes that leave open whether the server takes the parameters.
UNTESTED = frozenset(
    {
        FailureKind.UNSUPPORTED_PARAMETER,
        FailureKind.PERMANENT,
        FailureKind.QUOTA_EXHAUSTED,
        FailureKind.TRANSIENT,
    }
)


@dataclass(eq=False)
class Lane:
    """The calls to one endpoint in this process."""

    provider: Provider
    limits: Limits
    replacements: dict[str, str | None]

    def __post_init__(self) -> None:
        #: Parameters with which the server has answered.
        self._tested: set[str] = set()
        self._first = asyncio.Lock()
        self._limits_read_at, self._limits_kept = 0.0, dict[str, Any]()

    @asynccontextmanager
    async def slot(self, tokens: int, rank: int, parameters: Collection[str]) -> AsyncIterator[Place]:
        """A place within the limits (see `Limits`). Until the server has answered once to a call with these parameters,
        calls go one by one.

        So a parameter that it refuses costs one request, not one for each call.
        """
        async with AsyncExitStack() as stack:
            if not self._tested.issuperset(parameters):
                await self._first_turn(stack, parameters)
            yield await stack.enter_async_context(self.limits.slot(tokens, rank))

    def limit_as(self, endpoint: Endpoint, read_at: float) -> None:
        """Keep the limits of `endpoint` as its row was at `read_at`, unless something newer is known.

        Items that began before it was edited go on with what they read, beside those that begin after.
        """
        if read_at > self._limits_read_at:
            self._limits_read_at = read_at
            if (wanted := _limits_of(endpoint)) != self._limits_kept:
                self._limits_kept = wanted
                self.limits.change(**wanted)

    def note(self, failure: FailureKind | None, parameters: Collection[str]) -> None:
        """Take note of an outcome (None = an answer) of a call with these parameters."""
        if failure not in UNTESTED:
            self._tested.update(parameters)

    def replace(self, parameter: str | None) -> bool:
        """Replace a refused parameter from now on. False if there is nothing to put in its place."""
        if parameter not in REPLACEMENTS:
            return False
        self.replacements = {**self.replacements, parameter: REPLACEMENTS[parameter]}
        return True

    async def close(self) -> None:
        await self.limits.close()
        await self.provider.close()

    async def _first_turn(self, stack: AsyncExitStack, parameters: Collection[str]) -> None:
        try:
            async with asyncio.timeout(FIRST_ANSWER_SECONDS):
                await self._first.acquire()
        except TimeoutError:
            # A slow answer is no refusal: those come at once.
            self._tested.update(parameters)
            return
        if self._tested.issuperset(parameters):
            self._first.release()
        else:
            stack.callback(self._first.release)


def new_lane(endpoint: Endpoint) -> Lane:
    """Must run on the event loop that will make the calls."""
    return Lane(
        provider=provider_for(endpoint),
        limits=new_limits(endpoint),
        replacements=dict(endpoint.parameter_replacements),
    )


def new_limits(endpoint: Endpoint) -> Limits:
    """The limits of `endpoint`: with Redis for all workers together, else for this process.

    The baselines call no server, so theirs are each process's own.
    """
    if not settings.REDIS_URL or not endpoint.is_llm:
        return ProcessLimits(**_limits_of(endpoint))
    redis = Redis.from_url(settings.REDIS_URL, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS)
    return SharedLimits(redis, server_name(endpoint), **_limits_of(endpoint))


def _limits_of(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "concurrency": endpoint.concurrency,
        "requests_per_minute": endpoint.requests_per_minute,
        "tokens_per_minute": endpoint.tokens_per_minute,
    }


def server_name(endpoint: Endpoint) -> str:
    """The same for all endpoints that a server counts together: one model under one key."""
    asked = json.dumps([endpoint.base_url, endpoint.model, endpoint.api_key_variable])
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def lane_key(endpoint: Endpoint) -> tuple[Any, ...]:
    """What makes a lane another one: an endpoint that was pointed elsewhere gets a new one."""
    return (endpoint.pk, endpoint.provider, endpoint.base_url, endpoint.model, endpoint.api_key_variable)
