"""Hierarchical merging (BooookScore, appendix A.1): summarize each chunk, then merge summaries until one is left."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from summarizer.sentences import split_sentences
from summarizer.strategies.asking import Accepted, Question, ask, words_for
from summarizer.strategies.base import Ahead, Strategy, StrategyFailed
from summarizer.strategies.fit import WINDOW_MARGIN
from summarizer.strategies.levels import (
    INIT,
    MERGE,
    MERGE_CONTEXT,
    SEPARATOR,
    SEPARATOR_TOKENS,
    Frame,
    check_fit,
    fits_in_one,
    how_many,
    how_many_fit,
    level_limit,
)
from summarizer.strategies.records import Node, SourceChunk, SummaryResult, SummarySettings
from summarizer.strategies.repair import Repair
from summarizer.tokens import count_tokens

#: Chunk summaries that are waited for together: few, so that a merge begins as soon as those it takes are there.
PART = 4


def hierarchical(chunks: Sequence[SourceChunk], settings: SummarySettings) -> Strategy[SummaryResult]:
    """The strategy of one book. Raises `DoesNotFit` before the first step, `StrategyFailed` where an answer is missing.

    Level 0 starts at once; the merges of a level follow one another, as each sees those before it, and those of level 1
    begin while the last chunks are still being summarized. A last summary that is left over at a level goes up as it
    is: there is nothing to merge it with, and a call could only lose some of it.
    """
    limits = check_fit(len(chunks), max(chunk.tokens for chunk in chunks), settings)
    frame = Frame(settings)
    below = _chunk_summaries(chunks, limits, frame)
    if len(below.coming) > 1:
        yield Ahead(question.step(0) for part in below.coming for _, _, question in part)
    nodes: list[Node] = []
    level = 0
    while below.total > 1:
        level += 1
        try:
            merged = yield from _merge_level(below, level, limits, frame)
        except StrategyFailed as failed:
            raise (yield from below.brought_to_an_end(failed)) from failed
        nodes += below.nodes if level == 1 else []
        nodes += [node for node in merged if node.level == level]
        below = _Below(len(merged), merged)
    if level == 0:
        yield from below.take_more()
        nodes = below.nodes
    return SummaryResult(text=below.nodes[0].text, nodes=tuple(nodes), limits=limits)


@dataclass(slots=True)
class _Below:
    """The summaries of the level below a merge: `total` in the end, `nodes` so far, and the parts still to come."""

    total: int
    nodes: list[Node] = field(default_factory=list)
    #: Chunks with their index and question, in parts.
    coming: list[list[tuple[int, SourceChunk, Question]]] = field(default_factory=list)

    def take_more(self) -> Strategy[None]:
        """Wait for the next part; for all others together as soon as one answer had to be asked for again.

        Then there will be more of them, and asked part by part they would wait for each other.
        """
        part = self.coming.pop(0)
        answers = yield from ask([question for _, _, question in part])
        self.nodes += [
            _chunk_node(index, chunk, answer) for (index, chunk, _), answer in zip(part, answers, strict=True)
        ]
        if self.coming and any(answer.tries > 1 for answer in answers):
            self.coming = [[each for part in self.coming for each in part]]
            yield from self.take_more()

    def brought_to_an_end(self, failed: StrategyFailed) -> Strategy[StrategyFailed]:
        """The failure, with those of the parts still to come: they are asked, and asked again where it takes that.

        Their first answers are paid, and a retry by hand would ask for those that do not serve once more.
        """
        try:
            yield from ask([question for part in self.coming for _, _, question in part])
        except StrategyFailed as other:
            return StrategyFailed(failed.step, failed.failure, (*failed.steps[1:], *other.steps))
        return failed


def _chunk_summaries(chunks: Sequence[SourceChunk], limits: Sequence[int], frame: Frame) -> _Below:
    asked = [
        (index, chunk, _chunk_question(index, chunk, len(chunks), limits[0], frame.settings))
        for index, chunk in enumerate(chunks)
    ]
    return _Below(len(chunks), [], [asked[start : start + PART] for start in range(0, len(asked), PART)])


def _chunk_question(index: int, chunk: SourceChunk, count: int, limit: int, settings: SummarySettings) -> Question:
    def prompt(words: int) -> str:
        return settings.prompts.render(INIT, text=chunk.text, words=str(words))

    return Question(
        name=f"level 0, chunk {index + 1} of {count}",
        prompt=prompt,
        limit=limit,
        temperature=settings.temperature,
        texts=(chunk.text,),
        repair=settings.repair(prompt(words_for(limit)), [chunk.text], limit),
    )


def _chunk_node(index: int, chunk: SourceChunk, answer: Accepted) -> Node:
    return Node(
        kind="chunk",
        level=0,
        index=index,
        text=answer.text,
        tokens=answer.tokens,
        chunk_start=chunk.start,
        chunk_end=chunk.end,
        call_id=answer.call_id,
        removed=answer.removed,
    )


def _merge_level(below: _Below, level: int, limits: Sequence[int], frame: Frame) -> Strategy[list[Node]]:
    """One level up. The list has new nodes of `level` and, last, perhaps one of a lower level that was left over.

    Waits for no more of the level below than decides what comes next.
    """
    while below.coming and fits_in_one([node.tokens for node in below.nodes], frame):
        yield from below.take_more()
    limit = level_limit([node.tokens for node in below.nodes], level, limits, frame)
    merged: list[Node] = []
    position = 0
    while position < below.total:
        while below.coming and not _decides(below.nodes[position:], merged, limit, frame):
            yield from below.take_more()
        if merged and position == below.total - 1:
            merged.append(below.nodes[-1])
            break
        merge = _next_merge(below.nodes[position:], merged, limit, frame)
        question = Question(
            name=f"level {level}, merge {len(merged) + 1}",
            prompt=merge.prompt,
            limit=limit,
            temperature=frame.settings.temperature,
            texts=tuple(node.text for node in merge.sources),
            repair=merge.repair(limit),
        )
        (answer,) = yield from ask([question])
        merged.append(
            Node(
                kind="merge",
                level=level,
                index=len(merged),
                text=answer.text,
                tokens=answer.tokens,
                sources=tuple(node.place for node in merge.sources),
                context=tuple(node.place for node in merge.context_nodes),
                call_id=answer.call_id,
                removed=answer.removed,
            )
        )
        position += len(merge.sources)
    return merged


def _decides(rest: Sequence[Node], before: Sequence[Node], limit: int, frame: Frame) -> bool:
    """Whether the next merge of `rest` would be the same however many summaries followed: more than it can take."""
    context, _ = prior_context(before, frame.context_room(limit))
    room = frame.merge_room(limit, with_context=bool(context)) - count_tokens(context)
    return len(rest) > max(2, how_many_fit([node.tokens for node in rest], room))


@dataclass(frozen=True, slots=True)
class _Merge:
    sources: Sequence[Node]
    context: str
    context_nodes: Sequence[Node]
    settings: SummarySettings

    @property
    def text(self) -> str:
        return SEPARATOR.join(node.text for node in self.sources)

    def prompt(self, words: int) -> str:
        text = self.text
        if self.context:
            return self.settings.prompts.render(MERGE_CONTEXT, context=self.context, text=text, words=str(words))
        return self.settings.prompts.render(MERGE, text=text, words=str(words))

    def repair(self, limit: int) -> Repair | None:
        return self.settings.repair(self.prompt(words_for(limit)), [self.context, self.text], limit)

    def fits(self, limit: int) -> bool:
        return count_tokens(self.prompt(words_for(limit))) + limit <= self.settings.window - WINDOW_MARGIN


def _next_merge(rest: Sequence[Node], before: Sequence[Node], limit: int, frame: Frame) -> _Merge:
    """As many of `rest` as fit beside the prompt and the prior context from `before`.

    Token counts of texts are not exactly additive, so the finished prompt is counted and shortened where needed.
    """
    context, context_nodes = prior_context(before, frame.context_room(limit))
    room = frame.merge_room(limit, with_context=bool(context)) - count_tokens(context)
    sizes = [node.tokens for node in rest]
    count = how_many(sizes, room, is_first=not before, is_top=limit == frame.maximum)
    merge = _Merge(rest[:count], context, context_nodes, frame.settings)
    while not merge.fits(limit) and count > 2:
        count -= 1
        merge = _Merge(rest[:count], context, context_nodes, frame.settings)
    return merge


def prior_context(before: Sequence[Node], room: int) -> tuple[str, list[Node]]:
    """What to show of the summaries `before`, in at most `room` tokens, and which nodes it comes from.

    The newest are taken first. Of the first one that does not fit whole, the end is shown from the start of a
    sentence on. They stand in the order of the story.
    """
    texts: list[str] = []
    nodes: list[Node] = []
    for node in reversed(before):
        free = room - count_tokens(SEPARATOR.join(texts)) - (SEPARATOR_TOKENS if texts else 0)
        text = node.text if node.tokens <= free else _last_sentences(node.text, free)
        if text:
            texts.insert(0, text)
            nodes.insert(0, node)
        if text != node.text:
            break
    return SEPARATOR.join(texts), nodes


def _last_sentences(text: str, room: int) -> str:
    """As many whole sentences from the end of `text` as have at most `room` tokens together; may be empty."""
    kept = ""
    for start, _ in reversed(split_sentences(text)):
        if count_tokens(text[start:]) > room:
            break
        kept = text[start:]
    return kept
