"""What the pages of one summary read."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from summarizer.models import Summary, SummaryNode

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


def _tree_node(node: SummaryNode, text: str) -> TreeNode:
    begins = ends = ""
    if node.chunk_start is not None and node.chunk_end is not None and text:
        chunk = text[node.chunk_start : node.chunk_end].strip()
        begins, ends = " ".join(chunk[:_EDGE].split()), " ".join(chunk[-_EDGE:].split())
    return TreeNode(node, node_name(node), _links(node.sources.all()), _links(node.context.all()), begins, ends)


def _links(nodes: Iterable[SummaryNode]) -> list[tuple[int, str]]:
    return [(node.pk, node_name(node)) for node in sorted(nodes, key=lambda node: (node.level, node.index))]


def node_name(node: SummaryNode) -> str:
    """What a node is called on the page, for example "chunk 12" or "level 1, merge 3"."""
    if node.kind == SummaryNode.Kind.CHUNK:
        return f"chunk {node.index + 1}"
    return f"level {node.level}, {node.get_kind_display().lower()} {node.index + 1}"


def _level_title(level: int, count: int, top: int) -> str:
    if level == 0:
        return "Level 0: the book's only chunk" if count == 1 else f"Level 0: summaries of {count} chunks"
    if level == top:
        return f"Level {level}: the summary"
    return f"Level {level}: {count} merged {'summary' if count == 1 else 'summaries'}"
