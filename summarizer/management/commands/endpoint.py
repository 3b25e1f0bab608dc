from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from summarizer.management.book_files import as_json
from summarizer.models import Endpoint
from summarizer.services.endpoints import save_endpoint

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

    def handle(self, *_: Any, name: str, **options: Any) -> None:
        values = {field: options[option] for option, field in _FIELDS.items() if options[option] is not None}
        endpoint = Endpoint.objects.filter(name=name).first()
        try:
            saved = save_endpoint(endpoint=endpoint, name=name, **values)
        except ValidationError as error:
            raise CommandError(_one_line(error)) from error
        fields = {field: _plain(saved, field) for field in _FIELDS.values()}
        self.stdout.write(as_json({"endpoint": saved.name, **fields}))


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
