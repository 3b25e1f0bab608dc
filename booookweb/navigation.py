"""The entries of the top bar, by role."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from booookweb.access import ROUTES

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
            {"url": reverse(route), "label": label, "current": request.path.startswith(reverse(route))}
            for route, label in ENTRIES
            if user.role in (ROUTES.get(route) or ())
        ]
    }
