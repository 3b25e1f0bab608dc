"""Error types that a change names by their keys."""

from collections.abc import Collection

from annotation.models import ErrorType
from annotation.services.mark_errors import InvalidMark


def error_types_named(keys: Collection[str], *, kept: Collection[ErrorType] = ()) -> list[ErrorType]:
    """The types with these keys. A retired one can stay on a mark that has it (`kept`), but not be given anew.

    Raises `InvalidMark`.
    """
    wanted = set(keys)
    found = list(ErrorType.objects.filter(key__in=wanted).only("key", "name", "retired"))
    unknown = wanted - {error_type.key for error_type in found}
    if unknown:
        raise InvalidMark(f"There is no error type {', '.join(map(repr, sorted(unknown)))}.")
    for error_type in found:
        if error_type.retired and error_type not in kept:
            raise InvalidMark(f"The error type {error_type.name!r} is no longer in use. Choose another one.")
    return found
