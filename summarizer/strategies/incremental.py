"""Incremental updating (BooookScore, appendix A.2): one running summary, updated with each chunk of the book.

Words asked for, with G the longest summary in tokens, 0.65 G the words for it, and n chunks:

* update i (the first summary is update 1): 0.65 G i / n (released code; the paper gives none), but at least a quarter
  of 0.65 G. The rule alone would ask for 7 words about the first of 79 chunks of 2048 tokens;
* compression after update i: 0.65 G (i - 1) / n, but at least three quarters of what update i asked for, so that an
  early one does not throw away most of what was just written. An answer within 20 % of it is taken.

A running summary may be longer than G only between an update and its compression.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from summarizer.providers.base import FailureKind
from summarizer.strategies.asking import (
    TRIES,
    Accepted,
    Question,
    ask,
    judge,
    step_name,
    tokens_for,
    words_for,
)
from summarizer.strategies.base import Failure, Step, Strategy, StrategyFailed
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.plan import expected_text, expected_words
from summarizer.strategies.records import (
    Node,
    SourceChunk,
    SummaryMaterial,
    SummaryResult,
    SummarySettings,
    UpdateMaterial,
)
from summarizer.tokens import count_tokens

INIT = "get_summaries_inc/init.txt"
UPDATE = "get_summaries_inc/intermediate.txt"
COMPRESS = "get_summaries_inc/compress.txt"
PROMPT_FILES = (INIT, UPDATE, COMPRESS)

#: It keeps to the length better at this one (BooookScore, section 5).
COMPRESSION_TEMPERATURE = 1.0
#: After the last try, an answer that missed the 20 % is still taken if it has at least this share of the words.
_LEAST_PERCENT = 50

_FIRST, _UPDATE, _COMPRESSION = "first summary", "update", "compression"


def update_words(number: int, count: int, maximum: int) -> int:
    """Words that update `number` (from 1) of `count` asks for, `maximum` = G in tokens; rounded down.

    G = 900 and 4 chunks give 146, 292, 438, 585.
    """
    return max(65 * maximum * number // (100 * count), words_for(maximum) // 4)


def compression_words(number: int, count: int, maximum: int) -> int:
    """Words that a compression after update `number` asks for. G = 900 and 4 chunks give 109, 219, 328, 438."""
    return max(65 * maximum * (number - 1) // (100 * count), update_words(number, count, maximum) * 3 // 4)


def word_count(text: str) -> int:
    """Words between white space; 0.65 a token where that is far more, as in scripts without spaces."""
    words, by_tokens = len(text.split()), words_for(count_tokens(text))
    return words if 2 * words >= by_tokens else by_tokens


def is_close(text: str, words: int) -> bool:
    """Whether `text` has the wanted number of words, within 20 %."""
    return 8 * words <= 10 * word_count(text) <= 12 * words


def check_fit(chunk_count: int, largest_chunk: int, settings: SummarySettings) -> int:
    """The longest answer of an update, in tokens, if every prompt of the book fits the window beside its answer.

    It is at least G, and up to half as much again where the window has room: a summary that runs over then comes
    whole, and can be compressed. `largest_chunk` is in tokens. Raises `DoesNotFit`.
    """
    maximum, prompts = settings.max_summary_tokens, _PromptTokens.of(settings)
    room = settings.window - WINDOW_MARGIN
    beside_summary = room - prompts.compress - maximum
    if beside_summary < maximum:
        raise DoesNotFit(
            f"The window of {settings.window:,} tokens is too small to compress summaries of up to {maximum:,} tokens. "
            f"The longest summary that works is {max(0, (room - prompts.compress) // 2):,} tokens."
        )
    # A smaller chunk size makes more chunks of a book that is one chunk now, so its updates must fit then.
    largest = min(room - prompts.init - maximum, room - prompts.update - 2 * maximum)
    only_one = room - prompts.init - largest_chunk
    answer = only_one if chunk_count == 1 else min(only_one, room - prompts.update - largest_chunk - maximum)
    if answer >= maximum:
        return min(answer, beside_summary, maximum * 3 // 2)
    if largest < 1:
        raise DoesNotFit(
            f"The window of {settings.window:,} tokens has no room for any text beside the prompt "
            f"({prompts.update:,}), the summary so far and the updated one of up to {maximum:,} tokens each. Ask for a "
            "shorter summary, or take a larger window."
        )
    raise DoesNotFit(
        f"A chunk of {largest_chunk:,} tokens, the prompt ({prompts.update:,}), the summary so far and the updated one "
        f"of up to {maximum:,} tokens each do not fit the window of {settings.window:,} tokens. The largest chunk size "
        f"that fits is {largest:,}.",
        largest_chunk_size=largest,
    )


@dataclass(frozen=True, slots=True)
class _PromptTokens:
    """Tokens of the prompts without the texts that are put in."""

    init: int
    update: int
    compress: int

    @classmethod
    def of(cls, settings: SummarySettings) -> "_PromptTokens":
        widest = str(2 * words_for(settings.max_summary_tokens))
        prompts = settings.prompts
        return cls(
            count_tokens(prompts.render(INIT, text="", words=widest)),
            count_tokens(prompts.render(UPDATE, text="", summary="", words=widest)),
            count_tokens(prompts.render(COMPRESS, summary="", summary_words=widest, words=widest)),
        )


def incremental(chunks: Sequence[SourceChunk], settings: SummarySettings) -> Strategy[SummaryResult]:
    """The strategy of one book. Raises `DoesNotFit` before the first step, `StrategyFailed` where an answer is missing.

    A node's level is the chunk's place; index 0 is the update, 1 its compression.
    """
    answer_limit = check_fit(len(chunks), max(chunk.tokens for chunk in chunks), settings)
    nodes: list[Node] = []
    current: Node | None = None
    for number, chunk in enumerate(chunks, start=1):
        current = yield from _updated(current, chunk, number, len(chunks), answer_limit, settings)
        nodes.append(current)
        if current.tokens > settings.max_summary_tokens:
            current = yield from _compressed(current, number, len(chunks), settings)
            nodes.append(current)
    if current is None:
        raise ValueError("A book has at least one chunk.")
    return SummaryResult(text=current.text, nodes=tuple(nodes), limits=(settings.max_summary_tokens,))


def longest_answer(step: Step) -> str:
    """For a plan of the most that can be asked: an update of full length, which is then compressed."""
    if step.name.startswith((_FIRST, _UPDATE)):
        return expected_text(step.max_tokens)
    if step.name.startswith(_COMPRESSION):
        return expected_words(step.expected_tokens, step.material.words)
    return expected_text(step.expected_tokens)


def _updated(
    before: Node | None,
    chunk: SourceChunk,
    number: int,
    count: int,
    limit: int,
    settings: SummarySettings,
) -> Strategy[Node]:
    """The running summary with `chunk` taken in; the first one where there is none before."""
    words = update_words(number, count, settings.max_summary_tokens)
    summary = before.text if before else ""
    path = UPDATE if before else INIT
    fewest = min(word_count(summary), words) // 2

    def fault(text: str) -> str:
        if word_count(text) >= fewest:
            return ""
        return f"The update has {word_count(text):,} words, fewer than half of the summary that it was to update."

    def prompt(asked: int) -> str:
        values = {"text": chunk.text, "words": str(asked)} | ({"summary": summary} if before else {})
        return settings.prompts.render(path, **values)

    question = Question(
        name=f"{_UPDATE} {number} of {count}" if before else f"{_FIRST}, chunk 1 of {count}",
        prompt=prompt,
        limit=limit,
        temperature=settings.temperature,
        texts=(chunk.text,),
        words=words,
        expected=min(tokens_for(words), settings.max_summary_tokens),
        material=(lambda asked: UpdateMaterial(summary, chunk.text, asked)) if before else None,
        fault=fault,
        repair=settings.repair(prompt(words), [summary, chunk.text], limit),
    )
    (answer,) = yield from ask([question])
    return Node(
        kind="update",
        level=number - 1,
        index=0,
        text=answer.text,
        tokens=answer.tokens,
        chunk_start=chunk.start,
        chunk_end=chunk.end,
        sources=(before.place,) if before else (),
        call_id=answer.call_id,
        asked_words=words,
        removed=answer.removed,
    )


def _compressed(node: Node, number: int, count: int, settings: SummarySettings) -> Strategy[Node]:
    """`node`'s summary within G tokens. Raises `StrategyFailed` where no try brought one: nothing over G goes on."""
    target = compression_words(number, count, settings.max_summary_tokens)
    answer = yield from _ask_for_compression(
        f"{_COMPRESSION} after update {number} of {count}", node.text, target, settings
    )
    return Node(
        kind="compression",
        level=node.level,
        index=1,
        text=answer.text,
        tokens=answer.tokens,
        sources=(node.place,),
        call_id=answer.call_id,
        asked_words=target,
        removed=answer.removed,
    )


def _ask_for_compression(name: str, summary: str, target: int, settings: SummarySettings) -> Strategy[Accepted]:
    """Up to `TRIES` tries, each asking for a tenth less after an answer that was too long, for a tenth more after one
    that was too short. Then the one closest to `target` is taken among those within G tokens that have at least half
    of its words."""
    usable: list[Accepted] = []
    failure: Failure | None = None
    tenths = 10
    for attempt in range(TRIES):
        step = _compression_step(step_name(name, attempt), summary, target, target * tenths // 10, settings)
        (outcome,) = yield [step]
        repair = settings.repair(step.prompt, [summary], settings.max_summary_tokens)
        judged = judge(outcome, settings.max_summary_tokens, repair=repair)
        if isinstance(judged, Failure):
            failure = judged
            if judged.kind not in (FailureKind.TRUNCATED, FailureKind.EMPTY):
                break
            tenths -= judged.kind is FailureKind.TRUNCATED
            continue
        if is_close(judged.text, target):
            return judged
        words = word_count(judged.text)
        if 100 * words >= _LEAST_PERCENT * target:
            usable.append(judged)
        message = f"It has {words:,} words where {target:,} were wanted."
        failure = Failure(FailureKind.UNUSABLE, message, partial_text=judged.text, call_id=judged.call_id)
        tenths += 1 if words < target else -1
    if usable:
        return min(usable, key=lambda answer: abs(word_count(answer.text) - target))
    raise StrategyFailed(name, _uncompressed(failure, settings.max_summary_tokens))


def _compression_step(name: str, summary: str, target: int, words: int, settings: SummarySettings) -> Step:
    return Step(
        name=name,
        prompt=settings.prompts.render(
            COMPRESS, summary=summary, summary_words=str(word_count(summary)), words=str(words)
        ),
        max_tokens=settings.max_summary_tokens,
        temperature=COMPRESSION_TEMPERATURE,
        material=SummaryMaterial((summary,), words),
        expected_tokens=min(tokens_for(target), settings.max_summary_tokens),
    )


def _uncompressed(failure: Failure | None, limit: int) -> Failure:
    if failure is None:
        raise ValueError("There was no try.")
    if failure.kind not in (FailureKind.TRUNCATED, FailureKind.EMPTY, FailureKind.UNUSABLE):
        return failure
    message = f"No usable compression to at most {limit:,} tokens in {TRIES} tries. The last one: {failure.message}"
    return Failure(failure.kind, message, partial_text=failure.partial_text, call_id=failure.call_id)
