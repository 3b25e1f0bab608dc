"""What judging will cost if no answer is asked for again. Pure.

The strategy's own run (`summarizer.strategies.plan`) would count the tokens of every prompt, thousands of times the
same template. Here the template is counted once, and the texts that are put in are added: a few tokens off at most.
"""

from functools import lru_cache

from annotation.judge.strategy import EXPECTED_ANSWER_TOKENS, PROMPT_FILE, JudgedSummary, JudgeSettings
from summarizer.prompts import Placeholders, PromptFiles
from summarizer.strategies.plan import FIRST_TOKEN_SECONDS, TOKENS_PER_SECOND, Plan, PricedEndpoint, cost_of
from summarizer.tokens import count_tokens


class PromptTooLong(Exception):
    """A prompt and its answer do not fit the endpoint's context window; the message gives the numbers."""


def plan_judging(
    summary: JudgedSummary, settings: JudgeSettings, endpoint: PricedEndpoint, context_window: int
) -> Plan:
    """Calls, tokens and cost of judging every sentence of `summary` once.

    Raises `PromptTooLong` if the longest prompt and its answer exceed `context_window` tokens. A baseline reads no
    prompt: its tokens are 0.
    """
    calls = len(summary.sentences)
    if not endpoint.is_llm:
        return Plan(calls, 0, 0, cost_of(endpoint, 0, 0))
    template = settings.prompts.files[PROMPT_FILE]
    of_the_rest = _template_tokens(template, settings.prompts.placeholders) + count_tokens(summary.text)
    of_sentences = [count_tokens(summary.sentence(index)) for index in range(calls)]
    longest = of_the_rest + max(of_sentences) + settings.max_answer_tokens
    if longest > context_window:
        raise PromptTooLong(
            f"The longest prompt and its answer need about {longest:,} tokens, and the endpoint's context window has "
            f"{context_window:,}."
        )
    prompt_tokens = of_the_rest * calls + sum(of_sentences)
    answer_tokens = min(EXPECTED_ANSWER_TOKENS, settings.max_answer_tokens)
    seconds_of_a_call = FIRST_TOKEN_SECONDS + answer_tokens / TOKENS_PER_SECOND
    return Plan(
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=answer_tokens * calls,
        cost_usd=cost_of(endpoint, prompt_tokens, answer_tokens * calls),
        batch_seconds=seconds_of_a_call,
        call_seconds=seconds_of_a_call * calls,
        rounds=1,
    )


@lru_cache(maxsize=16)
def _template_tokens(template: str, placeholders: Placeholders) -> int:
    """Tokens of the prompt without the texts."""
    empty = PromptFiles({PROMPT_FILE: template}, placeholders).render(PROMPT_FILE, summary="", sentence="")
    return count_tokens(empty)
