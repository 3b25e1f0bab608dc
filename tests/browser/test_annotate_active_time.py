"""The annotate page counts the time in which somebody works, and no other."""

from typing import Any

import pytest

from annotation.models import AnnotationSet

pytestmark = pytest.mark.django_db(transaction=True)


def test_active_time_reaches_the_server(start: Any) -> None:
    work = start()
    work.mark("left")
    work.wait_saved()
    work.page.wait_for_timeout(1500)
    work.page.evaluate(
        """() => {
            Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    work.page.wait_for_timeout(500)
    assert 1 <= AnnotationSet.objects.get().active_seconds <= 30
