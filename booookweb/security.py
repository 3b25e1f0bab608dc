"""Response headers that hold for every page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from booookweb.access import ANY_API

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)


class ContentSecurityPolicyMiddleware:
    """No page loads anything from another host, and no inline script or style runs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class NothingKeptMiddleware:
    """No browser and no proxy keeps what the API answered, errors included: what a person may see changes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith(ANY_API):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
