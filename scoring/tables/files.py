"""A described table as CSV (in full precision, safe in spreadsheets) and as LaTeX (as it reads, with its rule)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from scoring.exports.tables import safe_cell
from scoring.tables.table import Cell, Described, Table, Value

#: Beside a figure that is not defined.
REASON = "reason"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
    "×": r"$\times$",
    "’": "'",
    "“": "``",
    "”": "''",
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def as_csv(table: Table) -> str:
    """A column for each of the table's, and beside it those of its further figures: "Score", "Score low", "Score n".

    Figures are in full precision, shares as fractions of 1. Where one is not defined, "Score reason" says why.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = [_names([row[column] for row in table.rows]) for column in range(len(table.columns))]
    headings = (
        f"{heading} {name}".strip() for heading, own in zip(table.columns, names, strict=True) for name in ("", *own)
    )
    writer.writerow([safe_cell(heading) for heading in headings])
    for row in table.rows:
        writer.writerow(
            [safe_cell(_plain(value)) for cell, own in zip(row, names, strict=True) for value in _values(cell, own)]
        )
    return target.getvalue()


def _names(cells: Sequence[Cell]) -> list[str]:
    """Names of the further figures of a column, in the order in which they appear."""
    names = dict.fromkeys(name for cell in cells for name in _beside(cell))
    return list(names)


def _beside(cell: Cell) -> dict[str, Value]:
    """The further figures, and in words what a page says below where that is no figure."""
    found = dict(cell.beside)
    if cell.note and cell.number and cell.value is None:
        found[REASON] = cell.note
    elif cell.note and not found:
        found["note"] = cell.note
    return found


def _values(cell: Cell, names: Iterable[str]) -> list[Value]:
    beside = _beside(cell)
    own = cell.value if cell.number else " ".join([cell.text, *(f"({words})" for _, words in cell.badges)]).strip()
    return [own, *(beside.get(name) for name in names)]


def _plain(value: Value) -> Value:
    return "" if value is None else value


def as_latex(described: Described, study: str) -> str:
    """A table for the package booktabs; the caption has the title, the rule and n. Texts are escaped."""
    table = described.table
    columns = "".join("r" if number else "l" for _, number in table.heads)
    head = " & ".join(latex(name) for name, _ in table.heads)
    rows = "".join(f"    {' & '.join(map(_latex_cell, row))} \\\\\n" for row in table.rows)
    caption = " ".join(_sentence(each) for each in (described.title, described.rule, described.n) if each)
    return (
        f"% {_one_line(study)}: {_one_line(described.title)}. Needs \\usepackage{{booktabs}}.\n"
        "\\begin{table}\n"
        "  \\centering\n"
        f"  \\caption{{{latex(caption)}}}\n"
        f"  \\label{{tab:{described.key}}}\n"
        f"  \\begin{{tabular}}{{{columns}}}\n"
        "    \\toprule\n"
        f"    {head} \\\\\n"
        "    \\midrule\n"
        f"{rows}"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )


def latex(text: str) -> str:
    """A text in which nothing means anything to LaTeX."""
    return _SPECIAL.sub(lambda match: _LATEX[match[0]], " ".join(text.split()))


def _latex_cell(cell: Cell) -> str:
    words = [cell.text, *(f"({words})" for _, words in cell.badges)]
    text = latex(" ".join(words))
    is_reason = cell.number and cell.value is None
    return f"{text} {{\\footnotesize {latex(cell.note)}}}" if cell.note and not is_reason else text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _one_line(text: str) -> str:
    return " ".join(text.split())
