"""What judging will cost at most if no answer is asked for again. Pure.

The strategy's own run (`summarizer.strategies.plan`) would count the tokens of every prompt; the prompts about one
summary differ in the sentence alone, so one of them is counted and the difference of the sentences added.
"""

from annotation.judge.strategy import EXPECTED_ANSWER_TOKENS, JudgedSummary, JudgeSettings, sentence_prompt
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
    of_sentences = [count_tokens(summary.sentence(index)) for index in range(calls)]
    of_the_rest = count_tokens(sentence_prompt(summary, settings.prompts, 0)) - of_sentences[0]
    longest = of_the_rest + max(of_sentences) + settings.max_answer_tokens
    if longest > context_window:
        raise PromptTooLong(
            f"The longest prompt and its answer need {longest} tokens, and the endpoint's context window has "
            f"{context_window}."
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
    )
