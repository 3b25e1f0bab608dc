"""Judge files. Some list confusing sentences only, some every sentence; all name a sentence by its text."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.release.files import expecting, read_mapping, text_of

#: Books whose summaries the published prompt shows as demonstrations. Its judge never scores them.
DEMONSTRATIONS = frozenset({"the-faraway-world", "the-ferryman"})


@dataclass(frozen=True)
class Row:
    """What a file says about one sentence. Neither questions nor types means clean."""

    text: str
    questions: str = ""
    types: tuple[str, ...] = ()
    #: Place of the sentence in its batch, from 1, where the file has it.
    number: int | None = None

    @property
    def confused(self) -> bool:
        return bool(self.questions or self.types)


@dataclass
class JudgementFile:
    #: {book: rows}; None where the file has the book and says nothing about it.
    books: dict[str, list[Row] | None]
    #: Clean sentences are listed too, so what is not listed was not judged.
    lists_clean: bool


@dataclass
class Placed:
    """Rows by the position of their sentence."""

    confused: dict[int, Row] = field(default_factory=dict)
    clean: set[int] = field(default_factory=set)
    #: Copies of a listed sentence, for which a file that lists every text once has no row of its own.
    unlisted: set[int] = field(default_factory=set)
    #: Sentences that a file of all sentences should list and does not.
    missing: set[int] = field(default_factory=set)
    #: Rows whose text is no sentence of the summary; and those that are one only after trimming.
    unmatched: list[Row] = field(default_factory=list)
    trimmed: list[Row] = field(default_factory=list)


def read_judgements(path: Path) -> JudgementFile:
    """Read a file of either form. Raises ReleaseError for anything else."""
    books = {}
    for book, entry in read_mapping(path).items():
        with expecting("a list of judgements, a mapping or null", f"{path}, {book}"):
            books[book] = _rows(entry)
    return JudgementFile(books, any(not row.confused for rows in books.values() for row in rows or ()))


def place_rows(rows: Sequence[Row], sentences: Sequence[str], *, lists_clean: bool) -> Placed:
    """Give every row the positions of its sentence.

    A file that lists confusing sentences by text can't say which copy of a repeated sentence it means: all copies
    carry the mark. A file that lists every sentence has one row for a repeated one, that of the last copy that was
    judged (its number in the batch tells which); its other copies have no judgement.
    """
    placed = Placed()
    by_text: dict[str, list[Row]] = defaultdict(list)
    positions = _positions(sentences)
    trimmed = {text.strip(): text for text in positions}
    for row in rows:
        if row.text in positions:
            by_text[row.text].append(row)
        elif row.text.strip() in trimmed:
            by_text[trimmed[row.text.strip()]].append(row)
            placed.trimmed.append(row)
        else:
            placed.unmatched.append(row)
    for text, found in by_text.items():
        copies = positions[text]
        if lists_clean:
            kept = _judged_copy(copies, found[-1])
            placed.unlisted.update(set(copies) - {kept})
            copies = [kept]
        for position, row in zip(copies, _deal_out(found, len(copies)), strict=True):
            if row.confused:
                placed.confused[position] = row
            else:
                placed.clean.add(position)
    rest = set(range(len(sentences))) - placed.confused.keys() - placed.clean - placed.unlisted
    (placed.missing if lists_clean else placed.clean).update(rest)
    return placed


def is_demonstration(book: str) -> bool:
    return book.removesuffix(".epub") in DEMONSTRATIONS


def _rows(entry: Any) -> list[Row] | None:
    if entry is None:
        return None
    if isinstance(entry, list):
        return [_row(value["span"], value) for value in entry]
    return [_row(text, value) for text, value in entry.items()]


def _row(text: Any, value: Any) -> Row:
    """A sentence that is null, or whose questions and types are, is clean; one that names neither says nothing."""
    value = {"questions": None} if value is None else value
    if not {"questions", "types"} & value.keys():
        raise KeyError("questions")
    number = value.get("sentence_num")
    return Row(
        text=text_of(text),
        questions=text_of(value.get("questions") or "").strip(),
        types=type_names(value.get("types")),
        number=number if isinstance(number, int) else None,
    )


def type_names(value: Any) -> tuple[str, ...]:
    """Names of error types from a list or a line such as "entity omission, salience"; lower case, none twice.

    Raises TypeError for anything else.
    """
    names = value.split(",") if isinstance(value, str) else [text_of(name) for name in value or () if name]
    return tuple(dict.fromkeys(name.strip().rstrip(".").lower() for name in names if name and name.strip()))


def _positions(sentences: Sequence[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = defaultdict(list)
    for position, sentence in enumerate(sentences):
        positions[sentence].append(position)
    return positions


def _judged_copy(copies: list[int], row: Row) -> int:
    """Batches hold ten sentences in the release, so the number is the position's last digit plus one."""
    fitting = [position for position in copies if row.number is not None and position % 10 == (row.number - 1) % 10]
    return (fitting or copies)[-1]


def _deal_out(rows: list[Row], copies: int) -> list[Row]:
    """One row a copy, in order: a lone row serves all copies, and rows beyond the copies are joined to the last."""
    dealt = [rows[min(index, len(rows) - 1)] for index in range(copies)]
    return [*dealt[:-1], _joined(rows[copies - 1 :] or rows[-1:])]


def _joined(rows: list[Row]) -> Row:
    questions = dict.fromkeys(row.questions for row in rows if row.questions)
    types = dict.fromkeys(name for row in rows for name in row.types)
    return Row(rows[0].text, "\n".join(questions), tuple(types), rows[0].number)
