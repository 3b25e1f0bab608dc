"""What the pages of one summary read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from summarizer.models import Summary, SummaryNode
from summarizer.strategies.incremental import is_close
from summarizer.word_diff import Piece, word_diff

#: Characters shown of where a chunk begins and ends.
_EDGE = 70


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node with what it was made from. `begins` and `ends` quote the edges of a chunk in the book."""

    node: SummaryNode
    name: str
    sources: list[tuple[int, str]]
    context: list[tuple[int, str]]
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class TreeLevel:
    level: int
    title: str
    nodes: list[TreeNode]


def summary_tree(summary: Summary) -> list[TreeLevel]:
    """Every intermediate summary, the final one's level first. A constant number of queries."""
    nodes = list(
        summary.nodes.select_related("call").prefetch_related("sources", "context").order_by("-level", "index")
    )
    text = summary.book.text
    levels = []
    for level, members in groupby(nodes, key=lambda node: node.level):
        rows = [_tree_node(node, text) for node in members]
        levels.append(TreeLevel(level, _level_title(level, len(rows), nodes[0].level), rows))
    return levels


@dataclass(frozen=True, slots=True)
class BuildStep:
    """A step of incremental updating. A compression has the summary `before` it and what `changes` it made; `is_far`
    is one that missed the length asked for by more than 20 %."""

    node: SummaryNode
    name: str
    words: int
    before: SummaryNode | None = None
    changes: Sequence[Piece] = ()
    begins: str = ""
    ends: str = ""

    @property
    def words_before(self) -> int:
        return len(self.before.text.split()) if self.before else 0

    @property
    def words_taken(self) -> int:
        return sum(len(piece.text.split()) for piece in self.changes if piece.kind == "removed")

    @property
    def is_far(self) -> bool:
        asked = self.node.asked_words
        return bool(self.changes and asked) and not is_close(self.node.text, asked or 0)


def summary_steps(summary: Summary) -> list[BuildStep]:
    """The steps of an incremental summary in their order. A constant number of queries."""
    nodes = list(summary.nodes.prefetch_related("sources").order_by("level", "index"))
    count = sum(1 for node in nodes if node.kind == SummaryNode.Kind.UPDATE)
    return [_build_step(node, count, summary.book.text) for node in nodes]


def _build_step(node: SummaryNode, count: int, text: str) -> BuildStep:
    words = len(node.text.split())
    begins, ends = _edges(node, text)
    if node.kind != SummaryNode.Kind.COMPRESSION:
        name = f"update {node.level + 1} of {count}" if node.level else f"first summary, chunk 1 of {count}"
        return BuildStep(node, name, words, begins=begins, ends=ends)
    before = next(iter(node.sources.all()), None)
    changes = word_diff(before.text, node.text) if before else []
    return BuildStep(node, "compression", words, before, changes)


@dataclass(frozen=True, slots=True)
class Cleaning:
    """A cleaned `version` and what it `changes` about the summary it was made of."""

    version: Summary
    changes: Sequence[Piece]

    @property
    def is_unchanged(self) -> bool:
        return all(piece.kind == "same" for piece in self.changes)


def cleanings(summary: Summary) -> list[Cleaning]:
    """What the cleaning changed: of `summary` itself where it is a cleaned one, else each cleaned version of it."""
    if summary.cleaned_from:
        return [Cleaning(summary, word_diff(summary.cleaned_from.text, summary.text))]
    versions = summary.cleaned_versions.select_related("system").order_by("pk")
    return [Cleaning(version, word_diff(summary.text, version.text)) for version in versions]


def _edges(node: SummaryNode, text: str) -> tuple[str, str]:
    """How the stretch of the book that a node was made from begins and ends, if it was made from the book."""
    if node.chunk_start is None or node.chunk_end is None or not text:
        return "", ""
    chunk = text[node.chunk_start : node.chunk_end].strip()
    begins, ends = " ".join(chunk[:_EDGE].split()), " ".join(chunk[-_EDGE:].split())
    if len(chunk) <= _EDGE:
        return begins, ends
    # Without the word that was cut through.
    return f"{begins.rpartition(' ')[0] or begins}…", f"…{ends.partition(' ')[2] or ends}"


def _tree_node(node: SummaryNode, text: str) -> TreeNode:
    begins, ends = _edges(node, text)
    return TreeNode(node, node_name(node), _links(node.sources.all()), _links(node.context.all()), begins, ends)


def _links(nodes: Iterable[SummaryNode]) -> list[tuple[int, str]]:
    return [(node.pk, node_name(node)) for node in sorted(nodes, key=lambda node: (node.level, node.index))]


def node_name(node: SummaryNode) -> str:
    """What a node is called on the page, for example "chunk 12" or "level 1, merge 3"."""
    if node.kind == SummaryNode.Kind.CLEANING:
        return "cleaning"
    if node.kind == SummaryNode.Kind.CHUNK:
        return f"chunk {node.index + 1}"
    return f"level {node.level}, {node.get_kind_display().lower()} {node.index + 1}"


def _level_title(level: int, count: int, top: int) -> str:
    if level == 0:
        return "Level 0: the book's only chunk" if count == 1 else f"Level 0: summaries of {count} chunks"
    if level == top:
        return f"Level {level}: the summary"
    return f"Level {level}: {count} merged {'summary' if count == 1 else 'summaries'}"
