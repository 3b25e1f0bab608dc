"""What summarizing strategies take and give back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from summarizer.prompts import PromptFiles
from summarizer.strategies.repair import Repair, repair

NodeKind = Literal["chunk", "merge", "update", "compression", "cleaning"]


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A stretch `[start, end)` of the book's text, in code points, and its cl100k tokens."""

    text: str
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """Parameters of one run: window W, chunk size C and longest summary G in cl100k tokens."""

    window: int
    chunk_size: int
    max_summary_tokens: int
    temperature: float
    prompts: PromptFiles

    def repair(self, prompt: str, texts: Sequence[str], limit: int) -> Repair | None:
        """How the answers to `prompt`, into which `texts` were put, are mended, if the prompt set asks for it."""
        rules = self.prompts.answer_rules
        if not rules:
            return None
        for text in filter(None, texts):
            prompt = prompt.replace(text, "", 1)
        return partial(
            repair,
            instructions=prompt,
            limit=limit,
            cut="cut at the last sentence end" in rules,
            drop_copied="remove sentences copied from the prompt" in rules,
        )


@dataclass(frozen=True, slots=True)
class SummaryMaterial:
    """What a summarizing prompt is about, for a baseline that reads no prompt: the texts in order, at most `words`."""

    texts: tuple[str, ...]
    words: int


@dataclass(frozen=True, slots=True)
class UpdateMaterial:
    """The same for an update: the summary so far, the chunk to take in, and the words wanted of both together."""

    summary: str
    chunk: str
    words: int


@dataclass(frozen=True, slots=True)
class CleaningMaterial:
    """The same for the cleaning of a summary."""

    summary: str


@dataclass(frozen=True, slots=True)
class Node:
    """One intermediate or final summary. `sources` and `context` are the (level, index) of the nodes it was made from
    and of those shown before them; a chunk's summary has the chunk's offsets instead."""

    kind: NodeKind
    level: int
    index: int
    text: str
    tokens: int
    chunk_start: int | None = None
    chunk_end: int | None = None
    sources: tuple[tuple[int, int], ...] = ()
    context: tuple[tuple[int, int], ...] = ()
    call_id: int | None = None
    #: Words that were asked for at first, where the strategy sets them by the step.
    asked_words: int | None = None
    #: What was taken out of the answer, one piece a line (see `summarizer.strategies.repair`).
    removed: str = ""

    @property
    def place(self) -> tuple[int, int]:
        return self.level, self.index


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """The final text with every node on the way to it, in the order in which they were made.

    `limits` are the token limits of the levels from the lowest to the top, as planned. Where the book is read at once,
    `source_tokens` are those of its included text and `source_tokens_read` those that fitted the window.
    """

    text: str
    nodes: tuple[Node, ...]
    limits: tuple[int, ...]
    source_tokens: int | None = None
    source_tokens_read: int | None = None

    @property
    def source_cut(self) -> bool:
        return self.source_tokens is not None and self.source_tokens != self.source_tokens_read
