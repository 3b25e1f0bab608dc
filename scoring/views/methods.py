"""How every figure is computed."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def methods(request: HttpRequest) -> HttpResponse:
    return render(request, "scoring/methods.html")
