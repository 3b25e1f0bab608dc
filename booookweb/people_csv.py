"""Reads lists of people from CSV, as spreadsheets write it: with a BOM, semicolons or tabs, and any line ends."""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass

MOST_BYTES = 200_000
MOST_PEOPLE = 500
NAME_COLUMNS = {"username", "name"}
STUDY_COLUMNS = {"studies", "study"}
#: A spreadsheet takes a cell that begins with one of these for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
BETWEEN_STUDIES = re.compile(r"[\s|,;]+")


@dataclass(frozen=True)
class Row:
    """`number` is the row's in a spreadsheet, where the heading is row 1."""

    number: int
    name: str
    studies: tuple[str, ...]


class UnreadableList(Exception):
    """What is wrong with the list, a sentence each, with the row."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


def decode_list(data: bytes) -> str:
    """Raises UnreadableList for what is too large or is no UTF-8."""
    if len(data) > MOST_BYTES:
        raise UnreadableList(f"The list is larger than {MOST_BYTES // 1000} kB. Split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableList("The file is not in UTF-8. Save it as “CSV UTF-8” and try again.") from error


def read_list(text: str) -> list[Row]:
    """The rows that are not empty. Raises UnreadableList, with everything that is wrong with the form of the list."""
    if len(text.encode()) > MOST_BYTES:
        raise UnreadableList(f"The list is larger than {MOST_BYTES // 1000} kB. Split it.")
    lines = _cells(text.removeprefix("\ufeff"))
    filled = [(number, cells) for number, cells in enumerate(lines, start=1) if any(cell.strip() for cell in cells)]
    heading = filled[0][1] if filled else []
    name_at, studies_at = _columns(heading)
    rows, problems = [], []
    for number, cells in filled[1:]:
        if len(cells) > len(heading):
            problems.append(f"Row {number} has more cells than the heading.")
            continue
        cells = [*cells, *[""] * (len(heading) - len(cells))]
        studies = BETWEEN_STUDIES.split(cells[studies_at].strip()) if studies_at is not None else []
        rows.append(Row(number, _as_stored(cells[name_at]), tuple(dict.fromkeys(filter(None, studies)))))
    problems += _problems(rows)
    if not rows and not problems:
        problems = ["The list has no people."]
    if problems:
        raise UnreadableList(*problems)
    return rows


def _as_stored(name: str) -> str:
    """As accounts store names, in which a full-width sign is the plain one: what is checked here is what is stored."""
    return unicodedata.normalize("NFKC", name).strip()


def _cells(text: str) -> list[list[str]]:
    if "\0" in text:
        raise UnreadableList("The list has characters that no text has. Save it as “CSV UTF-8” and try again.")
    heading = text.lstrip().partition("\n")[0]
    delimiter = next((each for each in ";\t" if each in heading), ",")
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise UnreadableList(f"The list can’t be read as CSV: {error}.") from error


def _columns(heading: list[str]) -> tuple[int, int | None]:
    """Where names and studies stand."""
    names = [cell.strip().lower() for cell in heading]
    unknown = [name for name in names if name and name not in NAME_COLUMNS | STUDY_COLUMNS]
    if unknown or sum(name in NAME_COLUMNS for name in names) != 1 or sum(name in STUDY_COLUMNS for name in names) > 1:
        raise UnreadableList(
            "The first row must name the columns: “username”, and “studies” if you like, and no others. "
            "All become annotators; other roles are given by admins."
        )
    name_at = next(index for index, name in enumerate(names) if name in NAME_COLUMNS)
    return name_at, next((index for index, name in enumerate(names) if name in STUDY_COLUMNS), None)


def _problems(rows: list[Row]) -> list[str]:
    if len(rows) > MOST_PEOPLE:
        return [f"The list has {len(rows)} people; at most {MOST_PEOPLE} fit. Split it."]
    problems: list[str] = []
    first: dict[str, int] = {}
    for row in rows:
        if not row.name:
            problems.append(f"Row {row.number} has no name.")
        elif row.name.startswith(FORMULA):
            problems.append(
                f"Row {row.number}: “{row.name}” begins like a formula. Names begin with a letter or digit."
            )
        elif row.name.lower() in first:
            problems.append(f"Row {row.number}: “{row.name}” stands in row {first[row.name.lower()]} already.")
        first.setdefault(row.name.lower(), row.number)
    return problems
