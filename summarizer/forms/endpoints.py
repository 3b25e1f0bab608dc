"""The form of an endpoint."""

from decimal import Decimal
from typing import Any

from django import forms

from summarizer.models import Endpoint


class EndpointForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """An LLM behind an OpenAI-compatible address. What belongs together is checked by the service."""

    class Meta:
        model = Endpoint
        fields = [
            "name",
            "base_url",
            "model",
            "api_key_variable",
            "context_window",
            "price_prompt",
            "price_cached",
            "price_completion",
            "concurrency",
            "requests_per_minute",
            "tokens_per_minute",
        ]
        labels = {
            "base_url": "Address",
            "api_key_variable": "Variable with the key",
            "context_window": "Context window, in tokens",
            "price_prompt": "Prompt",
            "price_cached": "Cached prompt",
            "price_completion": "Answer",
            "concurrency": "Calls at once",
            "requests_per_minute": "Requests a minute",
            "tokens_per_minute": "Tokens a minute",
        }
        help_texts = {
            "name": "Short, for names of systems and for commands: letters, digits, hyphens.",
            "base_url": "Of an OpenAI-compatible server, for example https://api.openai.com/v1 or http://localhost:11434/v1.",
            "model": "As the server calls it.",
            "api_key_variable": "The key itself is never stored. Name the environment variable that holds it; the name "
            "ends in _API_KEY. Leave empty for a server without keys.",
            "context_window": "What prompt and answer share.",
            "price_cached": "Empty: the same as other prompt tokens.",
            "concurrency": "As many as the server takes without slowing down.",
        }
        widgets = {
            "base_url": forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
            "api_key_variable": forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        }

    #: Groups of the page, with the fields' names.
    GROUPS = (
        ("The model", ("name", "base_url", "model", "api_key_variable", "context_window")),
        ("Prices, in USD per million tokens", ("price_prompt", "price_cached", "price_completion")),
        ("Limits", ("concurrency", "requests_per_minute", "tokens_per_minute")),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("base_url", "model"):
            self.fields[name].required = True
        for name in ("price_prompt", "price_cached", "price_completion"):
            if isinstance(price := self.initial.get(name), Decimal):
                self.initial[name] = f"{price.normalize():f}"
