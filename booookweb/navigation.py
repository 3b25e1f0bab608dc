"""The entries of the top bar, by role."""

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from booookweb.access import ROUTES
from booookweb.models import User

ENTRIES = [
    ("annotation:tasks", "My tasks"),
    ("summarizer:books", "Books"),
    ("summarizer:jobs", "Jobs"),
    ("annotation:studies", "Studies"),
    ("summarizer:endpoints", "Endpoints"),
    ("people", "People"),
]


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Context for base.html: the routes this person's role may reach."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"navigation": []}
    return {
        "navigation": [
            {"url": url, "label": label, "current": request.path.startswith(url)}
            for route, label in ENTRIES
            if (url := link(user, route))
        ]
    }


def link(user: User, route: str, **arguments: str) -> str:
    """The address of a route that this person's role may reach, else an empty string."""
    if user.role not in (ROUTES.get(route) or ()):
        return ""
    try:
        return reverse(route, kwargs=arguments)
    except NoReverseMatch:
        return ""
