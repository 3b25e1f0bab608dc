"""Which failures are tried again, how often, and after how long. Pure."""

import random

from summarizer.providers.base import FailureKind, ProviderFailure

#: Requests for one call at most, the first included.
TRIES = 5
#: Back-off without a word from the server: 1, 2, 4, 8 seconds, halved at random.
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
#: A server that asks to wait longer than this is not waited for.
LONGEST_RETRY_AFTER_SECONDS = 600.0

#: Another request may bring an answer.
TRIED_AGAIN = frozenset({FailureKind.TRANSIENT, FailureKind.RATE_LIMITED, FailureKind.MALFORMED})
#: No request to this endpoint can bring an answer, so the whole item stops.
STOPS_ITEM = frozenset({FailureKind.QUOTA_EXHAUSTED, FailureKind.PERMANENT, FailureKind.UNSUPPORTED_PARAMETER})


def tried_again(failure: ProviderFailure, tries: int) -> bool:
    """Whether a call that failed at its `tries`-th request gets another one."""
    return failure.kind in TRIED_AGAIN and tries < TRIES and (failure.retry_after or 0) <= LONGEST_RETRY_AFTER_SECONDS


def seconds_before_retry(failure: ProviderFailure, tries: int, chance: random.Random) -> float:
    """How long to wait after the `tries`-th request failed.

    Never less than the server asked for; what chance adds keeps calls that failed together from coming back together.
    """
    if failure.retry_after is not None:
        return failure.retry_after + chance.uniform(0.0, 0.25 * failure.retry_after + 0.5)
    longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** (tries - 1))
    return chance.uniform(longest / 2, longest)
