"""The summarizing strategies by name. A new one is one entry here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summarizer.strategies import hierarchical
from summarizer.strategies.base import Strategy
from summarizer.strategies.records import SourceChunk, SummaryResult, SummarySettings


@dataclass(frozen=True, slots=True)
class Method:
    """A strategy with what must be known before it can run: its prompt files and its name's short form."""

    label: str
    short: str
    prompt_files: tuple[str, ...]
    run: Callable[[Sequence[SourceChunk], SummarySettings], Strategy[SummaryResult]]


#: Keys are those of `System.Strategy`.
METHODS: dict[str, Method] = {
    "hierarchical": Method("Hierarchical merging", "hier", hierarchical.PROMPT_FILES, hierarchical.hierarchical),
}
