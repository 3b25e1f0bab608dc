"""What work is worth: amounts in US dollars, to the cent. Annotating is never paid by the mark."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
NOTHING = Decimal(0)


@dataclass(frozen=True)
class Rates:
    """US dollars; None where this is not paid for. Annotating is paid by the summary or by the hour."""

    summary: Decimal | None = None
    hour: Decimal | None = None
    reviewed_summary: Decimal | None = None
    reviewed_mark: Decimal | None = None
    comparison: Decimal | None = None

    @property
    def any(self) -> bool:
        return any(
            rate is not None
            for rate in (self.summary, self.hour, self.reviewed_summary, self.reviewed_mark, self.comparison)
        )


@dataclass(frozen=True)
class Work:
    """What one person, or everybody, submitted. `seconds` is the active time on the submitted summaries."""

    annotated: int = 0
    seconds: int = 0
    reviewed: int = 0
    marks: int = 0
    compared: int = 0

    @property
    def hours(self) -> float:
        return self.seconds / 3600


@dataclass(frozen=True)
class Amounts:
    annotating: Decimal = NOTHING
    reviewing: Decimal = NOTHING
    comparing: Decimal = NOTHING

    @property
    def total(self) -> Decimal:
        return self.annotating + self.reviewing + self.comparing


def amounts(work: Work, rates: Rates) -> Amounts:
    """What the work is worth; hours are paid to the second and rounded to the cent, half a cent upwards."""
    hours = Decimal(work.seconds) / 3600
    return Amounts(
        annotating=_cents(work.annotated * (rates.summary or NOTHING) + hours * (rates.hour or NOTHING)),
        reviewing=_cents(
            work.reviewed * (rates.reviewed_summary or NOTHING) + work.marks * (rates.reviewed_mark or NOTHING)
        ),
        comparing=_cents(work.compared * (rates.comparison or NOTHING)),
    )


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
