"""When calls wait for the first of them, so that the server has cached the beginning that their prompts share. Pure."""

from collections.abc import Sequence

from summarizer.ledger.costs import Prices

#: Servers cache beginnings of at least 1024 tokens; at four characters a token these are as many.
LEAST_CHARACTERS = 4096
#: The others wait no longer than this for the first answer.
PATIENCE_SECONDS = 30.0


def first_goes_ahead(prompts: Sequence[str], prices: Prices) -> bool:
    """Whether the first of these calls goes ahead of the others, which costs them the time of one answer.

    Only where it saves money: the prompts share a beginning long enough to be cached, there are at least two others to
    gain from it, and the endpoint's price for cached tokens is below that for others.
    """
    if len(prompts) < 3 or prices.cached is None or prices.prompt is None or prices.cached >= prices.prompt:
        return False
    beginning = prompts[0][:LEAST_CHARACTERS]
    return len(beginning) == LEAST_CHARACTERS and all(prompt.startswith(beginning) for prompt in prompts)
