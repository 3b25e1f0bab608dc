"""Logging in with a token, for addresses of the API and for these alone."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from booookweb import throttle
from booookweb.access import is_api
from booookweb.models import ApiToken, User
from booookweb.services.api_tokens import token_of

SCHEME = "bearer "
UNKNOWN = "This token opens nothing: it is misspelt, expired or revoked, or its owner's account is closed."
TOO_MANY = "Too many requests with tokens that open nothing came from your address. Try again in 15 minutes."


class TokenMiddleware:
    """Makes the owner of a token the user of the request, before `RoleMiddleware` decides what they may reach.

    A token that opens nothing is refused even beside a session. One that is good is taken however many others from
    its address are not: a colleague's forgotten script must not lock out a group behind one address, and nobody
    guesses 256 random bits.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        header = request.headers.get("Authorization", "")
        if is_api(request) and header.lower().startswith(SCHEME):
            token = token_of(header[len(SCHEME) :].strip())
            if token is None:
                return _refused(request)
            request.api_token = token  # type: ignore[attr-defined]
            request.user = token.user
        return self.get_response(request)


def _refused(request: HttpRequest) -> HttpResponse:
    if throttle.is_throttled(request, "token"):
        answer = JsonResponse({"detail": TOO_MANY, "code": "throttled"}, status=429)
        answer["Retry-After"] = str(throttle.SECONDS)
        return answer
    throttle.count_failure(request, "token")
    answer = JsonResponse({"detail": UNKNOWN, "code": "token"}, status=401)
    answer["WWW-Authenticate"] = "Bearer"
    return answer


class TokenAuthentication(BaseAuthentication):
    """Tells REST framework whom the middleware let in; requests with a token need no CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        token: ApiToken | None = getattr(request._request, "api_token", None)
        return (token.user, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A personal token, made on your account page."}
