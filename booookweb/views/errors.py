"""What a person, or a script, sees when a request can't be answered."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string

from annotation.access import NoSuchTask, NotReady
from booookweb.access import ANY_API, is_api

TOO_OLD = "This page is too old to send from. Reload it; what you typed is kept where the page keeps drafts."


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return _error(request, status=400, code="bad-request", detail="This request can't be read.")


def permission_denied(request: HttpRequest, exception: Any = None) -> HttpResponse:
    if isinstance(exception, NotReady) and exception.key and not is_api(request):
        return redirect("annotation:begin", exception.key)
    detail = str(exception or "") or "Your role does not include this page."
    return _error(request, status=403, code="forbidden", detail=detail)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _error(request, status=403, code="csrf", detail=TOO_OLD, template="booookweb/csrf_failure.html")


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    known = isinstance(exception, NoSuchTask)
    detail = str(exception) if known else "There is nothing at this address."
    return _error(request, status=404, code="not-found", detail=detail)


def server_error(request: HttpRequest) -> HttpResponse:
    return _error(request, status=500, code="server-error", detail="Something went wrong on the server.")


def _error(request: HttpRequest, *, status: int, code: str, detail: str, template: str = "") -> HttpResponse:
    if request.path.startswith(ANY_API):
        return JsonResponse({"detail": detail, "code": code}, status=status)
    # Without the context processors: an error page must not need the database.
    context = {"request": request, "reason": detail}
    return HttpResponse(render_to_string(template or f"{status}.html", context), status=status)
