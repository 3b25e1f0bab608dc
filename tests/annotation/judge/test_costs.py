"""The plan of a judge run, against the strategy's own run on expected answers."""

from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotation.judge.batch_strategy import judge_in_batches
from annotation.judge.costs import PromptTooLong, plan_judging
from annotation.judge.strategy import JudgedSummary, JudgeSettings, judge_sentences
from summarizer.prompts import PromptFiles
from summarizer.strategies.plan import plan
from tests.judge_answers import about_each

DEFAULT = Path(__file__).parents[3] / "summarizer/prompt_sets/default"
FILES = {name: (DEFAULT / name).read_text() for name in ("get_annotations.txt", "get_annotations_v2.txt")}
SETTINGS = JudgeSettings(PromptFiles(FILES, "named"), 0.0, 100)
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


@pytest.mark.parametrize("size", [1, 6, 100])
def test_in_batches_it_is_what_the_strategy_would_send_within_a_few_tokens_a_call(size):
    settings = JudgeSettings(SETTINGS.prompts, 0.0, 100, size)
    quick = plan_judging(SUMMARY, settings, endpoint(), 16_000)
    answer = partial(about_each, answer=lambda sentence: None)
    exact = plan(judge_in_batches(SUMMARY, settings), endpoint(), lambda step: answer(step.prompt))
    assert quick.calls == exact.calls == -(-20 // size)
    assert quick.completion_tokens == exact.completion_tokens == 20 * 30
    assert abs(quick.prompt_tokens - exact.prompt_tokens) <= 5 * quick.calls
    assert quick.call_seconds == pytest.approx(exact.call_seconds)


def test_ten_sentences_a_call_cost_far_less_than_one():
    single = plan_judging(SUMMARY, SETTINGS, endpoint(), 16_000)
    several = plan_judging(SUMMARY, JudgeSettings(SETTINGS.prompts, 0.0, 100, 10), endpoint(), 16_000)
    assert 0 < (several.cost_usd or 0) < (single.cost_usd or 0) / 4


def test_the_room_for_answers_about_all_sentences_of_a_call_must_fit_too():
    with pytest.raises(PromptTooLong):
        plan_judging(SUMMARY, JudgeSettings(SETTINGS.prompts, 0.0, 1000, 20), endpoint(), 16_000)
    assert plan_judging(SUMMARY, JudgeSettings(SETTINGS.prompts, 0.0, 1000, 10), endpoint(), 16_000).calls == 2


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
