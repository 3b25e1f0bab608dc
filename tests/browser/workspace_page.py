"""The annotate page as a person uses it: helpers for the browser tests."""

import json
import re
from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment
from booookweb.models import User

TEXT = (
    "Emma left. Rolf stayed in the boathouse.\n\nNobody called Petra was mentioned before. "
    "She burned the mill, and then she saved it. Rolf packed his bag."
)
EMOJI = "😀 Emma smiled.\nRolf said “no.” Mia left 👩\u200d🚀 early.\n\nZoe\u0308 stayed."

BOX_OF_TEXT = """([start, end]) => {
    const range = document.createRange();
    const node = document.getElementById("text").firstChild;
    range.setStart(node, start);
    range.setEnd(node, end);
    const first = range.getBoundingClientRect();
    if (first.top < 100 || first.bottom > innerHeight - 100) scrollBy(0, first.top - 300);
    const boxes = range.getClientRects();
    const [a, z] = [boxes[0], boxes[boxes.length - 1]];
    return [a.left + 1, a.top + a.height / 2, z.right - 1, z.top + z.height / 2];
}"""


def log_in(context: Any, user: User, server: str) -> None:
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": server}])


class WorkspacePage:
    def __init__(self, page: Any, server: str, assignment: Assignment) -> None:
        self.page = page
        self.server = server
        self.assignment = assignment
        self.url = f"{server}/tasks/{assignment.key}/annotate/"
        log_in(page.context, assignment.annotator.user, server)
        self.open()

    def open(self) -> None:
        self.page.goto(self.url)
        self.page.wait_for_load_state("networkidle")

    def points(self, quote: str, nth: int = 0) -> tuple[float, float, float, float]:
        """Screen positions of the first and the last character of a quote."""
        text = self.page.evaluate("document.getElementById('text').textContent")
        units = text.encode("utf-16-le")
        wanted = quote.encode("utf-16-le")
        at = -2
        for _ in range(nth + 1):
            at = units.index(wanted, at + 2)
        return tuple(self.page.evaluate(BOX_OF_TEXT, [at // 2, (at + len(wanted)) // 2]))

    def drag(self, quote: str, *, backwards: bool = False, nth: int = 0) -> None:
        x1, y1, x2, y2 = self.points(quote, nth)
        if backwards:
            x1, y1, x2, y2 = x2, y2, x1, y1
        self.page.mouse.move(x1, y1)
        self.page.mouse.down()
        self.page.mouse.move(x2, y2, steps=5)
        self.page.mouse.up()

    def write(self, question: str, *types: int) -> None:
        """Fill the open form; `types` are the number keys."""
        self.form.wait_for(state="visible")
        self.page.keyboard.type(question)
        for number in types:
            self.page.keyboard.press(f"Alt+Digit{number}")

    def mark(self, quote: str, question: str = "Why?", types: tuple[int, ...] = (1,), nth: int = 0) -> None:
        self.drag(quote, nth=nth)
        self.write(question, *types)
        self.page.keyboard.press("Control+Enter")

    def click(self, quote: str) -> None:
        x1, y1, x2, y2 = self.points(quote)
        self.page.mouse.click((x1 + x2) / 2, (y1 + y2) / 2)

    @property
    def form(self) -> Any:
        return self.page.locator("#mark-form")

    @property
    def cards(self) -> Any:
        return self.page.locator("#cards article")

    @property
    def saved_state(self) -> Any:
        return self.page.locator("#saved-state")

    def wait_saved(self) -> None:
        expect(self.saved_state).to_have_text(re.compile(r"^Saved( \d\d:\d\d)?$"))

    def wait_state(self, text: str) -> None:
        expect(self.saved_state).to_contain_text(text)

    def save_now(self) -> None:
        """One click on the banner's button; if the page sent by itself meanwhile, the banner is gone."""
        self.page.evaluate("document.querySelector('#problem button')?.click()")

    def highlighted(self) -> list[str]:
        """Texts under the marks' highlights, as the browser paints them."""
        return self.page.evaluate(
            """[...CSS.highlights].filter(([name]) => name.startsWith("mark-"))
               .flatMap(([, highlight]) => [...highlight].map(String)).sort()"""
        )

    def local(self) -> dict[str, Any]:
        return json.loads(self.page.evaluate("JSON.stringify(localStorage)"))


def second_tab(work: WorkspacePage) -> WorkspacePage:
    """The same task in another tab of the same browser."""
    page = work.page.context.new_page()
    page.set_default_timeout(15_000)
    return WorkspacePage(page, work.server, work.assignment)


def stored(assignment: Assignment) -> list[tuple[str, list[tuple[int, int, str]], list[str]]]:
    """Marks in the database: (questions, spans, error types)."""
    marks = Annotation.objects.filter(annotation_set__summary=assignment.summary).order_by("id")
    return [
        (
            mark.questions,
            [(span.start, span.end, span.quote) for span in mark.spans.all()],
            [error_type.key for error_type in mark.error_types.all()],
        )
        for mark in marks
    ]
