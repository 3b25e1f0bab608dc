"""A person's annotate task, spoken to over HTTP as the browser does."""

import json
import uuid
from typing import Any

from django.test import Client

from annotation.models import Study
from tests.factories import make_annotate_task

TEXT = "Emma left. Rolf stayed."


class Task:
    """One person's task, spoken to over HTTP."""

    def __init__(self, text: str = TEXT) -> None:
        self.assignment = make_annotate_task(text)
        self.client = Client()
        self.client.force_login(self.assignment.annotator.user)
        self.url = f"/api/v1/tasks/{self.assignment.key}/marks/"

    def state(self) -> dict[str, Any]:
        return self.client.get(self.url).json()

    def put(self, body: Any, key: Any = None) -> Any:
        key = key or uuid.uuid4()
        return self.client.put(f"{self.url}{key}/", json.dumps(body), content_type="application/json")

    def post(self, action: str, body: Any = None) -> Any:
        return self.client.post(f"{self.url}{action}/", json.dumps(body or {}), content_type="application/json")

    def delete(self, key: Any, base_version: Any) -> Any:
        return self.client.delete(f"{self.url}{key}/?base_version={base_version}")

    def set_phase(self, phase: str) -> None:
        Study.objects.update(phase=phase)


def span(start: Any = 5, end: Any = 9, quote: Any = "left") -> dict[str, Any]:
    return {"start": start, "end": end, "quote": quote}


def mark(*spans: dict[str, Any], base: int = 0, questions: str = "Why?", types: Any = ("salience",)) -> dict[str, Any]:
    return {"base_version": base, "questions": questions, "error_types": list(types), "spans": list(spans) or [span()]}
