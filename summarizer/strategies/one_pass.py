"""One pass (the baseline of BooookScore, appendix E): the whole text at once, or as much of its start as fits."""

from collections.abc import Sequence
from dataclasses import dataclass

from summarizer.sentences import split_sentences
from summarizer.strategies.asking import Question, ask, words_for
from summarizer.strategies.base import Strategy
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.records import Node, SourceChunk, SummaryResult, SummarySettings
from summarizer.tokens import count_tokens

WHOLE = "get_summaries_one_pass.txt"
PROMPT_FILES = (WHOLE,)

#: Put where a left-out section stood between two stretches of the book.
SEPARATOR = "\n\n"
#: Less text than that is no source worth a summary.
SMALLEST_SOURCE = 64


@dataclass(frozen=True, slots=True)
class Source:
    """What of the book is read: its text, where it ends in the book, and its tokens of all there are."""

    text: str
    start: int
    end: int
    tokens: int
    all_tokens: int

    @property
    def is_cut(self) -> bool:
        return self.tokens < self.all_tokens


def source_room(settings: SummarySettings) -> int:
    """Tokens of the book that fit beside prompt and answer. Raises `DoesNotFit` when that is next to none."""
    maximum = settings.max_summary_tokens
    prompt = count_tokens(settings.prompts.render(WHOLE, text="", words=str(words_for(maximum))))
    room = settings.window - WINDOW_MARGIN - prompt - maximum
    if room < SMALLEST_SOURCE:
        raise DoesNotFit(
            f"The window of {settings.window:,} tokens has no room for the book beside the prompt ({prompt:,}) and a "
            f"summary of up to {maximum:,} tokens. The longest summary that works is "
            f"{max(0, maximum + room - SMALLEST_SOURCE):,} tokens."
        )
    return room


def cut_to(room: int, pieces: Sequence[SourceChunk]) -> Source:
    """As many of the leading `pieces` as have at most `room` tokens, the next one up to its last sentence end in it.

    Where not even one sentence of the whole fits, it is cut at a word.
    """
    text, end, tokens = "", pieces[0].start, 0
    for piece in pieces:
        joint = "" if not text or piece.start == end else SEPARATOR
        grown = text + joint + piece.text
        # Tokens of texts are not exactly additive, so what was put together is counted; only near the border, as that
        # takes time.
        grown_tokens = tokens + piece.tokens + len(joint)
        if grown_tokens > room:
            grown_tokens = count_tokens(grown)
        if grown_tokens > room:
            kept = _start_of(piece.text, room - tokens - len(joint), must_be_some=not text)
            text, end = (text + joint + kept, piece.start + len(kept)) if kept else (text, end)
            break
        text, end, tokens = grown, piece.end, grown_tokens
    read = count_tokens(text)
    is_all = end == pieces[-1].end
    total = read if is_all else max(read + 1, sum(piece.tokens for piece in pieces))
    return Source(text, pieces[0].start, end, read, total)


def _start_of(text: str, room: int, *, must_be_some: bool) -> str:
    """The longest start of `text` within `room` tokens that ends with a sentence, else (if it must) with a word."""
    for _, end in reversed(split_sentences(text)):
        if end < len(text.rstrip()) and count_tokens(text[:end]) <= room:
            return text[:end]
    kept = text if must_be_some else ""
    while kept and count_tokens(kept) > room:
        shorter = kept[: len(kept) * 9 // 10]
        kept = shorter[: shorter.rstrip().rfind(" ")] if " " in shorter.strip() else shorter
    return kept


def one_pass(pieces: Sequence[SourceChunk], settings: SummarySettings) -> Strategy[SummaryResult]:
    """The strategy of one book; `pieces` are its included text in any size. Raises `DoesNotFit` before the step."""
    source = cut_to(source_room(settings), pieces)
    limit = settings.max_summary_tokens

    def prompt(words: int) -> str:
        return settings.prompts.render(WHOLE, text=source.text, words=str(words))

    question = Question(
        name=f"the first {source.tokens} of {source.all_tokens} tokens" if source.is_cut else "the whole text",
        prompt=prompt,
        limit=limit,
        temperature=settings.temperature,
        texts=(source.text,),
        repair=settings.repair(prompt(words_for(limit)), [source.text], limit),
    )
    (answer,) = yield from ask([question])
    node = Node(
        kind="chunk",
        level=0,
        index=0,
        text=answer.text,
        tokens=answer.tokens,
        chunk_start=source.start,
        chunk_end=source.end,
        call_id=answer.call_id,
        asked_words=words_for(limit),
        removed=answer.removed,
    )
    return SummaryResult(
        text=answer.text,
        nodes=(node,),
        limits=(limit,),
        source_tokens=source.all_tokens,
        source_tokens_read=source.tokens,
    )
