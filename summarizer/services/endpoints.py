"""Endpoints: making, changing and trying them."""

import asyncio
import os
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from summarizer.models import Endpoint
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure
from summarizer.providers.registry import provider_for

#: Names of the baselines, made on first use.
RESERVED: dict[str, str] = {
    "extractive": Endpoint.Provider.EXTRACTIVE,
    "rules": Endpoint.Provider.RULES,
}
#: Seconds until a test of the connection gives up.
TEST_TIMEOUT = 20.0


class EndpointError(Exception):
    """An endpoint that isn't there, or values that can't be taken; the message is for the user."""


def endpoint_named(name: str) -> Endpoint:
    """The endpoint called `name`; the baselines' rows are made on first use. Raises `EndpointError`."""
    if provider := RESERVED.get(name):
        endpoint, _ = Endpoint.objects.get_or_create(name=name, defaults={"provider": provider})
        return endpoint
    if endpoint_or_none := Endpoint.objects.filter(name=name).first():
        return endpoint_or_none
    known = ", ".join([*RESERVED, *Endpoint.objects.exclude(name__in=RESERVED).values_list("name", flat=True)])
    raise EndpointError(f"There is no endpoint called {name!r}. There are: {known}.")


@transaction.atomic
def save_endpoint(*, endpoint: Endpoint | None = None, **values: Any) -> Endpoint:
    """Make an endpoint of `values` (names of `Endpoint`'s fields), or change `endpoint`. Raises `ValidationError`.

    A changed model or window makes new systems from then on; existing ones keep what they were made with.
    """
    endpoint = endpoint or Endpoint()
    for name, value in values.items():
        setattr(endpoint, name, value)
    validate_endpoint(endpoint)
    if not Endpoint.objects.filter(pk=endpoint.pk, base_url=endpoint.base_url, model=endpoint.model).exists():
        # Which parameters one model refuses says nothing about another.
        endpoint.parameter_replacements = {}
    endpoint.save()
    return endpoint


def validate_endpoint(endpoint: Endpoint) -> None:
    """Raises `ValidationError` with a message for each field that is wrong."""
    errors: dict[str, list[str]] = {}
    if endpoint.name in RESERVED or not endpoint.is_llm:
        errors["name"] = [f"{', '.join(RESERVED)} are the baselines. They need no settings; choose another name."]
    if endpoint.is_llm and not endpoint.base_url:
        errors["base_url"] = ["Enter the address of the server, for example https://api.openai.com/v1."]
    if endpoint.is_llm and not endpoint.model:
        errors["model"] = ["Enter the name by which the server knows the model."]
    if endpoint.price_cached is not None and endpoint.price_prompt is None:
        errors["price_prompt"] = ["A price for cached tokens needs the price of the others."]
    if (endpoint.price_prompt is None) != (endpoint.price_completion is None):
        missing = "price_prompt" if endpoint.price_prompt is None else "price_completion"
        errors[missing] = ["Enter both prices, or neither: half a price gives no cost."]
    endpoint.base_url = endpoint.base_url.strip().rstrip("/")
    try:
        endpoint.full_clean(exclude=errors)
    except ValidationError as found:
        errors.update(found.message_dict)
    if errors:
        raise ValidationError(errors)


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What came of one small request: `answered` or not, in words, with the server's own words as detail."""

    answered: bool
    message: str
    detail: str = ""


_FAILURES: dict[FailureKind, str] = {
    FailureKind.TRANSIENT: "The server could not be reached or is in trouble. Check the address and that it runs.",
    FailureKind.RATE_LIMITED: "The server answers, but asks to slow down. Try again in a moment.",
    FailureKind.QUOTA_EXHAUSTED: "The key is known, but its account has no money or quota left.",
    FailureKind.CONTEXT_TOO_LONG: "The server says that even a very short prompt does not fit. Check the model.",
    FailureKind.REFUSED: "The model answers, but refused a harmless request. It may not suit this work.",
    FailureKind.FILTERED: "The server's content filter stopped a harmless request. It may not suit this work.",
    FailureKind.EMPTY: "The server answers, but the model said nothing.",
    FailureKind.MALFORMED: "Something answers there, but not as an OpenAI-compatible server does. Check the address: "
    "it mostly ends in /v1.",
    FailureKind.UNSUPPORTED_PARAMETER: "The server refuses a parameter that has no replacement.",
    FailureKind.PERMANENT: "The server refused the request. Check the key, the model's name and the address.",
}


def try_connection(*, endpoint: Endpoint) -> ConnectionTest:
    """Send one short prompt, as a job would. The endpoint may be unsaved. Costs a few tokens."""
    variable = endpoint.api_key_variable
    if variable and not os.environ.get(variable):
        return ConnectionTest(
            False,
            f"The environment variable {variable} is not set where this server runs. Set it (for example in .env) "
            "and start again.",
        )
    try:
        text = asyncio.run(_ask_for_a_word(endpoint))
    except ProviderFailure as failure:
        if failure.kind is FailureKind.TRUNCATED:
            return ConnectionTest(True, f"The model {endpoint.model} answers (its answer was longer than asked for).")
        return ConnectionTest(False, _FAILURES[failure.kind], failure.message)
    except TimeoutError:
        return ConnectionTest(False, f"No answer within {TEST_TIMEOUT:.0f} seconds. Check the address and the server.")
    return ConnectionTest(True, f"The model {endpoint.model} answers.", text[:200])


async def _ask_for_a_word(endpoint: Endpoint) -> str:
    provider = provider_for(endpoint)
    request = CompletionRequest(
        prompt="Answer with the single word: ready", model=endpoint.model, max_tokens=64, temperature=0.0
    )
    try:
        async with asyncio.timeout(TEST_TIMEOUT):
            reply = await provider.complete(request)
    finally:
        await provider.close()
    return reply.text
