"""A kind of record of an export."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from django.db.models import Model


@dataclass(frozen=True)
class Kind:
    """`links`: the key in the record -> (foreign key of the model, kind that it refers to by number)."""

    name: str
    model: type[Model]
    columns: tuple[str, ...] = ()
    links: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    #: Keys that are made from other tables, see `children` and `importing`.
    nested: tuple[str, ...] = ()
    #: Columns and nested keys that hold text of a book: there only `with_source`.
    source_columns: tuple[str, ...] = ()
    source_nested: tuple[str, ...] = ()
    #: The whole kind is there only `with_source`.
    is_source: bool = False
    #: Fields that never leave.
    left_out: tuple[str, ...] = ()

    def columns_of(self, *, with_source: bool) -> tuple[str, ...]:
        return self.columns + (self.source_columns if with_source else ())

    def keys(self, *, with_source: bool) -> tuple[str, ...]:
        nested = self.nested + (self.source_nested if with_source else ())
        return (*self.columns_of(with_source=with_source), *self.links, *nested)


def same(**kinds: str) -> dict[str, tuple[str, str]]:
    """Links whose key is the foreign key's own name."""
    return {name: (name, kind) for name, kind in kinds.items()}
