"""The start page: an annotator's tasks; for the others what a study needs next."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from booookweb.models import Role, User
from booookweb.selectors.overview import overview_for


def home(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    if user.role == Role.ANNOTATOR:
        return redirect("annotation:tasks")
    return render(request, "booookweb/home.html", {"overview": overview_for(user)})
