"""What an import knows while it reads: which row stands for which number of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db.models import Field, JSONField, Model

from annotation.models import Study
from scoring.exports.kind import Kind
from scoring.exports.kinds import BY_NAME, OF_STUDY


class ImportRefused(Exception):
    """Why nothing was imported; the message names the line."""


@dataclass(frozen=True)
class Line:
    """A record with the number of its line."""

    number: int
    record: dict[str, Any]

    def refuse(self, message: str) -> NoReturn:
        raise ImportRefused(f"Line {self.number}: {message}")

    def pairs(self, key: str, length: int) -> list[list[Any]]:
        """A list of lists of a length. Refuses anything else."""
        value = self.record[key]
        if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == length for each in value):
            self.refuse(f"{key} must be a list of lists with {length} entries.")
        return value

    def numbers(self, key: str) -> list[int]:
        value = self.record[key]
        if not isinstance(value, list) or not all(type(each) is int for each in value):
            self.refuse(f"{key} must be a list of numbers.")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        value = self.record[key]
        if not isinstance(value, dict):
            self.refuse(f"{key} must be an object.")
        return value

    def objects(self, key: str) -> list[dict[str, Any]]:
        value = self.record[key]
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.refuse(f"{key} must be a list of objects.")
        return value

    def text(self, key: str) -> str:
        value = self.record[key]
        if not isinstance(value, str):
            self.refuse(f"{key} must be a text.")
        return value


@dataclass
class Context:
    name: str
    with_source: bool
    #: Kind -> number in the file -> row id.
    ids: dict[str, dict[int, int]] = field(default_factory=lambda: {name: {} for name in BY_NAME})
    #: Rows that were here before, by kind: what hangs on them is compared and not written.
    were_here: dict[str, set[int]] = field(default_factory=lambda: {name: set() for name in BY_NAME})
    study: Study | None = None
    #: Summaries of sets, and summaries and books of comparisons, by row id.
    summary_of_set: dict[int, int] = field(default_factory=dict)
    book_of_summary: dict[int, int] = field(default_factory=dict)
    judges: set[int] = field(default_factory=set)
    #: Books that were here and stand for one of the file already.
    taken_books: set[int] = field(default_factory=set)

    def row(self, line: Line, kind: str, number: Any) -> int:
        """The row that a number stands for. Refuses one that no earlier line has."""
        found = self.ids[kind].get(number) if type(number) is int else None
        if found is None:
            line.refuse(f"there is no {kind.replace('_', ' ')} {number} before it.")
        return found

    @property
    def study_id(self) -> int:
        if self.study is None:
            raise ImportRefused("The file has no record of the study itself.")
        return self.study.pk

    def build(self, kind: Kind, line: Line) -> Model:
        """The row of a record, not saved. Refuses what the columns can't hold."""
        record = line.record
        expected = {"record", "id", *kind.keys(with_source=self.with_source)}
        if record.keys() != expected:
            wrong = ", ".join(sorted(record.keys() ^ expected))
            line.refuse(f"a {kind.name} has other fields than these: {wrong} (missing, or too many).")
        values: dict[str, Any] = {}
        for name in kind.columns_of(with_source=self.with_source):
            values[name] = _value(line, kind.model._meta.get_field(name), record[name])
        for key, (column, target) in kind.links.items():
            values[f"{column}_id"] = self._link(line, kind.model._meta.get_field(column), target, record[key])
        if kind.name != "study" and _has_field(kind.model, OF_STUDY):
            values["study_id"] = self.study_id
        return kind.model(**values)

    def _link(self, line: Line, column: Any, target: str, number: Any) -> int | None:
        if number is None:
            if not column.null:
                line.refuse(f"{column.name} must not be empty.")
            return None
        return self.row(line, target, number)


def _has_field(model: type[Model], name: str) -> bool:
    return any(each.name == name for each in model._meta.concrete_fields)


def _value(line: Line, column: Any, value: Any) -> Any:
    if isinstance(column, JSONField):
        if value is None:
            line.refuse(f"{column.name} must not be empty.")
        return value
    try:
        return column.clean(value, None)
    except ValidationError as error:
        line.refuse(f"{column.name}: {' '.join(error.messages)}")


def checked_values(line: Line, model: type[Model], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a nested object for the columns of a model."""
    columns: dict[str, Field[Any, Any]] = {each.name: each for each in model._meta.concrete_fields}
    if unknown := values.keys() - columns.keys():
        line.refuse(f"unknown fields: {', '.join(sorted(unknown))}.")
    return {name: _value(line, columns[name], value) for name, value in values.items()}


def new_key() -> UUID:
    """Keys in addresses are of this machine and never leave it."""
    return uuid4()
