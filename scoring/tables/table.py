"""What a table of figures is made of, whether a page shows it or a file holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

#: What a file holds of a cell: figures in full precision, None where there is none.
Value = float | int | str | None


@dataclass(frozen=True)
class Cell:
    text: str
    url: str = ""
    #: Why there is no figure, or what stands beside it.
    note: str = ""
    number: bool = True
    badges: tuple[tuple[str, str], ...] = ()
    #: The figure behind the text; shares are fractions of 1.
    value: Value = None
    #: Further figures of the cell, each with its name: ends of an interval, n.
    beside: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[Cell]]
    #: Rows that a page shows at most; files have all.
    most: int | None = None
    #: Further rows that were not even made, for a page.
    not_made: int = 0

    @property
    def left_out(self) -> int:
        """Rows that the page does not show."""
        return self.not_made + (0 if self.most is None else max(0, len(self.rows) - self.most))

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Headings, and whether figures stand below."""
        numbers = [cell.number for cell in self.rows[0]] if self.rows else [False] * len(self.columns)
        return list(zip(self.columns, numbers, strict=True))


@dataclass(frozen=True)
class Described:
    """A table with what its menu and its files say about it."""

    #: In addresses, and in the names of files.
    key: str
    title: str
    #: How it is computed, as sentences.
    rule: str
    #: What it is computed from: "3 systems, 60 books, 180 summaries".
    n: str
    #: The part of the methods page that has the rule in full.
    section: str
    table: Table
    #: What the page was asked for, as a query ("judge=3&epsilon=0.1"): files ask the same.
    query: str = ""
