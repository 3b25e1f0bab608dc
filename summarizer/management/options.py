"""Types of options, for `add_argument`: what no database or library could take is refused in one line."""

from argparse import ArgumentTypeError
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.forms import DecimalField

from summarizer.identifiers import row_id

#: The largest integer that every database takes in a column for numbers.
_LARGEST = 2**31 - 1


def dollars(text: str) -> Decimal:
    """An amount of money, as a job keeps it."""
    try:
        amount = DecimalField(max_digits=12, decimal_places=4).clean(text)
    except ValidationError:
        raise ArgumentTypeError(f"{text!r} is no number of dollars, such as 2.50") from None
    return Decimal(amount)


def row_number(text: str) -> int:
    """What names a book, a summary or a job."""
    number = row_id(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is no number of a row, such as 12")
    return number


def whole_number(text: str) -> int:
    """A number of tokens or of a run; what is too small is refused where it is used."""
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text[:50]!r} is no whole number") from None
    if abs(number) > _LARGEST:
        raise ArgumentTypeError(f"{text[:50]!r} is too large a number")
    return number
