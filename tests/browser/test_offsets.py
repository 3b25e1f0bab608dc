"""`static/js/offsets.js` against Python, which counts code points itself."""

import random
from typing import Any

import pytest

from tests.browser.workspace_page import WorkspacePage
from tests.factories import make_annotate_task

pytestmark = pytest.mark.django_db(transaction=True)

ALPHABET = ["a", " ", "\n", "é", "e\u0301", "😀", "👩\u200d🚀", "𝔸", "🇩🇪", "ש", "字", "\u202b", "<", "&"]

CONVERT = """async (texts) => {
    const { TextMap } = await import("/static/js/offsets.js");
    return texts.map((text) => {
        const element = document.createElement("div");
        element.textContent = text;
        const map = new TextMap(element);
        const points = [...Array(map.length + 1).keys()];
        return {
            length: map.length,
            units: points.map((point) => map.toUnits(point)),
            back: points.map((point) => map.toPoints(map.toUnits(point))),
            slices: points.map((point) => map.slice(point, Math.min(point + 3, map.length))),
        };
    });
}"""


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_conversions_agree_with_python_on_any_text(page: Any, live_server: Any) -> None:
    work = WorkspacePage(page, live_server.url, make_annotate_task())
    chance = random.Random(20261130)
    texts = ["", *("".join(chance.choices(ALPHABET, k=chance.randint(1, 30))) for _ in range(200))]
    for text, found in zip(texts, work.page.evaluate(CONVERT, texts), strict=True):
        points = range(len(text) + 1)
        assert found["length"] == len(text)
        assert found["units"] == [units(text[:point]) for point in points]
        assert found["back"] == list(points)
        assert found["slices"] == [text[point : point + 3] for point in points]
