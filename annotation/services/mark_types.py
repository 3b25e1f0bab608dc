"""Error types that a change names by their keys."""

from collections.abc import Collection

from django.db import DEFAULT_DB_ALIAS

from annotation.models import ErrorType
from annotation.services.mark_errors import InvalidMark
from annotation.statements import Statement

#: There are a few, and every save asks for some.
_ALL = Statement(lambda: ErrorType.objects.order_by("order").values_list("id", "key", "name", "retired"))


def error_types_named(keys: Collection[str], *, kept: Collection[ErrorType] = ()) -> list[ErrorType]:
    """The types with these keys. A retired one can stay on a mark that has it (`kept`), but not be given anew.

    Raises `InvalidMark`.
    """
    wanted = set(keys)
    found = [
        ErrorType.from_db(DEFAULT_DB_ALIAS, ["id", "key", "name", "retired"], (pk, key, name, bool(retired)))
        for pk, key, name, retired in _ALL.rows()
        if key in wanted
    ]
    unknown = wanted - {error_type.key for error_type in found}
    if unknown:
        raise InvalidMark(f"There is no error type {', '.join(map(repr, sorted(unknown)))}.")
    for error_type in found:
        if error_type.retired and error_type not in kept:
            raise InvalidMark(f"The error type {error_type.name!r} is no longer in use. Choose another one.")
    return found
