"""Login, home and error pages."""

from typing import Any

from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render


class Login(LoginView):
    template_name = "booookweb/login.html"
    redirect_authenticated_user = True


def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "booookweb/home.html")


def permission_denied(request: HttpRequest, exception: Any = None) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": str(exception)}, status=403)
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    detail = "This page is too old to send from. Reload it; what you typed is kept where the page keeps drafts."
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": detail, "code": "csrf"}, status=403)
    return render(request, "403.html", {"reason": detail}, status=403)
