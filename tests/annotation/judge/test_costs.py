"""The plan of a judge run, against the strategy's own run on expected answers."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotation.judge.costs import PromptTooLong, plan_judging
from annotation.judge.strategy import JudgedSummary, JudgeSettings, judge_sentences
from summarizer.prompts import PromptFiles
from summarizer.strategies.plan import plan

PROMPT = Path(__file__).parents[3] / "summarizer/prompt_sets/default/get_annotations.txt"
SETTINGS = JudgeSettings(PromptFiles({"get_annotations.txt": PROMPT.read_text()}, "named"), 0.0, 100)
SENTENCE = "Emma leaves the village in the winter of 1947. "
SUMMARY = JudgedSummary(SENTENCE * 20, tuple((n * len(SENTENCE), (n + 1) * len(SENTENCE) - 1) for n in range(20)))


def endpoint(**values):
    usual = {"is_llm": True, "price_prompt": Decimal(10), "price_completion": Decimal(30), "concurrency": 8}
    return SimpleNamespace(**{**usual, "requests_per_minute": None, "tokens_per_minute": None, **values})


def test_it_is_what_the_strategy_would_send_within_a_few_tokens_a_call():
    quick = plan_judging(SUMMARY, SETTINGS, endpoint(), 16_000)
    clean = "Questions: no confusion\nTypes: no confusion"
    exact = plan(judge_sentences(SUMMARY, SETTINGS), endpoint(), lambda step: clean)
    assert quick.calls == exact.calls == 20
    assert quick.completion_tokens == exact.completion_tokens
    assert abs(quick.prompt_tokens - exact.prompt_tokens) <= 5 * 20


def test_the_cost_follows_from_the_tokens_and_the_prices():
    planned = plan_judging(SUMMARY, SETTINGS, endpoint(), 16_000)
    assert planned.cost_usd == (10 * planned.prompt_tokens + 30 * 20 * 30) / Decimal(1_000_000)
    assert plan_judging(SUMMARY, SETTINGS, endpoint(price_prompt=None), 16_000).cost_usd is None


def test_a_baseline_reads_no_tokens_and_costs_nothing():
    planned = plan_judging(SUMMARY, SETTINGS, endpoint(is_llm=False), 10)
    assert (planned.calls, planned.prompt_tokens, planned.completion_tokens, planned.cost_usd) == (20, 0, 0, 0)


def test_a_prompt_that_does_not_fit_the_window_is_refused_with_the_numbers():
    with pytest.raises(PromptTooLong, match=r"need about \d,\d{3} tokens, and the endpoint's context window has 2,000"):
        plan_judging(SUMMARY, SETTINGS, endpoint(), 2000)


def test_the_prompt_and_a_long_summary_fit_the_usual_window():
    """A summary of 1,300 tokens, longer than any of the released ones here, fits 8,192 with room to answer."""
    long = JudgedSummary("word " * 1300, ((0, 300),))
    assert plan_judging(long, JudgeSettings(SETTINGS.prompts, 0.0, 256), endpoint(), 8192).calls == 1
