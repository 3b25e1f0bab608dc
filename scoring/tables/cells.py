"""Cells of figures: the words that a page shows, and the figures that a file holds."""

from scoring.statistics.estimate import Estimate
from scoring.statistics.intervals import ONE_BOOK, Interval
from scoring.statistics.statistic import Statistic
from scoring.tables.table import Cell, Value

NOTHING = Cell("–")


def count_cell(count: int, note: str = "", url: str = "") -> Cell:
    return Cell(f"{count:,}", url, note=note, value=count)


def text_cell(text: str, url: str = "", note: str = "", badges: tuple[tuple[str, str], ...] = ()) -> Cell:
    return Cell(text, url, note=note, number=False, badges=badges)


def score_cell(figure: Statistic, interval: Interval, n: int) -> Cell:
    """A score in percent with its interval and n below, or a dash with the reason."""
    beside = _ends(interval) | {"n": n}
    if figure.value is None:
        return Cell("–", note=figure.reason if n else "", beside=beside if n else {})
    if interval.low is None or interval.high is None:
        between = "no interval of one book" if interval.reason == ONE_BOOK else "no interval"
    else:
        between = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
    return Cell(f"{100 * figure.value:.1f}", note=f"{between}, n {n}", value=figure.value, beside=beside)


def percent_cell(figure: Statistic) -> Cell:
    """A share in percent, or a dash with the reason."""
    if figure.value is None:
        return Cell("–", note=figure.reason)
    return Cell(f"{100 * figure.value:.1f}", value=figure.value)


def number_cell(figure: Statistic, form: str = ".3f") -> Cell:
    """A figure that is no share, or a dash with the reason."""
    if figure.value is None:
        return Cell("–", note=figure.reason)
    return Cell(f"{figure.value:{form}}", value=figure.value)


def decimal_cell(estimate: Estimate, *, signed: bool = False) -> Cell:
    """Three decimals with the interval below, or a dash with the reason."""
    return _with_interval(estimate, 1, "+.3f" if signed else ".3f", with_interval=True)


def share_cell(estimate: Estimate, *, with_interval: bool = True, signed: bool = False) -> Cell:
    """A share in percent with the interval below, or a dash with the reason."""
    return _with_interval(estimate, 100, "+.1f" if signed else ".1f", with_interval=with_interval)


def _with_interval(estimate: Estimate, scale: int, form: str, *, with_interval: bool) -> Cell:
    value, interval = estimate.figure.value, estimate.interval
    if value is None:
        return Cell("–", note=estimate.figure.reason)
    note = "no interval of one book" if with_interval and interval.reason == ONE_BOOK else ""
    if with_interval and interval.low is not None and interval.high is not None:
        note = f"{scale * interval.low:{form}} to {scale * interval.high:{form}}"
    return Cell(f"{scale * value:{form}}", note=note, value=value, beside=_ends(interval))


def _ends(interval: Interval) -> dict[str, Value]:
    return {"low": interval.low, "high": interval.high}
