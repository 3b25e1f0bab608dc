"""Asking again: what counts as an answer, and how the word budget falls (failure cases 20 to 22)."""

import pytest

from summarizer.providers.base import FailureKind
from summarizer.strategies.asking import Question, ask, word_budget, words_for
from summarizer.strategies.base import Answer, Failure, Outcome, Step, StrategyFailed
from tests.summarizer.strategies.playing import play

TRUNCATED = Failure(FailureKind.TRUNCATED, "cut off", partial_text="Emma leaves and Rolf")


def question(name: str = "chunk 1", limit: int = 900) -> Question:
    return Question(name, lambda words: f"{name}: at most {words} words.", limit, 0.5, ("text",))


def test_words_are_0_65_of_tokens_rounded_down() -> None:
    assert [words_for(tokens) for tokens in (900, 585, 380, 1, 2)] == [585, 380, 247, 0, 1]


def test_the_budget_falls_by_a_tenth_of_the_first_value() -> None:
    assert [word_budget(585, attempt) for attempt in range(6)] == [585, 526, 468, 409, 351, 292]


def test_six_cut_off_answers_fail_visibly_and_nothing_is_asked_a_seventh_time() -> None:
    asked: list[Step] = []

    def answer(step: Step) -> Outcome:
        asked.append(step)
        return TRUNCATED

    with pytest.raises(
        StrategyFailed, match=r"chunk 1: No usable answer within 900 tokens in 6 tries.*cut off"
    ) as failed:
        play(ask([question()]), answer)
    assert failed.value.failure.kind is FailureKind.TRUNCATED
    assert [step.prompt for step in asked] == [
        f"chunk 1: at most {words} words." for words in (585, 526, 468, 409, 351, 292)
    ]
    assert [step.name for step in asked] == ["chunk 1", *[f"chunk 1, try {number}" for number in range(2, 7)]]


@pytest.mark.parametrize(
    "text", ["He said “go.”", "He left…", "(He left.)", "He left.\n", "他走了。", "He was about to"]
)
def test_a_complete_answer_is_taken_whatever_its_last_character(text: str) -> None:
    (accepted,), batches = play(ask([question()]), lambda step: text)
    assert accepted.text == text.strip()
    assert len(batches) == 1


def test_a_cut_off_answer_is_asked_again_once_and_never_kept() -> None:
    outcomes: list[Outcome] = [TRUNCATED, Answer("He left.")]
    (accepted,), batches = play(ask([question()]), lambda step: outcomes.pop(0))
    assert accepted.text == "He left."
    assert [len(batch) for batch in batches] == [1, 1]


def test_an_answer_over_the_limit_is_asked_again() -> None:
    # "a a a" has 3 tokens.
    outcomes = ["a a a", "a a"]
    (accepted,), _ = play(ask([question(limit=2)]), lambda step: outcomes.pop(0))
    assert (accepted.text, accepted.tokens) == ("a a", 2)


@pytest.mark.parametrize("blank", ["", " \n "])
def test_blank_answers_are_no_summaries(blank: str) -> None:
    outcomes = [blank, "He left."]
    (accepted,), _ = play(ask([question()]), lambda step: outcomes.pop(0))
    assert accepted.text == "He left."


@pytest.mark.parametrize("kind", [FailureKind.REFUSED, FailureKind.FILTERED, FailureKind.PERMANENT])
def test_what_asking_for_less_cannot_help_is_not_asked_again(kind: FailureKind) -> None:
    batches = 0

    def answer(step: Step) -> Outcome:
        nonlocal batches
        batches += 1
        return Failure(kind, "no")

    with pytest.raises(StrategyFailed, match="chunk 1: no"):
        play(ask([question()]), answer)
    assert batches == 1


def test_the_others_are_brought_to_their_end_before_one_fails() -> None:
    """Chunk 2 is refused, chunk 3 cut off at first: chunk 3 is still asked again, then chunk 2's failure is raised."""
    asked: list[str] = []

    def answer(step: Step) -> Outcome:
        asked.append(step.name)
        if step.name == "chunk 2":
            return Failure(FailureKind.REFUSED, "I can't")
        return TRUNCATED if step.name.startswith("chunk 3") else Answer("He left.")

    with pytest.raises(StrategyFailed) as failed:
        play(ask([question(f"chunk {number}") for number in (1, 2, 3)]), answer)
    assert failed.value.step == "chunk 2"
    assert failed.value.steps == ("chunk 2", "chunk 3")
    assert asked == ["chunk 1", "chunk 2", "chunk 3", *[f"chunk 3, try {number}" for number in range(2, 7)]]
