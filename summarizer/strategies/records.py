"""What summarizing strategies take and give back."""

from dataclasses import dataclass
from typing import Literal

from summarizer.prompts import PromptFiles

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


@dataclass(frozen=True, slots=True)
class SummaryMaterial:
    """What a summarizing prompt is about, for a baseline that reads no prompt: the texts in order, at most `words`."""

    texts: tuple[str, ...]
    words: int


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

    @property
    def place(self) -> tuple[int, int]:
        return self.level, self.index


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """The final text with every node on the way to it, in the order in which they were made.

    `limits` are the token limits of the levels from the lowest to the top, as planned.
    """

    text: str
    nodes: tuple[Node, ...]
    limits: tuple[int, ...]
    source_cut: bool = False
