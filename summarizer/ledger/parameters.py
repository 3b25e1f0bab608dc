"""What is learned about the parameters that a server takes. Short writes for the ledger thread."""

from collections.abc import Mapping
from typing import Any

from summarizer.ledger.calls import with_sent
from summarizer.models import Endpoint, LLMCall


def keep_replacement(*, endpoint_id: int, parameter: str, replacement: str | None) -> None:
    """Remember on the endpoint that its server refuses `parameter`."""
    endpoint = Endpoint.objects.select_for_update().only("parameter_replacements").get(pk=endpoint_id)
    endpoint.parameter_replacements = {**endpoint.parameter_replacements, parameter: replacement}
    endpoint.save(update_fields=["parameter_replacements"])


def keep_sent_parameters(*, call_id: int, sent: Mapping[str, Any]) -> None:
    """State on a call with which parameters it was really made."""
    call = LLMCall.objects.only("parameters").get(pk=call_id)
    call.parameters = with_sent(call.parameters, sent)
    call.save(update_fields=["parameters"])
