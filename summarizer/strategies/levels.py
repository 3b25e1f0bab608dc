"""The arithmetic of hierarchical merging (BooookScore, appendix A.1): limits of the levels, and what fits a merge."""

from collections.abc import Sequence
from functools import cached_property

from summarizer.strategies.asking import words_for
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.records import SummarySettings
from summarizer.tokens import count_tokens

INIT = "get_summaries_hier/init.txt"
MERGE = "get_summaries_hier/merge.txt"
MERGE_CONTEXT = "get_summaries_hier/merge_context.txt"
PROMPT_FILES = (INIT, MERGE, MERGE_CONTEXT)

SEPARATOR = "\n\n"
#: Tokens that joining two texts may add.
SEPARATOR_TOKENS = 2


class Frame:
    """What of the window is left beside the prompts, in cl100k tokens."""

    def __init__(self, settings: SummarySettings) -> None:
        self.settings = settings

    @property
    def maximum(self) -> int:
        return self.settings.max_summary_tokens

    @cached_property
    def chunk_prompt(self) -> int:
        return count_tokens(self.settings.prompts.render(INIT, text="", words=self._widest_words))

    @cached_property
    def merge_prompt(self) -> int:
        return count_tokens(self.settings.prompts.render(MERGE, text="", words=self._widest_words))

    @cached_property
    def merge_context_prompt(self) -> int:
        return count_tokens(self.settings.prompts.render(MERGE_CONTEXT, context="", text="", words=self._widest_words))

    @property
    def chunk_room(self) -> int:
        """Tokens for a chunk and its summary together."""
        return self.settings.window - WINDOW_MARGIN - self.chunk_prompt

    def merge_room(self, limit: int, *, with_context: bool) -> int:
        """W - G_l less the prompt: for prior context and summaries of a merge whose answer may have `limit` tokens."""
        prompt = self.merge_context_prompt if with_context else self.merge_prompt
        return self.settings.window - WINDOW_MARGIN - limit - prompt

    def context_room(self, limit: int) -> int:
        """The prior context's share, 20 % (the released code's; the paper gives none)."""
        return max(0, self.merge_room(limit, with_context=True) // 5)

    @property
    def _widest_words(self) -> str:
        return str(words_for(self.maximum))


def summary_limits(depth: int, maximum: int) -> tuple[int, ...]:
    """G_0 .. G_depth: `maximum` at the top, 0.65 of the level above (rounded down) at each lower one."""
    limits = [maximum]
    for _ in range(depth):
        limits.append(words_for(limits[-1]))
    return tuple(reversed(limits))


def planned_limits(chunk_count: int, settings: SummarySettings) -> tuple[int, ...]:
    """The limits of all levels for a book of `chunk_count` chunks, from the depth that its merging really has.

    Depth and limits depend on each other: shorter summaries need fewer levels. Taken is the smallest depth whose own
    limits lead to no more levels than that. Where they lead to fewer, the levels in between are not needed: the top
    then follows at once on the last level that is.
    """
    frame = Frame(settings)
    depth = 0 if chunk_count == 1 else 1
    while True:
        limits = summary_limits(depth, frame.maximum)
        reached = _depth_reached(chunk_count, limits, frame)
        if reached <= depth:
            return (*limits[:reached], frame.maximum)
        depth += 1


def _depth_reached(chunk_count: int, limits: Sequence[int], frame: Frame) -> int:
    """How many levels of merging `chunk_count` summaries of full length need under `limits`."""
    sizes = [limits[0]] * chunk_count
    level = 0
    while len(sizes) > 1:
        level += 1
        limit = level_limit(sizes, level, limits, frame)
        merged: list[int] = []
        position = 0
        while position < len(sizes):
            if merged and position == len(sizes) - 1:
                merged.append(sizes[-1])
                break
            context = min(frame.context_room(limit), sum(merged))
            room = frame.merge_room(limit, with_context=bool(merged))
            position += how_many(sizes[position:], room - context, is_first=not merged, is_top=limit == frame.maximum)
            merged.append(limit)
        sizes = merged
    return level


def level_limit(sizes: Sequence[int], level: int, limits: Sequence[int], frame: Frame) -> int:
    """G of `level`: the maximum as soon as one merge can take everything that is left, whatever was planned."""
    if fits_in_one(sizes, frame):
        return frame.maximum
    return limits[max(0, min(level, len(limits) - 2))]


def fits_in_one(sizes: Sequence[int], frame: Frame) -> bool:
    """Whether one merge, whose answer may have the full length, can take summaries of all these `sizes` (tokens)."""
    return how_many_fit(sizes, frame.merge_room(frame.maximum, with_context=False)) == len(sizes)


def how_many(sizes: Sequence[int], room: int, *, is_first: bool, is_top: bool) -> int:
    """How many of `sizes` the next merge takes: as many as fit in `room`.

    Two where there are two, so that merging comes to an end. Below the top the first merge leaves one summary over: the
    book's last merge is the one that may have the full length.
    """
    count = min(len(sizes), max(2, how_many_fit(sizes, room)))
    return count - 1 if is_first and not is_top and count == len(sizes) else count


def how_many_fit(sizes: Sequence[int], room: int) -> int:
    """How many of the leading `sizes` fit in `room` tokens."""
    used = 0
    for count, size in enumerate(sizes):
        used += size + SEPARATOR_TOKENS
        if used > room:
            return count
    return len(sizes)


def check_fit(chunk_count: int, largest_chunk: int, settings: SummarySettings) -> tuple[int, ...]:
    """The planned limits of the levels, if every prompt of the book will fit the window beside its answer.

    `largest_chunk` is in tokens. Raises `DoesNotFit`.
    """
    frame = Frame(settings)
    if chunk_count > 1:
        _check_summary_length(frame)
    limits = planned_limits(chunk_count, settings)
    largest = frame.chunk_room - limits[0]
    if largest < 1:
        raise DoesNotFit(
            f"The window of {settings.window:,} tokens has no room for any text beside the prompt "
            f"({frame.chunk_prompt:,}) and a summary of up to {limits[0]:,} tokens. Ask for a shorter summary, or take "
            "a larger window."
        )
    if largest_chunk > largest:
        raise DoesNotFit(
            f"A chunk of {largest_chunk:,} tokens, the prompt ({frame.chunk_prompt:,}) and a summary of up to "
            f"{limits[0]:,} do not fit the window of {settings.window:,} tokens. The largest chunk size that "
            f"fits is {largest:,}.",
            largest_chunk_size=largest,
        )
    return limits


def _check_summary_length(frame: Frame) -> None:
    """Two summaries of the level below must fit each merge beside its context, else merging could not go on.

    The top is the tightest level, so it alone is looked at: 2 (0.65 G + s) <= 0.8 (W - prompt - G).
    """
    room = frame.settings.window - WINDOW_MARGIN - max(frame.merge_prompt, frame.merge_context_prompt)
    longest = max(0, (8 * room - 20 * SEPARATOR_TOKENS) // 21)
    if frame.maximum > longest:
        raise DoesNotFit(
            f"The window of {frame.settings.window:,} tokens is too small to merge summaries of up to "
            f"{frame.maximum:,} tokens. The longest summary that works is {longest:,} tokens."
        )
