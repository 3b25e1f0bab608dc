"""The rows of a table as HTML. A page may have thousands of cells, for which a template takes too long."""

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from scoring.tables.table import Cell, Table


def rows_html(table: Table) -> SafeString:
    """The rows that a page shows; all texts are escaped."""
    labels = ["", *(f' data-label="{escape(name)}"' if name else "" for name in table.columns[1:])]
    lines = (
        f"<tr>{''.join(_cell(cell, label) for cell, label in zip(row, labels, strict=True))}</tr>"
        for row in table.rows[: table.most]
    )
    return mark_safe("\n".join(lines))  # noqa: S308 - every text in it is escaped


def _cell(cell: Cell, label: str) -> str:
    text = str(escape(cell.text))
    if cell.url:
        text = f'<a href="{escape(cell.url)}">{text}</a>'
    for badge, words in cell.badges:
        text += f' <span class="badge {escape(badge)}">{escape(words)}</span>'
    if cell.note:
        text += f'<small class="cell-note">{escape(cell.note)}</small>'
    kind = ' class="number"' if cell.number else ""
    return f"<td{kind}{label}>{text}</td>"
