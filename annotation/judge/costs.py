"""What judging will cost if no answer is asked for again. Pure.

The strategy's own run (`summarizer.strategies.plan`) would count the tokens of every prompt, thousands of times the
same template. Here the template is counted once, and the texts that are put in are added: a few tokens off at most.
"""

from dataclasses import dataclass
from functools import lru_cache

from annotation.judge.batch_strategy import batches_of, expected_tokens, listed
from annotation.judge.strategy import JudgedSummary, JudgeSettings
from summarizer.prompts import Placeholders, PromptFiles
from summarizer.strategies.plan import FIRST_TOKEN_SECONDS, TOKENS_PER_SECOND, Plan, PricedEndpoint, cost_of
from summarizer.tokens import count_tokens


class PromptTooLong(Exception):
    """A prompt and its answer do not fit the endpoint's context window; the message gives the numbers."""


@dataclass(frozen=True, slots=True)
class _Call:
    """The sentences a call asks about, and their tokens as they stand in the prompt."""

    sentences: int
    tokens: int


def plan_judging(
    summary: JudgedSummary, settings: JudgeSettings, endpoint: PricedEndpoint, context_window: int
) -> Plan:
    """Calls, tokens and cost of judging every sentence of `summary` once.

    Raises `PromptTooLong` if the longest prompt and its answer exceed `context_window` tokens. A baseline reads no
    prompt: its tokens are 0.
    """
    if not endpoint.is_llm:
        return Plan(len(summary.sentences), 0, 0, cost_of(endpoint, 0, 0))
    calls = _calls(summary, settings)
    of_the_rest = _template_tokens(settings) + count_tokens(summary.text)
    longest = of_the_rest + max(call.tokens + settings.max_answer_tokens * call.sentences for call in calls)
    if longest > context_window:
        raise PromptTooLong(
            f"The longest prompt and its answer need about {longest:,} tokens, and the endpoint's context window has "
            f"{context_window:,}."
        )
    prompt_tokens = of_the_rest * len(calls) + sum(call.tokens for call in calls)
    answers = [expected_tokens(settings, call.sentences) for call in calls]
    seconds = [FIRST_TOKEN_SECONDS + tokens / TOKENS_PER_SECOND for tokens in answers]
    return Plan(
        calls=len(calls),
        prompt_tokens=prompt_tokens,
        completion_tokens=sum(answers),
        cost_usd=cost_of(endpoint, prompt_tokens, sum(answers)),
        batch_seconds=max(seconds),
        call_seconds=sum(seconds),
        rounds=1,
    )


def _calls(summary: JudgedSummary, settings: JudgeSettings) -> list[_Call]:
    if settings.batch_size is None:
        return [_Call(1, count_tokens(summary.sentence(index))) for index in range(len(summary.sentences))]
    return [
        _Call(len(indices), count_tokens(listed(summary, indices, has_tags=settings.has_tags)))
        for indices in batches_of(summary, settings)
    ]


def _template_tokens(settings: JudgeSettings) -> int:
    path = settings.prompt_file
    return _tokens_without_texts(path, settings.prompts.files[path], settings.prompts.placeholders)


@lru_cache(maxsize=16)
def _tokens_without_texts(path: str, template: str, placeholders: Placeholders) -> int:
    """Tokens of the prompt without the texts."""
    empty = PromptFiles({path: template}, placeholders).render(path, summary="", sentence="", sentences="")
    return count_tokens(empty)
