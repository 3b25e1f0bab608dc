"""Judging a summary several sentences a call, as a pure strategy.

A batch is some sentences in a row, numbered from 1 in their call, and the answer says by these numbers which sentence
it means. What an answer does not speak of, or says unreadably, is asked for again a bounded number of times, alone and
under new numbers; what stays unparsed is shown as such.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.judge.batch_parsing import ANSWER_FORMAT, parse_batch
from annotation.judge.parsing import ParsedAnswer, State
from annotation.judge.strategy import (
    ASKED_AGAIN,
    EXPECTED_ANSWER_TOKENS,
    TRIES,
    JudgedSummary,
    JudgeSettings,
    SentenceVerdict,
    is_echo,
    one_line,
    require_an_endpoint_that_can_judge,
)
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure, Outcome, Step, Strategy, StrategyFailed

#: Added to the prompt when sentences are asked about again. It says nothing about the verdict.
REMINDER = "\n\nAnswer with JSON and nothing else: one entry for each of the numbered sentences, under its number."

_TAG = re.compile(r"<(?=/?\s*(?:summary|sentences?)\b)", re.IGNORECASE)
_ANSWER = re.compile(r"[\"']?(?:sentence_num|questions?)[\"']?\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Sentences that are asked about in one call: `waiting` are those without a verdict, by index."""

    name: str
    waiting: tuple[int, ...]
    failure: Failure | None = None


def judge_in_batches(summary: JudgedSummary, settings: JudgeSettings) -> Strategy[list[SentenceVerdict]]:
    """One verdict for every sentence, in order. Raises `StrategyFailed` as `judge_sentences` does."""
    verdicts: dict[int, SentenceVerdict] = {}
    ended: list[_Batch] = []
    batches = [_Batch(_name(indices), indices) for indices in batches_of(summary, settings)]
    for attempt in range(TRIES):
        steps = [_step(summary, settings, batch, attempt) for batch in batches]
        outcomes = yield steps
        require_an_endpoint_that_can_judge(steps, outcomes)
        for batch, step, outcome in zip(batches, steps, outcomes, strict=True):
            verdicts |= {each.index: each for each in _verdicts(summary, batch, step, outcome)}
        batches = [_after(batch, outcome, verdicts) for batch, outcome in zip(batches, outcomes, strict=True)]
        ended += [batch for batch in batches if not _worth_another_try(batch)]
        batches = [batch for batch in batches if _worth_another_try(batch)]
        if not batches:
            break
    _require_an_endpoint_that_answers([*ended, *batches], len(verdicts))
    return [verdicts[index] for index in range(len(summary.sentences))]


def batches_of(summary: JudgedSummary, settings: JudgeSettings) -> Iterator[tuple[int, ...]]:
    """The sentences of each first call, by index."""
    size, count = settings.batch_size or 1, len(summary.sentences)
    for start in range(0, count, size):
        yield tuple(range(start, min(start + size, count)))


def batch_prompt(summary: JudgedSummary, settings: JudgeSettings, indices: Sequence[int]) -> str:
    """The prompt about some sentences. In a template with tags around the texts, the texts cannot hold such tags."""
    text = _without_tags(summary.text) if settings.has_tags else summary.text
    sentences = listed(summary, indices, has_tags=settings.has_tags)
    return settings.prompts.render(settings.prompt_file, summary=text, sentences=sentences)


def listed(summary: JudgedSummary, indices: Sequence[int], *, has_tags: bool) -> str:
    """The sentences under the numbers 1, 2, 3, ...: in tags, or else as the public release writes them."""
    numbered = enumerate((summary.sentence(index) for index in indices), 1)
    if has_tags:
        return "\n".join(f'<sentence number="{n}">\n{_without_tags(text)}\n</sentence>' for n, text in numbered)
    return "\n".join(f"{n}. {text}" for n, text in numbered)


def expected_tokens(settings: JudgeSettings, sentences: int) -> int:
    """Tokens of a usual answer about so many sentences, for the plan."""
    return min(EXPECTED_ANSWER_TOKENS, settings.max_answer_tokens) * sentences


def _name(indices: Sequence[int]) -> str:
    first, last = indices[0] + 1, indices[-1] + 1
    return f"sentence {first}" if first == last else f"sentences {first} to {last}"


def _step(summary: JudgedSummary, settings: JudgeSettings, batch: _Batch, attempt: int) -> Step:
    cut_off = batch.failure is not None and batch.failure.kind is FailureKind.TRUNCATED
    room = settings.max_answer_tokens * len(batch.waiting)
    prompt = batch_prompt(summary, settings, batch.waiting)
    return Step(
        # The same name in each try, whichever sentences are left: a try is of its batch.
        name=batch.name if attempt == 0 else f"{batch.name}, try {attempt + 1}",
        prompt=prompt + (REMINDER if attempt else ""),
        max_tokens=room * (2**attempt if cut_off else 1),
        temperature=settings.temperature,
        expected_tokens=expected_tokens(settings, len(batch.waiting)),
        response_format=ANSWER_FORMAT,
    )


def _verdicts(summary: JudgedSummary, batch: _Batch, step: Step, outcome: Outcome) -> Iterator[SentenceVerdict]:
    for index, answer in zip(batch.waiting, _answers(summary, batch, step, outcome), strict=True):
        yield SentenceVerdict(index, answer.state, answer.questions, answer.types, answer.problem, outcome.call_id)


def _answers(summary: JudgedSummary, batch: _Batch, step: Step, outcome: Outcome) -> list[ParsedAnswer]:
    """One answer for each sentence that was asked about. Of an answer that was cut off, what came whole counts."""
    asked = [summary.sentence(index) for index in batch.waiting]
    failure = outcome if isinstance(outcome, Failure) else None
    reply = failure.partial_text if failure else outcome.text  # type: ignore[union-attr]
    if failure and (failure.kind is not FailureKind.TRUNCATED or not reply.strip()):
        return _nothing(asked, f"{failure.kind.capitalize()}: {failure.message}")
    if is_echo(reply, step.prompt, summary) or _is_of_a_demonstration(reply, step.prompt):
        return _nothing(asked, "The reply repeats the prompt.")
    texts = [summary.sentence(index) for index in range(len(summary.sentences))]
    return parse_batch(_without_quoted_answers(reply, texts), asked, "length" if failure else "stop")


def _is_of_a_demonstration(reply: str, prompt: str) -> bool:
    """Whether several entries stand word for word in the prompt; a single clean one may well be meant."""
    return len(_ANSWER.findall(reply)) > 2 and one_line(reply) in one_line(prompt)


def _nothing(asked: Sequence[str], problem: str) -> list[ParsedAnswer]:
    return [ParsedAnswer(State.UNPARSED, problem=problem)] * len(asked)


def _after(batch: _Batch, outcome: Outcome, verdicts: dict[int, SentenceVerdict]) -> _Batch:
    waiting = tuple(index for index in batch.waiting if verdicts[index].state is State.UNPARSED)
    return replace(batch, waiting=waiting, failure=outcome if isinstance(outcome, Failure) else None)


def _worth_another_try(batch: _Batch) -> bool:
    return bool(batch.waiting) and (batch.failure is None or batch.failure.kind in ASKED_AGAIN)


def _require_an_endpoint_that_answers(batches: Sequence[_Batch], sentences: int) -> None:
    """Raises `StrategyFailed` when all calls failed, one of them with an answer that is none of the protocol's."""
    failed = [batch for batch in batches if batch.failure]
    malformed = [batch for batch in failed if batch.failure and batch.failure.kind is FailureKind.MALFORMED]
    if malformed and malformed[0].failure and sum(len(batch.waiting) for batch in failed) == sentences:
        raise StrategyFailed(malformed[0].name, malformed[0].failure)


def _without_tags(text: str) -> str:
    return _TAG.sub("‹", text)


def _without_quoted_answers(reply: str, sentences: Sequence[str]) -> str:
    """The reply without those sentences of the summary that themselves read like an answer."""
    for sentence in sentences:
        if _ANSWER.search(sentence):
            reply = re.sub(r"\s+".join(map(re.escape, sentence.split())), " ", reply)
    return reply
