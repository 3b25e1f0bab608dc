"""Endpoints: making and changing them."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from summarizer.models import Endpoint

#: Names of the baselines, made on first use.
RESERVED: dict[str, str] = {
    "extractive": Endpoint.Provider.EXTRACTIVE,
    "rules": Endpoint.Provider.RULES,
}


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
def save_endpoint(
    *, endpoint: Endpoint | None = None, replacements: Mapping[str, str | None] | None = None, **values: Any
) -> Endpoint:
    """Make an endpoint of `values` (names of `Endpoint`'s fields), or change `endpoint`. Raises `ValidationError`.

    `replacements` is what a test of this address and model has just found out, None if there was none. A changed model
    or window makes new systems from then on; existing ones keep what they were made with.
    """
    endpoint = endpoint or Endpoint()
    for name, value in values.items():
        setattr(endpoint, name, value)
    validate_endpoint(endpoint)
    if replacements is not None:
        endpoint.parameter_replacements = dict(replacements)
    elif not Endpoint.objects.filter(pk=endpoint.pk, base_url=endpoint.base_url, model=endpoint.model).exists():
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
