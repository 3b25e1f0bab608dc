"""What a call costs, from the prices of its endpoint."""

from dataclasses import astuple, dataclass
from decimal import Decimal

from summarizer.models import Endpoint
from summarizer.providers.base import BATCH_PRICE_SHARE, Usage

MILLION = Decimal(1_000_000)
#: No request costs so much: a server that counts so many tokens is not believed (and no column would hold it).
MOST_USD = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Prices:
    """USD per million tokens; None = not known. Without a price of their own, cached tokens cost like others."""

    prompt: Decimal | None
    cached: Decimal | None
    completion: Decimal | None


#: The baselines use no LLM, so their calls cost nothing.
FREE = Prices(Decimal(0), Decimal(0), Decimal(0))


def prices_of(endpoint: Endpoint) -> Prices:
    if not endpoint.is_llm:
        return FREE
    return Prices(endpoint.price_prompt, endpoint.price_cached, endpoint.price_completion)


def batch_prices_of(endpoint: Endpoint) -> Prices:
    """What calls in a batch cost, cached tokens too."""
    prices = prices_of(endpoint)
    shares = (None if price is None else price * BATCH_PRICE_SHARE for price in astuple(prices))
    return Prices(*shares)


def cost(usage: Usage, prices: Prices) -> Decimal | None:
    """USD for a call with this usage; None where tokens or prices are not known.

    Cached tokens are part of the prompt's tokens, as OpenAI-compatible servers count them.
    """
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    if prices.prompt is None or prices.completion is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
    price_cached = prices.prompt if prices.cached is None else prices.cached
    total = (usage.prompt_tokens - cached) * prices.prompt
    total += cached * price_cached + usage.completion_tokens * prices.completion
    return total / MILLION if total < MOST_USD * MILLION else None


def worst_cost(prompt_tokens: int, max_tokens: int, prices: Prices) -> Decimal | None:
    """USD for a call at most: nothing cached, the answer as long as it may be."""
    return cost(Usage(prompt_tokens, 0, max_tokens), prices)


def worst_prompt_tokens(counted: int) -> int:
    """Tokens a prompt has at most on the server, from our count.

    Servers count by their own encoding and add a few tokens for the message around the prompt: a fifth more than
    cl100k covers the encodings of the models in use.
    """
    return counted + counted // 5 + 16
