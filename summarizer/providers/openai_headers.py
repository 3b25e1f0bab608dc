"""What the headers of an answer say about limits: how long to wait, and what is left. Pure."""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from summarizer.providers.base import Allowance

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
#: More than this is no limit at all.
MOST_LEFT = 10**12
_UNITS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    stated = headers.get("retry-after")
    if (seconds := _number(stated)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(stated or "").timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def allowances_of(headers: Mapping[str, str]) -> dict[str, Allowance]:
    """What is left of the limits on requests and tokens, from `x-ratelimit-remaining-*` and `x-ratelimit-reset-*`.

    A limit that the server states as 0 is none: some proxies fill in what they do not know.
    """
    found = {}
    for kind in ("requests", "tokens"):
        left = _number(headers.get(f"x-ratelimit-remaining-{kind}"))
        seconds = seconds_of(headers.get(f"x-ratelimit-reset-{kind}"))
        if left is not None and seconds is not None and _number(headers.get(f"x-ratelimit-limit-{kind}")) != 0:
            found[kind] = Allowance(min(int(left), MOST_LEFT), seconds)
    return found


def seconds_of(text: str | None) -> float | None:
    """Seconds in a duration such as "1s", "6m0s", "120ms", "1h2m3.5s" or "0.25"; None if it is none."""
    if (seconds := _number(text)) is not None:
        return seconds
    found = _DURATION.fullmatch((text or "").strip())
    if not found or not found.group():
        return None
    return sum(float(number) * unit for number, unit in zip(found.groups(), _UNITS, strict=True) if number)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
