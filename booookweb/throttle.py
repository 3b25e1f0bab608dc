"""Stops an address from which too many tries (to join, or with unknown tokens) went wrong, as the login does."""

from axes.helpers import get_client_ip_address
from django.core.cache import cache
from django.http import HttpRequest

FAILURES = 20
SECONDS = 15 * 60


def is_throttled(request: HttpRequest, what: str = "join") -> bool:
    return int(cache.get(_key(request, what), 0)) >= FAILURES


def count_failure(request: HttpRequest, what: str = "join") -> None:
    key = _key(request, what)
    cache.add(key, 0, SECONDS)
    try:
        cache.incr(key)
    except ValueError:  # ran out in between
        cache.set(key, 1, SECONDS)


def _key(request: HttpRequest, what: str) -> str:
    return f"{what}-failures-{get_client_ip_address(request)}"
