"""What work is worth: amounts in US dollars, to the cent. Annotating is never paid by the mark."""

from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
NOTHING = Decimal(0)


@dataclass(frozen=True)
class Rates:
    """US dollars; None where this is not paid for. Work is paid by what is done or by the hour."""

    summary: Decimal | None = None
    hour: Decimal | None = None
    reviewed_summary: Decimal | None = None
    reviewed_mark: Decimal | None = None
    review_hour: Decimal | None = None
    comparison: Decimal | None = None
    comparison_hour: Decimal | None = None
    unit: Decimal | None = None
    unit_hour: Decimal | None = None
    rating: Decimal | None = None
    rating_hour: Decimal | None = None

    @property
    def any(self) -> bool:
        kinds = (self.annotating, self.reviewing, self.comparing, self.checking)
        return any(rate is not None for kind in kinds for rate in kind)

    @property
    def annotating(self) -> tuple[Decimal | None, ...]:
        return self.summary, self.hour

    @property
    def reviewing(self) -> tuple[Decimal | None, ...]:
        return self.reviewed_summary, self.reviewed_mark, self.review_hour

    @property
    def comparing(self) -> tuple[Decimal | None, ...]:
        return self.comparison, self.comparison_hour

    @property
    def checking(self) -> tuple[Decimal | None, ...]:
        return self.unit, self.unit_hour, self.rating, self.rating_hour

    @property
    def hourly(self) -> bool:
        hourly = (self.hour, self.review_hour, self.comparison_hour, self.unit_hour, self.rating_hour)
        return any(rate is not None for rate in hourly)


#: A study's fields with these rates.
PAY_FIELDS = tuple(f"pay_per_{rate.name}" for rate in fields(Rates))


@dataclass(frozen=True)
class Work:
    """What one person, or everybody, submitted. Seconds are the active time on submitted tasks."""

    annotated: int = 0
    seconds: int = 0
    reviewed: int = 0
    marks: int = 0
    review_seconds: int = 0
    compared: int = 0
    comparison_seconds: int = 0
    units: int = 0
    unit_seconds: int = 0
    ratings: int = 0
    rating_seconds: int = 0

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    @property
    def review_hours(self) -> float:
        return self.review_seconds / 3600

    @property
    def comparison_hours(self) -> float:
        return self.comparison_seconds / 3600

    @property
    def checking_hours(self) -> float:
        return (self.unit_seconds + self.rating_seconds) / 3600


@dataclass(frozen=True)
class Amounts:
    annotating: Decimal = NOTHING
    reviewing: Decimal = NOTHING
    comparing: Decimal = NOTHING
    #: Units and ratings.
    checking: Decimal = NOTHING

    @property
    def total(self) -> Decimal:
        return self.annotating + self.reviewing + self.comparing + self.checking


def amounts(work: Work, rates: Rates) -> Amounts:
    """What the work is worth; hours are paid to the second and rounded to the cent, half a cent upwards."""
    return Amounts(
        annotating=_cents(work.annotated * (rates.summary or NOTHING) + _by_the_hour(work.seconds, rates.hour)),
        reviewing=_cents(
            work.reviewed * (rates.reviewed_summary or NOTHING)
            + work.marks * (rates.reviewed_mark or NOTHING)
            + _by_the_hour(work.review_seconds, rates.review_hour)
        ),
        comparing=_cents(
            work.compared * (rates.comparison or NOTHING) + _by_the_hour(work.comparison_seconds, rates.comparison_hour)
        ),
        checking=_cents(
            work.units * (rates.unit or NOTHING)
            + _by_the_hour(work.unit_seconds, rates.unit_hour)
            + work.ratings * (rates.rating or NOTHING)
            + _by_the_hour(work.rating_seconds, rates.rating_hour)
        ),
    )


def in_words(rates: Rates, task: str) -> str:
    """What a task of this kind is worth, as people read it: "$1.70 for each summary and $0.15 for each mark in it"."""
    if task == "annotate":
        parts = [(rates.summary, "summary"), (rates.hour, "hour of work")]
    elif task == "review":
        of_marks = "mark in it" if rates.reviewed_summary is not None else "mark"
        parts = [
            (rates.reviewed_summary, "summary"),
            (rates.reviewed_mark, of_marks),
            (rates.review_hour, "hour of work"),
        ]
    elif task == "fine":
        parts = [(rates.unit, "statement"), (rates.unit_hour, "hour of work")]
    elif task == "coarse":
        parts = [(rates.rating, "summary"), (rates.rating_hour, "hour of work")]
    else:
        parts = [(rates.comparison, "comparison"), (rates.comparison_hour, "hour of work")]
    return " and ".join(f"${rate:,.2f} for each {thing}" for rate, thing in parts if rate is not None)


def _by_the_hour(seconds: int, rate: Decimal | None) -> Decimal:
    return Decimal(seconds) / 3600 * (rate or NOTHING)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
