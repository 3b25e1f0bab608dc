"""The summarizing strategies by name. A new one is one entry here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summarizer.strategies import hierarchical, incremental, levels, one_pass
from summarizer.strategies.base import Strategy
from summarizer.strategies.records import SourceChunk, SummaryResult, SummarySettings


@dataclass(frozen=True, slots=True)
class Method:
    """A strategy with what must be known before it can run: its prompt files and its name's short form."""

    label: str
    short: str
    prompt_files: tuple[str, ...]
    run: Callable[[Sequence[SourceChunk], SummarySettings], Strategy[SummaryResult]]
    #: Whether the book is cut into chunks of a size that is part of the system.
    is_chunked: bool = True


#: Keys are those of `System.Strategy`.
METHODS: dict[str, Method] = {
    "hierarchical": Method("Hierarchical merging", "hier", levels.PROMPT_FILES, hierarchical.hierarchical),
    "incremental": Method("Incremental updating", "inc", incremental.PROMPT_FILES, incremental.incremental),
    "one-pass": Method("One pass", "one-pass", one_pass.PROMPT_FILES, one_pass.one_pass, is_chunked=False),
}
