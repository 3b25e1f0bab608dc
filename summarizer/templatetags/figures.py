"""How amounts are written: money, time, tokens. Digits that say something, and no more."""

from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def usd(amount: Decimal | float | None) -> str:
    """`$12.40`; two significant digits below a cent's worth of them (`$0.0031`); an unknown amount says so."""
    if amount is None:
        return "unknown"
    value = Decimal(str(amount))
    if value == 0:
        return "$0.00"
    if value >= Decimal("0.1"):
        return f"${value:,.2f}"
    if value < Decimal("0.0001"):
        return "under $0.0001"
    return f"${value:.{1 - value.adjusted()}f}"


@register.filter
def duration(seconds: float | None) -> str:
    """`under 10 s`, `40 s`, `12 min`, `3 h 20 min`; empty for None."""
    if seconds is None:
        return ""
    if seconds < 10:
        return "under 10 s"
    if seconds < 90:
        return f"{round(seconds / 10) * 10} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
