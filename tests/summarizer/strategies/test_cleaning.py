"""Cleaning: which answers are taken, and that a refused one leaves the summary as it was."""

import pytest

from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Answer, Failure, Outcome, Step, StrategyFailed
from summarizer.strategies.cleaning import check_fit, clean, made_and_cleaned
from summarizer.strategies.fit import DoesNotFit
from summarizer.strategies.incremental import incremental
from summarizer.strategies.records import SummaryResult
from tests.summarizer.strategies.playing import chunks, play, settings

#: Ten words.
SUMMARY = "In this part Emma leaves home, and Rolf stays behind."
TRUNCATED = Failure(FailureKind.TRUNCATED, "cut off", partial_text="Emma")


def test_the_answer_is_the_second_version() -> None:
    node, batches = play(clean(SUMMARY, settings()), lambda step: "Emma leaves home, and Rolf stays behind.")
    assert (node.kind, node.text) == ("cleaning", "Emma leaves home, and Rolf stays behind.")
    assert [step.name for batch in batches for step in batch] == ["cleaning"]
    assert batches[0][0].prompt == f"Clean this:\n{SUMMARY}"


@pytest.mark.parametrize(
    "bad",
    # Six of ten words are 60 %: more than 30 % were lost. The last has far more tokens than the summary.
    ["", "Emma leaves home, and Rolf stays.", TRUNCATED, SUMMARY * 4],
)
def test_what_is_no_cleaning_is_refused_and_asked_for_again(bad: Outcome | str) -> None:
    outcomes: list[Outcome | str] = [bad, "Emma leaves home, and Rolf stays behind."]
    node, batches = play(clean(SUMMARY, settings()), lambda step: outcomes.pop(0))
    assert node.text == "Emma leaves home, and Rolf stays behind."
    assert [step.name for batch in batches for step in batch] == ["cleaning", "cleaning, try 2"]


def test_after_three_tries_it_fails_visibly_and_what_was_made_is_handed_over() -> None:
    kept: list[SummaryResult] = []

    def keep(made: SummaryResult) -> str:
        kept.append(made)
        return "It is kept."

    def answer(step: Step) -> str:
        return "Short." if step.name.startswith("cleaning") else SUMMARY

    making = incremental(chunks(1), settings())
    with pytest.raises(StrategyFailed, match=r"cleaning: .* in 3 tries\. .*Of 10 words 1 are left.* It is kept\."):
        play(made_and_cleaned(making, settings(), keep), answer)
    assert [made.text for made in kept] == [SUMMARY]


def test_a_run_that_is_stopped_in_the_cleaning_hands_over_too() -> None:
    kept: list[SummaryResult] = []
    making = incremental(chunks(1), settings())
    strategy = made_and_cleaned(making, settings(), lambda made: kept.append(made) or "")
    next(strategy)
    (step,) = strategy.send([Answer(SUMMARY)])
    assert step.name == "cleaning"
    strategy.close()
    assert [made.text for made in kept] == [SUMMARY]


def test_whether_it_fits_is_looked_at_before_anything_is_asked() -> None:
    tight = settings(window=260, max_summary_tokens=120)
    with pytest.raises(DoesNotFit, match="too small to clean summaries of up to 120 tokens"):
        next(made_and_cleaned(incremental(chunks(1), tight), tight))
    # "Clean this:" and a line break are 4 tokens: 2 x 112 = 260 - 32 - 4.
    check_fit(settings(window=260, max_summary_tokens=112))
    with pytest.raises(DoesNotFit, match="The longest summary that works is 112 tokens"):
        check_fit(settings(window=260, max_summary_tokens=113))
