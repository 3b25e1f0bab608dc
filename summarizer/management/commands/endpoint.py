from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from summarizer.management.book_files import as_json
from summarizer.models import Endpoint
from summarizer.services.connection_test import ConnectionTest, try_connection
from summarizer.services.endpoints import save_endpoint, validate_endpoint

#: Option -> field of `Endpoint`, for those that may be left as they are.
_FIELDS = {
    "base_url": "base_url",
    "model": "model",
    "context_window": "context_window",
    "api_key_env": "api_key_variable",
    "concurrency": "concurrency",
    "rpm": "requests_per_minute",
    "tpm": "tokens_per_minute",
    "price_prompt": "price_prompt",
    "price_cached": "price_cached",
    "price_completion": "price_completion",
}


class Command(BaseCommand):
    help = "Add an OpenAI-compatible endpoint, or change the one of that name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--base-url", help="for example https://api.openai.com/v1")
        parser.add_argument("--model", help="as the server calls it")
        parser.add_argument("--context-window", type=int, help="tokens that prompt and answer share")
        parser.add_argument("--api-key-env", help="the environment variable with the key; ends in _API_KEY")
        parser.add_argument("--concurrency", type=int, help="calls in flight at once")
        parser.add_argument("--rpm", type=int, help="requests a minute")
        parser.add_argument("--tpm", type=int, help="tokens a minute")
        for name in ("prompt", "cached", "completion"):
            parser.add_argument(f"--price-{name}", type=_price, help=f"USD per million {name} tokens")
        parser.add_argument(
            "--test", action="store_true", help="try the connection, and change nothing if the model does not answer"
        )

    def handle(self, *_: Any, name: str, test: bool, **options: Any) -> None:
        endpoint = Endpoint.objects.filter(name=name).first() or Endpoint(name=name)
        for option, field in _FIELDS.items():
            if options[option] is not None:
                setattr(endpoint, field, options[option])
        try:
            tested = _tested(endpoint) if test else None
            saved = save_endpoint(endpoint=endpoint, replacements=tested.replacements if tested else None)
        except ValidationError as error:
            raise CommandError(_one_line(error)) from error
        document = {"endpoint": saved.name, **{field: _plain(saved, field) for field in _FIELDS.values()}}
        if tested:
            document["connection"] = _findings(tested)
        self.stdout.write(as_json(document))


def _tested(endpoint: Endpoint) -> ConnectionTest:
    """Raises `ValidationError`, and CommandError if the model does not answer."""
    validate_endpoint(endpoint)
    result = try_connection(endpoint=endpoint)
    if not result.answered:
        others = f" It lists: {', '.join(result.other_models)}." if result.other_models else ""
        raise CommandError(" ".join(filter(None, [result.message + others, result.detail])))
    return result


def _findings(result: ConnectionTest) -> dict[str, Any]:
    return {
        "answer": result.detail,
        "other_models": result.other_models,
        "context_window": result.window.tokens if result.window else None,
        "context_window_is_maximum": result.window.is_maximum if result.window else None,
        "context_window_too_large": result.window_is_too_large,
        "parameters": result.parameters,
    }


def _price(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError(f"{text!r} is no price in dollars, such as 2.50") from None


def _plain(endpoint: Endpoint, field: str) -> Any:
    value = getattr(endpoint, field)
    return float(value) if isinstance(value, Decimal) else value


def _one_line(error: ValidationError) -> str:
    return " ".join(f"{field.replace('_', ' ')}: {' '.join(found)}" for field, found in error.message_dict.items())
