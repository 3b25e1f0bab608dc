"""Endpoints: what is stored and what is refused."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from summarizer.models import Endpoint
from summarizer.services.endpoints import EndpointError, endpoint_named, save_endpoint

pytestmark = pytest.mark.django_db

VALUES: dict[str, Any] = {
    "name": "local",
    "base_url": "http://ollama:11434/v1",
    "model": "llama",
    "context_window": 8192,
    "concurrency": 4,
}


def test_baselines_are_there_on_first_use_and_need_no_llm() -> None:
    for name in ("extractive", "rules"):
        assert endpoint_named(name) == endpoint_named(name)
        assert not endpoint_named(name).is_llm


def test_an_unknown_name_lists_what_there_is() -> None:
    save_endpoint(**VALUES)
    with pytest.raises(EndpointError, match=r"called 'gpt'\. There are: extractive, rules, local\."):
        endpoint_named("gpt")


def test_a_server_without_a_dot_in_its_name_and_prices_are_taken() -> None:
    endpoint = save_endpoint(**VALUES, price_prompt=Decimal("2.5"), price_completion=Decimal(10))
    assert endpoint_named("local").base_url == "http://ollama:11434/v1"
    save_endpoint(endpoint=endpoint, base_url="http://ollama:11434/v1/")
    assert endpoint_named("local").base_url == "http://ollama:11434/v1"


def test_what_a_model_refuses_is_forgotten_with_the_model_and_not_before(admin: Client) -> None:
    endpoint = save_endpoint(**VALUES)
    Endpoint.objects.update(parameter_replacements={"temperature": None})
    address = reverse("summarizer:endpoint-edit", args=[endpoint.pk])
    admin.post(address, {**VALUES, "concurrency": 2})
    assert endpoint_named("local").parameter_replacements == {"temperature": None}
    admin.post(address, {**VALUES, "model": "another"})
    assert endpoint_named("local").parameter_replacements == {}


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"name": "extractive"}, "name", "are the baselines"),
        ({"name": "rules"}, "name", "are the baselines"),
        ({"name": "two words"}, "name", "valid"),
        ({"base_url": "ftp://example.org"}, "base_url", "must begin with http"),
        ({"base_url": "localhost:8000/v1"}, "base_url", "must begin with http"),
        ({"base_url": "https://"}, "base_url", "name a server"),
        ({"base_url": "http://host:99999999/v1"}, "base_url", "not an address"),
        ({"base_url": "http://me:secret@host/v1"}, "base_url", "Leave user name and password out"),
        ({"base_url": "http://host/v1?key=secret"}, "base_url", "Leave out everything from"),
        ({"base_url": ""}, "base_url", "Enter the address"),
        ({"model": ""}, "model", "Enter the name by which"),
        ({"api_key_variable": "SECRET_KEY"}, "api_key_variable", "must end in _API_KEY"),
        ({"api_key_variable": "DATABASE_URL"}, "api_key_variable", "must end in _API_KEY"),
        ({"api_key_variable": "sk-12345"}, "api_key_variable", "must end in _API_KEY"),
        ({"context_window": 10}, "context_window", "256"),
        ({"concurrency": 0}, "concurrency", "1"),
        ({"price_prompt": Decimal(-1), "price_completion": Decimal(1)}, "price_prompt", "0"),
        ({"price_prompt": Decimal(1)}, "price_completion", "both prices, or neither"),
        ({"price_completion": Decimal(1)}, "price_prompt", "both prices, or neither"),
        ({"price_cached": Decimal(1)}, "price_prompt", "needs the price"),
    ],
)
def test_wrong_values_are_refused_by_field(values: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        save_endpoint(**{**VALUES, **values})
    assert message in " ".join(refused.value.message_dict[field])
    assert not Endpoint.objects.exists()


def test_a_name_is_given_once() -> None:
    save_endpoint(**VALUES)
    with pytest.raises(ValidationError) as refused:
        save_endpoint(**VALUES)
    assert "name" in refused.value.message_dict


# --- pages ------------------------------------------------------------------------------------------------------------


def test_adding_and_changing_an_endpoint(admin: Client) -> None:
    assert b"No endpoint yet" in admin.get(reverse("summarizer:endpoints")).content
    response = admin.post(reverse("summarizer:endpoint-add"), VALUES)
    assert response.status_code == 302
    endpoint = Endpoint.objects.get(name="local")
    admin.post(reverse("summarizer:endpoint-edit", args=[endpoint.pk]), {**VALUES, "model": "llama-2"})
    endpoint.refresh_from_db()
    assert endpoint.model == "llama-2"


def test_a_wrong_value_is_shown_beside_its_field_and_nothing_is_stored(admin: Client) -> None:
    response = admin.post(reverse("summarizer:endpoint-add"), {**VALUES, "api_key_variable": "sk-12345"})
    assert response.status_code == 200
    assert b"must end in _API_KEY" in response.content
    assert not Endpoint.objects.exists()


def test_the_baselines_cannot_be_changed(admin: Client) -> None:
    baseline = endpoint_named("extractive")
    assert admin.get(reverse("summarizer:endpoint-edit", args=[baseline.pk])).status_code == 404


def test_researchers_see_endpoints_but_no_way_to_change_them(researcher: Client) -> None:
    endpoint = save_endpoint(**VALUES)
    page = researcher.get(reverse("summarizer:endpoints")).content.decode()
    assert "llama" in page
    assert reverse("summarizer:endpoint-edit", args=[endpoint.pk]) not in page
    assert reverse("summarizer:endpoint-add") not in page
