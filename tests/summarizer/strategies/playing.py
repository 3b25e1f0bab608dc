"""Playing strategies without a network."""

from collections.abc import Callable, Sequence
from typing import Any

from summarizer.prompts import PromptFiles
from summarizer.strategies import incremental
from summarizer.strategies.base import Ahead, Answer, Outcome, Step, Strategy
from summarizer.strategies.cleaning import REMOVE_ARTIFACTS
from summarizer.strategies.levels import INIT, MERGE, MERGE_CONTEXT
from summarizer.strategies.one_pass import WHOLE
from summarizer.strategies.records import SourceChunk, SummarySettings
from summarizer.tokens import count_tokens

#: Short prompts, so that the numbers of a test can be worked out by hand.
PROMPTS = PromptFiles(
    {
        INIT: "Read this:\n{text}\nSummarize it in {words} words.",
        MERGE: "Join these:\n{text}\nUse {words} words.",
        MERGE_CONTEXT: "Before:\n{context}\nJoin these:\n{text}\nUse {words} words.",
        incremental.INIT: "Begin with this:\n{text}\nSummarize it in {words} words.",
        incremental.UPDATE: "Next part:\n{text}\nSo far:\n{summary}\nUpdate it in {words} words.",
        incremental.COMPRESS: "Shorten this from {summary_words} to {words} words:\n{summary}",
        WHOLE: "All of it:\n{text}\nSummarize it in {words} words.",
        REMOVE_ARTIFACTS: "Clean this:\n{summary}",
    },
    "named",
)


def settings(**values: Any) -> SummarySettings:
    defaults = {"window": 1000, "chunk_size": 100, "max_summary_tokens": 100, "temperature": 0.5, "prompts": PROMPTS}
    return SummarySettings(**{**defaults, **values})


def chunks(count: int, tokens: int = 20) -> list[SourceChunk]:
    """`count` chunks with different words and about `tokens` tokens each, one after the other in the book."""
    made, start = [], 0
    for index in range(count):
        text = f"C{index}." + " b" * (tokens - 4)
        made.append(SourceChunk(text, start, start + len(text), count_tokens(text)))
        start += len(text)
    return made


def play(strategy: Strategy[Any], answer: Callable[[Step], Outcome | str]) -> tuple[Any, list[Sequence[Step]]]:
    """The result, and the batches of steps whose outcomes were asked for."""
    batches: list[Sequence[Step]] = []
    try:
        steps = next(strategy)
        while True:
            if isinstance(steps, Ahead):
                steps = strategy.send([])
                continue
            batches.append(steps)
            outcomes = [answer(step) for step in steps]
            steps = strategy.send([Answer(each) if isinstance(each, str) else each for each in outcomes])
    except StopIteration as end:
        return end.value, batches
